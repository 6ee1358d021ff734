// 程序自己的中文用语。各种故障的说法在各自的 playbook 里;命令和事实的名字不在这里,也不在那里。
import type { Words } from "./en.ts";

const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, " ");

/** 少的逐个说，多的报个数。 */
function some(ranks: readonly number[]): string {
  if (ranks.length > 4) return `${ranks.slice(0, 3).join("、")} 等 ${ranks.length} 个 rank`;
  return `${ranks.join("、")} 号 rank`;
}

export const zh: Words = {
  sentence: (text) => (/[。？！：:.!?]$/.test(text) ? text : `${text}。`),
  capital: (text) => text,
  join: (sentences) => sentences.join(""),
  tidy: (text) =>
    text
      .replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) +(?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g, "")
      // A colon of full width brings its own blank.
      .replace(/(?<=：) +/g, ""),
  heading: (phase, title) => `${phase}：${title}`,
  aside: (text) => `（${text}）`,

  at: {
    lines: (numbers) => `第 ${numbers.map(grouped).join("、")} 行`,
    inFile: (file, line) => `${file}:${line}`,
    inMessage: (line) => `消息第 ${grouped(line)} 行`,
    thatPaste: "你贴的内容",
    yourPaste: (lines) => `你贴的${lines}`,
    paste: (number, lines) => `第 ${number} 次贴的${lines}`,
    more: (where, n) => `${where}等 ${grouped(n + 1)} 行`,
    by: (name) => `${name} 答`,
  },

  who: {
    rank: (rank) => `${rank} 号 rank`,
    ranks: some,
    somebody: "某个 rank",
    on: (who, host) => `${who}（${host}）`,
    at: (who, host, gpu) => `${who}（${host}，GPU ${gpu}）`,
    gpu: (who, gpu) => `${who}（GPU ${gpu}）`,
    host: (host) => host,
  },

  status: { confirmed: "已确认", supported: "有迹象，未证实", unclear: "难以区分", unknown: "未知" },
  label: {
    "nccl-timeout": "NCCL 超时",
    oom: "内存不足",
    "expert-imbalance": "专家负载失衡",
    "loss-spike": "loss 突变",
    "checkpoint-mismatch": "checkpoint 不匹配",
    other: "其他故障",
    none: "没有故障",
  },

  headline: {
    oom: (who, kind) => `${who} ${kind === "gpu" ? "显存" : kind === "host" ? "主机内存" : "内存"}不足`,
    namely: (what, kind) => `${what}：${kind}`,
    timeoutBy: (who, how, what, wait) =>
      `${who} ${{ missing: "没有进入", late: "没有按时进入", held: "卡住了" }[how]} ${what}，其余 rank 都在等它${wait}`,
    timeout: (what, wait) => `${what} ${wait}超时`,
    ledTo: (cause, what) => `${cause}；${what}`,
    aCollective: "一次集合通信",
    waited: (seconds) => `，等了 ${seconds} 秒`,
    after: (seconds) => `等了 ${seconds} 秒后`,
    expert: (expert, who, tokens, ratio) =>
      `${who ? `${who} 上的 ` : ""}${expert} 号专家分到${tokens ? ` ${tokens} 个 token` : "的 token 远多于其他专家"}${ratio ? `，是平均值的 ${ratio} 倍` : ""}`,
    experts: "路由把太多 token 分给了少数专家",
    nan: (step) => `loss ${step ? `在第 ${step} 步` : ""}变成了 NaN 或无穷大`,
    spike: (step, before, peak) =>
      `loss ${step ? `在第 ${step} 步` : ""}${before && peak ? `从 ${before} ` : ""}突然升高${peak ? `到 ${peak}` : ""}`,
    divergence: (step, before, peak) =>
      `loss ${step ? `从第 ${step} 步起` : ""}一路上升，没有回落${before && peak ? `：${before} 到 ${peak}` : ""}`,
    scale: (scale) => `loss scale 一路减小${scale ? `到 ${scale}` : ""}`,
    resumeJump: (before, after) => `loss 在续训处突变${before && after ? `：之前 ${before}，之后 ${after}` : ""}`,
    shapes: (param, saved, model) => `${param ?? "某个参数"} 在 checkpoint 里是 ${saved}，在模型里是 ${model}`,
    silent: "checkpoint 加载时没有报错，但并未全部载入",
    drifts: "checkpoint 已加载，训练却没有从停下的地方接上",
    raises: "checkpoint 与加载它的模型或配置不符",
    other: (who, kind) => (who ? `${who}：${kind}` : kind),
    unknown: "这里有故障，但没有 playbook 认得它",
    error: (who, error) => `${who ?? "某个进程"} 因 ${error} 退出，没有 playbook 认得它`,
    whoIsNotKnown: "是哪个 rank 拖住了大家，这份日志看不出来",
    wouldTell: (what) => `能说明问题的是：${what}`,
    maybe: (headline) => `可能是这样：${headline}`,
    probably: (headline) => `多半是：${headline}`,
    words: (label) => `听你的描述像是：${label}`,
    none: "这段文字里没有故障迹象",
  },

  follows: {
    timeouts: (n) => (n > 1 ? `其余 ${grouped(n)} 个超时都是它引起的。` : "超时是它引起的。"),
    oom: "内存不足是它引起的。",
    "loss-spike": "loss 突变是它引起的。",
    beside: (label) => `日志里还有：${label}。`,
  },

  story: {
    memory: (who, tried, free, total) =>
      `${who} 申请 ${tried}${free ? `，只剩 ${free}` : ""}${total ? `（共 ${total}）` : ""}`,
    gaveUp: (who, what, seconds) => `${who} 等了 ${seconds} 秒，放弃 ${what}`,
  },

  notKnown: {
    rank: "是哪个 rank；日志没有前缀，看不出来",
    cause: "起因是什么",
    separate: (label, what) => `会不会其实是${label}：${what}`,
    say: (what) => `尚不清楚：${what}`,
  },

  again: (n, last) => `同样的故障又贴过 ${n} 次，最近一次在 ${last}。`,

  phase: { symptom: "症状", locate: "定位", fix: "处理", verify: "验证" },
  risk: { none: null, "changes-run": "会改动训练任务", "changes-cluster": "会改动集群", "loses-work": "会丢失进度" },

  settled: (title, answer) => `${title}${/[？?：。]$/.test(title) ? "" : "："}${answer}`,
  reopen: (title) => `重新回答：${title}`,
  newer: {
    take: (version) => `改用第 ${version} 版`,
    say: (from, to, what) => {
      const some = (titles: string[]): string =>
        titles
          .slice(0, 3)
          .map((title) => `“${title}”`)
          .join("、") + (titles.length > 3 ? `等 ${titles.length} 步` : "");
      const told = [
        what.changed.length > 0 && `改动了${some(what.changed)}`,
        what.added.length > 0 && `新增了${some(what.added)}`,
        what.dropped.length > 0 && `去掉了${some(what.dropped)}`,
        what.moved !== null && `案例会回到“${what.moved}”`,
      ].filter(Boolean);
      const rest = told.length > 0 ? `从这里往后，新版${told.join("，")}。` : "从这里往后没有变化。";
      return `这个案例用的是 playbook 第 ${from} 版，现在有第 ${to} 版。${rest}`;
    },
  },
  problem: {
    contradicted: (title, answer, instead, at) =>
      `“${title}”现在的答案是“${answer}”，但新的证据是“${instead}”（${at}）。`,
    "no-playbook": (playbook) =>
      `接下来要用的 playbook ${playbook} 没有载入。维护这个服务的人可以用 "firstfault playbook check" 查看原因。`,
    "handoff-loop": (playbook) =>
      `几个 playbook 之间来回转交（下一个是 ${playbook}），这是它们自己的错误；请手动结束这个案例。`,
    reading: (finding) => `刚贴的内容没有改变什么：${finding}`,
    otherOutput: "这是另一条命令的输出；这一步还在等它自己那条命令的输出。",
  },

  outcome: {
    fixed: "已修复",
    mitigated: "已恢复运行，根因还没治",
    "handed-over": "已交给其他团队",
    "not-a-fault": "不是故障",
    unknown: "没有结论",
  },
  ended: {
    was: (headline) => `问题：${headline}`,
    fixedBy: (what) => `处理：${what}`,
    held: (what) => `验证：${what}`,
    send: (text) => `可直接转发：${text}`,
  },

  escalation: { head: "给接手的团队：", found: "目前查到", lines: "日志原文", receipt: "凭据" },

  terminal: {
    run: "运行下面的命令，把输出贴回来：",
    change: "要改的，或要运行的：",
    script: (path) => `脚本在 firstfault 的安装目录下：${path}`,
    expect: "应当看到：",
    undo: "撤销：",
    stop: "停手：",
    call: "联系：",
    walkOn: '用 "firstfault walk" 和同一份日志，可以一步步走下去。',
    wrong: '不对就输入 "back"',
    prompt: '答案的序号、"paste"、"back"、"lines" 或 "quit"：',
    endPrompt: '"back" 撤销上一个答案，回车结束：',
    pasteNow: '现在粘贴，最后单独一行 "." 结束。',
    pasteLog: '粘贴日志，最后单独一行 "." 结束。',
    notAChoice: (given, choices) =>
      `这里没有 "${given}" 这个答案。${choices > 0 ? `可以输入 1 到 ${choices}，或 ` : "可以输入 "}"paste"、"back"、"lines"、"quit"。`,
    notRecorded: "没有记下。",
    goingOn: (since) => `接着走这份日志的案例（${since} 打开）。`,
    left: '先到这里。用 "firstfault walk" 和同一份日志，可以接着走。',
    leftUnkept: "先到这里，这次没有保存。",
    notKept: (why) => `这次无法保存，关掉终端就没有了：${why}`,
    noTerminal: "没有终端可以作答，只显示第一屏。",
    noLines: "这个案例没有保留日志原文。",
    stale: "那一步已经过去了，案例现在在这里。",
    risky: (risk) => `这一步${risk}。`,
    sure: (label, risk) => `这一步${risk}。要记下“${label}”吗？输入 "yes" 记下：`,
  },
};
