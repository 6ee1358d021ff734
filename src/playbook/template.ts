// A new playbook folder: whole and right as a draft, with "# ?" wherever its author must say something.

export function newPlaybook(id: string): Record<string, string> {
  return {
    "playbook.yaml": `# What this fault is: its lines in a log, and the walk to its cure. No sentence shown to people stands here.
version: 1
status: draft            # stable needs three logs/hit-* and two logs/miss-*
label: other             # ? one of nccl-timeout, oom, expert-imbalance, loss-spike, checkpoint-mismatch, other
start: seen-before
opens: { ${id}: seen-before }   # which step a subcause opens
signatures:
  - id: ${id}
    pattern: '${id} on rank (?<rank>\\d+)'       # ? a JavaScript pattern; named groups are facts (src/facts/catalogue.ts)
    weight: strong       # strong, supporting, against
    role: cause          # cause, consequence, context
    subcause: ${id}
    seen: '${id} on rank 3'                      # ? a line it must match
    source: https://example.org/                 # ? where that line is printed or documented
words: words.txt
chatter: chatter.txt
steps:
  seen-before:
    phase: symptom
    choices:
      comes-back: { to: which-rank }
      first-time: { to: which-rank }
  which-rank:
    phase: locate
    command: grep -n '${id}' <log>               # ? what shows where it is
    choices:
      one-rank: { to: restart-elsewhere }
      all-ranks: { to: unknown }
  restart-elsewhere:
    phase: fix
    risk: changes-run    # none, changes-run, changes-cluster, loses-work
    sources: [https://example.org/]              # ? where the advice comes from
    choices:
      done: { to: holds }
      cannot: { to: handed-over }
  holds:
    phase: verify
    choices:
      "yes": { to: fixed }
      came-back: { to: which-rank }
  fixed: { ends: fixed }
  handed-over: { ends: handed-over }
  unknown: { ends: unknown }
`,
    "en.yaml": `title: ${id}             # ? the fault in a few words
symptom: A rank reports ${id}.                   # ? one line for the list
misses: Nothing known yet.                       # ? what this playbook does not cover
subcauses:
  ${id}: ${id}
steps:                                           # ? what we think, why, what to do now: two or three sentences a step
  seen-before:
    title: Has it come before?
    say: Rank {{rank}} reports ${id}. Whether it comes back decides how far we look.
    choices: { comes-back: It came back, first-time: The first time }
  which-rank:
    title: One rank or all?
    say: One rank points at its machine, all ranks at the program. Count who prints the line.
    expect: One line a rank, with its number.
    stop: No line at all. Then this is another fault.
    choices: { one-rank: One rank, all-ranks: All ranks }
  restart-elsewhere:
    title: Leave that machine out
    say: Start again from the last checkpoint without the machine of rank {{rank}}.
    undo: Put the machine back on the list.
    stop: The fault moved along to another machine.
    call: The people who own the machines, with the line and the rank.
    choices: { done: It runs without that machine, cannot: I may not do that }
  holds:
    title: Does it hold?
    say: This kind of fault comes back. Watch for as long as it took to appear, and half of that again.
    choices: { "yes": It has held for that long, came-back: It came back }
  fixed: { say: Fixed and seen to hold. }
  handed-over: { say: With the people who own the machines. }
  unknown: { say: Not this playbook's fault. What the log shows is kept with the case. }
`,
    "zh.yaml": `title: ${id}             # ? 用几个字说明故障
symptom: 某个 rank 报告 ${id}。                  # ? 列表里的一行
misses: 暂无。                                   # ? 本手册不覆盖什么
subcauses:
  ${id}: ${id}
steps:                                           # ? 每步两三句:怎么判断、为什么、现在做什么
  seen-before:
    title: 以前出现过吗?
    say: rank {{rank}} 报告 ${id}。是否会复现,决定要查多深。
    choices: { comes-back: 又出现了, first-time: 第一次 }
  which-rank:
    title: 一个 rank 还是全部?
    say: 只有一个 rank 多半是机器问题,全部都有多半是程序问题。先数一数是谁打印了这一行。
    expect: 每个 rank 一行,带编号。
    stop: 一行都没有,那就是别的故障。
    choices: { one-rank: 只有一个 rank, all-ranks: 所有 rank }
  restart-elsewhere:
    title: 换掉那台机器
    say: 把 rank {{rank}} 所在的机器排除掉,从最近的 checkpoint 重启。
    undo: 把机器加回列表。
    stop: 故障跟着跑到了另一台机器。
    call: 机器的负责人,附上那一行日志和 rank。
    choices: { done: 排除后已在运行, cannot: 没有权限 }
  holds:
    title: 稳住了吗?
    say: 这类故障会复现。观察的时间至少是它上次出现所需时间的一倍半。
    choices: { "yes": 已经稳住这么久, came-back: 又出现了 }
  fixed: { say: 已修复，并确认没有复现。 }
  handed-over: { say: 已交给机器的负责人。 }
  unknown: { say: 不属于本手册的故障。日志里看到的内容已随案例保留。 }
`,
    "words.txt": `# How people say it when they have no log line, one a line, in both languages. Never a labelled case.
our run died with ${id} again
训练又报 ${id} 了
`,
    "chatter.txt": `# The same subject without a fault: questions, plans, old stories, one a line.
what does ${id} mean
${id} 是什么意思
`,
    "logs/hit-one-rank.log": `step 1200 | loss 2.113
${id} on rank 3
`,
  };
}
