// What only the web pages say, in Simplified Chinese.
import type { WebWords } from "./web-en.ts";

export const webZh: WebWords = {
  htmlLang: "zh-CN",
  name: "中文",
  skip: "跳到正文",
  skipMap: "跳过步骤图",
  languages: "语言",
  allPlaybooks: "全部 playbook",

  index: {
    title: "训练任务故障 playbook",
    say: "从症状到真正修好：看什么、跑什么命令、改什么，以及怎样确认问题不会再来。",
    filter: "查找故障",
    filterHint: "输入故障里的一个词，例如“ECC”或“NaN”。",
    found: { one: "找到 1 种故障", many: "找到 {n} 种故障" },
    kinds: "这类故障的具体情形",
    whole: "打开 playbook",
    terminal: "手头有日志时，程序会自己找到对应的 playbook 和步骤：",
  },

  steps: (n) => `${n} 步`,
  version: (n) => `第 ${n} 版`,
  draft: "草稿，尚未用真实日志验证",
  misses: "这里不涉及：",
  places: {
    before: "带底色的标记，例如",
    after: "，代表日志里的实际值；在 Slack 或终端里处理 case 时会自动填入。",
  },
  opens: "按日志直接定位",
  opensSay: "日志里看到的是哪一种，就从对应的步骤开始。",
  begin: (n) => `没有日志，从第 ${n} 步开始`,
  terminal: "在终端里一步步走：",

  map: {
    title: "步骤图",
    say: "每个方框是一步，框内是可能的答案。连线通向下一步；带编号的箭头跳到该编号的步骤；方块表示到此结束。",
    fit: "缩放到页面宽度",
    legend: "图例",
    opens: "日志可直接从这里开始",
    jump: "跳到该步骤",
    end: "到此结束",
    hands: "转到另一个 playbook",
  },

  toc: "步骤",
  step: (n) => `第 ${n} 步`,
  linkTo: (n) => `第 ${n} 步的链接`,
  linkToEnd: (name) => `结局“${name}”的链接`,
  run: "运行",
  change: "修改或运行",
  copy: "复制",
  copyWhat: (n) => `复制第 ${n} 步的命令`,
  copyScript: (name) => `复制 ${name}`,
  copied: "已复制",
  notCopied: "请手动复制",
  fillIn: "需要填入",
  expect: "应当看到",
  undo: "如何撤销",
  stop: "何时停手",
  call: "找谁",
  commonly: "常见的建议",
  script: (name) => `脚本 ${name}`,
  choices: "哪个答案符合？",
  from: "来自步骤",
  sources: "出处：",

  ends: "如何结束",
  goesOn: (title) => `转到“${title}”`,
  knows: "认得的日志行",
  knowsSay: "都是日志里的原样示例。单看一行往往不够：哪一行最先出现、出现在哪个 rank 上，才是关键。",
  noKind: "不限情形",
  role: { cause: "直接说明故障", consequence: "由别的故障引起", context: "只提供信息" },
  against: "说明不是此故障",

  footer: (id, version) => `playbook ${id}，第 ${version} 版。本页只读。`,

  notFound: {
    title: "没有这个页面",
    say: "地址可能不完整，或者链接生成之后 playbook 改过名字。请从下面选一个：",
    operator: "如果这里缺了某个 playbook，维护这个服务的人可以用“firstfault playbook check”查看原因。",
  },
};
