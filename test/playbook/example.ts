// A small playbook without mistakes, for tests to break.
import type { Folder } from "../../src/playbook/check.ts";

const PLAYBOOK = `version: 1
status: draft
label: other
start: seen-before
opens: { link-degraded: which-rank }
signatures:
  - id: link-lost
    pattern: 'link (?<hca>\\w+) lost on rank (?<rank>\\d+)'
    weight: strong
    role: cause
    subcause: link-degraded
    implies: { run_phase: steady }
    seen: 'link mlx5_3 lost on rank 7'
    source: https://example.org/link
words: words.txt
steps:
  seen-before:
    phase: symptom
    choices:
      comes-back: { to: which-rank }
      first-time: { to: which-rank }
  which-rank:
    phase: locate
    command: ssh {{host}} ibstat {{hca}}
    reads: [ib-port]
    choices:
      one: { to: replace, when: { fact: rank, known: true } }
      many: { to: hand-on }
  replace:
    phase: fix
    risk: changes-cluster
    chains: [5.1-F3]
    corrections: [1]
    sources: [https://example.org/replace]
    choices:
      replaced: { to: holds }
      cannot: { to: handed-over }
  holds:
    phase: verify
    choices:
      "yes": { to: fixed }
      came-back: { to: which-rank }
  hand-on: { hands: oom#where }
  fixed: { ends: fixed }
  handed-over: { ends: handed-over }
`;

const EN = `title: A link was lost
symptom: A rank lost its link.
misses: Links that are only slow.
subcauses:
  link-degraded: a lost link
steps:
  seen-before:
    title: Has it come before?
    say: Rank {{rank}} lost {{hca}}.
    choices: { comes-back: It came back, first-time: First time }
  which-rank:
    say: One rank points at its machine.
    expect: State Active.
    choices: { one: One rank, many: Several }
  replace:
    say: Have the cable replaced.
    undo: Put the old cable back.
    stop: The machine does not answer.
    choices: { replaced: Replaced, cannot: Not mine to replace }
  holds:
    say: This comes back. Watch it for a day.
    choices: { "yes": It held, came-back: It came back }
  fixed: { say: Fixed. }
  handed-over: { say: With the network people. }
`;

const ZH = `title: 链路丢失
symptom: 某个 rank 的链路断了。
misses: 只是变慢的链路。
subcauses:
  link-degraded: 链路丢失
steps:
  seen-before:
    title: 以前出现过吗？
    say: rank {{rank}} 丢了 {{hca}}。
    choices: { comes-back: 又出现了, first-time: 第一次 }
  which-rank:
    say: 只有一个 rank 时查它的机器。
    expect: 状态为 Active。
    choices: { one: 一个 rank, many: 好几个 }
  replace:
    say: 请人更换线缆。
    undo: 换回旧线缆。
    stop: 机器没有响应。
    choices: { replaced: 已更换, cannot: 不归我管 }
  holds:
    say: 这种故障会复现，观察一天。
    choices: { "yes": 没有再出现, came-back: 又出现了 }
  fixed: { say: 已修复。 }
  handed-over: { say: 已交给网络组。 }
`;

export type Files = Record<string, string>;

export const EXAMPLE: Readonly<Files> = {
  "playbook.yaml": PLAYBOOK,
  "en.yaml": EN,
  "zh.yaml": ZH,
  "words.txt": "# how people say it\nour link died\n链路断了\n",
  "logs/hit-one.log": "link mlx5_3 lost on rank 7\n",
};

/** The example with one text replaced in one file; fails where that text is not there exactly once. */
export function broken(file: string, from: string, to: string): Folder {
  const text = EXAMPLE[file] ?? "";
  if (text.split(from).length !== 2)
    throw new Error(`"${from}" stands ${text.split(from).length - 1} times in ${file}`);
  return folderOf({ ...EXAMPLE, [file]: text.replace(from, () => to) });
}

export function folderOf(files: Files): Folder {
  return { id: "link-lost", path: "playbooks/link-lost", files };
}
