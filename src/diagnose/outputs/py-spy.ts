// py-spy dump: the Python stacks of a process, or of every rank of a node: what does the one do that the others wait for?
//   Process 61543: /usr/bin/python3.11 -u pretrain_gpt.py
//   Thread 61543 (idle): "MainThread"
//       wait (threading.py:331)
import type { OutputReader, Refusal, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, shortRows } from "./output-text.ts";
import { type Dump, dumpLines, dumpsOf, isHelper, mainThread } from "./py-spy-dumps.ts";
import { type Frame, type Place, placeOf } from "./py-spy-places.ts";
import { count, createFacts, type FactsBuilder, said, some, someZh } from "./said.ts";

/** What a place is called in a sentence: of one rank, and of several. */
const SAID: Record<Place, { one: string; many: string; zh: string }> = {
  collective: { one: "waits in a collective", many: "wait in a collective", zh: "在等集合通信" },
  "cuda-sync": { one: "waits for its GPU", many: "wait for their GPUs", zh: "在等自己的 GPU 同步" },
  checkpoint: {
    one: "is in a checkpoint save or load",
    many: "are in a checkpoint save or load",
    zh: "在读写 checkpoint",
  },
  dataloader: { one: "is in the dataloader", many: "are in the dataloader", zh: "停在 dataloader" },
  tokenizer: { one: "is in the tokenizer", many: "are in the tokenizer", zh: "停在 tokenizer" },
  compile: { one: "is compiling", many: "are compiling", zh: "在编译" },
  gc: { one: "is in garbage collection", many: "are in garbage collection", zh: "在做垃圾回收（gc）" },
  optimizer: { one: "is in the optimizer", many: "are in the optimizer", zh: "在 optimizer 里" },
  forward: { one: "is in the forward pass", many: "are in the forward pass", zh: "在前向计算" },
  storage: { one: "reads or writes storage", many: "read or write storage", zh: "在读写存储" },
  idle: { one: "is idle", many: "are idle", zh: "处于空闲" },
  unknown: {
    one: "is in code that tells no place",
    many: "are in code that tells no place",
    zh: "停在无法归类的代码里",
  },
};
/** Where ranks wait for others. */
const WAITING: readonly Place[] = ["collective", "cuda-sync"];
/** From so many dumps on there is a majority. */
const MAJORITY_FROM = 3;

const FAILURES: readonly { pattern: RegExp; refusal: Refusal; sure: boolean; en: string; zh: string }[] = [
  {
    pattern: /^Permission Denied(?:: Try running again with elevated permissions.*)?$|SYS_PTRACE capability/,
    refusal: "permission",
    sure: true,
    en: "Permission denied: py-spy may not look into the process; it takes root or SYS_PTRACE",
    zh: "没有权限：py-spy 无法查看该进程，需要 root 或 SYS_PTRACE",
  },
  {
    pattern:
      /^(?:Error: )?(?:Failed to (?:suspend process|lock process)|(?:Operation not permitted|Permission denied) \(os error \d+\))/,
    refusal: "permission",
    sure: false,
    en: "Permission denied: py-spy may not look into the process; it takes root or SYS_PTRACE",
    zh: "没有权限：py-spy 无法查看该进程，需要 root 或 SYS_PTRACE",
  },
  {
    pattern:
      /^(?:Error: )?Failed to (?:find python version from target process|open process - check if it is running|get process executable)/,
    refusal: "no-device",
    sure: true,
    en: "There is no Python process with this pid",
    zh: "没有这个 pid 对应的 Python 进程",
  },
  {
    pattern: /^(?:Error: |Reason: |Caused by: )?No such process(?: \(os error 3\))?$/,
    refusal: "no-device",
    sure: false,
    en: "There is no process with this pid",
    zh: "没有这个 pid 对应的进程",
  },
  {
    pattern: /^(?:USAGE:|Usage:)?\s*py-spy(?: dump)? (?:\[OPTIONS\]|<SUBCOMMAND>|--pid <)/,
    refusal: "usage",
    sure: true,
    en: "py-spy printed its usage",
    zh: "只打印了 py-spy 的用法",
  },
];

export const pySpy: OutputReader = {
  id: "py-spy",
  command: "py-spy dump --pid PID",
  owns: (line) => /(?:^|[\s/])py-spy\b/.test(line),
  knows: (text) => {
    const lines = dumpLines(shortRows(text));
    return lines.length > 0 ? lines : failuresOf(text).map(({ line }) => line);
  },
  read: (text) => read(shortRows(text)),
};

function failuresOf({ lines }: OutputText) {
  const asked = lines.some(({ command, text }) => command && pySpy.owns(text));
  const found = lines.flatMap(({ line, text, rank }) => {
    const failure = FAILURES.find(({ pattern }) => pattern.test(text.trim()));
    return failure ? [{ line, rank, ...failure }] : [];
  });
  return asked || found.some(({ sure }) => sure) ? found : [];
}

/** A dump with where its main thread stands. */
interface Stood {
  dump: Dump;
  place: Place;
  /** The frame that tells the place, and the innermost Python frame. */
  told: Frame | null;
  top: Frame | null;
}

function read(text: OutputText): ToolReading {
  const all = dumpsOf(text);
  const failures = failuresOf(text);
  if (all.length === 0) return refuse(failures);
  const ranks = all.filter((dump) => !isHelper(dump));
  const dumps = ranks.length > 0 ? ranks : all;
  const headless = dumps.filter((dump) => mainThread(dump) === null);
  const stood = dumps.filter((dump) => !headless.includes(dump)).map(standOf);
  const majority = stood.length >= MAJORITY_FROM ? majorityOf(stood) : null;
  const odd = majority ? stood.filter(({ place }) => place !== majority) : oddOfTwo(stood);
  const facts = createFacts();
  facts.add(
    "dumps",
    dumps.length,
    dumps.map(({ line }) => line),
  );
  const [one] = odd.length > 0 ? odd : stood;
  if (one) addPlaces(facts, { stood, odd, one, majority });
  if (!facts.facts.host) facts.addHost(text);
  const finding = sayPlaces(stood, odd, majority);
  // A failure and its reason stand on several lines: the first of each process counts.
  const failed = failures.filter(({ line }, at) => line - (failures[at - 1]?.line ?? -9) > 4);
  const problems = [
    ...failed.map(({ line, en }) => ({ line, say: `not read: ${en}` })),
    ...headless.map(({ line }) => ({ line, say: "the main thread was not pasted; paste the whole dump" })),
  ];
  if (problems.length === 0) return { status: "read", finding, facts: facts.facts };
  const [gone] = failed;
  const ends = gone
    ? {
        en: `${gone.rank === null ? count(failed.length, "process", "processes") : `Rank ${gone.rank}`} not read: ${gone.en}.`,
        zh: `${gone.rank === null ? `${failed.length} 个进程` : `${gone.rank} 号 rank `}没有读到：${gone.zh}。`,
      }
    : {
        en: `The main thread of ${count(headless.length, "process", "processes")} was not pasted.`,
        zh: `有 ${headless.length} 个进程的主线程没有粘贴。`,
      };
  return {
    status: "partial",
    finding: said(`${finding.en} ${ends.en}`, `${finding.zh}${ends.zh}`),
    facts: facts.facts,
    problems,
  };
}

function refuse([failure]: ReturnType<typeof failuresOf>): ToolReading {
  const { line, refusal, en, zh } = failure ?? {
    line: 1,
    refusal: "empty" as const,
    en: "No stack was read",
    zh: "没有读到任何栈",
  };
  return {
    status: "refused",
    refusal,
    finding: said(`${en}. Run: ${pySpy.command}`, `${zh}。请运行：${pySpy.command}`),
    line,
  };
}

function standOf(dump: Dump): Stood {
  const thread = mainThread(dump);
  const frames = thread?.frames ?? [];
  const { place, frame } = placeOf(frames, thread?.idle ?? false);
  const top = frames.find(({ number, file }) => number !== null && /\.py$|^<.{1,60}>$/.test(file)) ?? null;
  return { dump, place, told: frame, top };
}

/** The most frequent place; of two as frequent, the one where ranks wait for others. */
function majorityOf(stood: readonly Stood[]): Place | null {
  const counts = new Map<Place, number>();
  for (const { place } of stood) counts.set(place, (counts.get(place) ?? 0) + 1);
  const [most] = [...counts].sort(
    ([a, m], [b, n]) => n - m || Number(WAITING.includes(b)) - Number(WAITING.includes(a)),
  );
  return most?.[0] ?? null;
}

/** Of two, the one that does not wait while the other does. */
function oddOfTwo(stood: readonly Stood[]): Stood[] {
  const busy = stood.filter(({ place }) => !WAITING.includes(place));
  return stood.length === 2 && busy.length === 1 ? busy : [];
}

function addPlaces(
  facts: FactsBuilder,
  { stood, odd, one, majority }: { stood: Stood[]; odd: Stood[]; one: Stood; majority: Place | null },
): void {
  const lines = odd.map(({ dump }) => dump.line);
  facts.add("stuck_in", one.place, [one.told?.line ?? one.dump.line]);
  if (majority) {
    facts.add(
      "majority_in",
      majority,
      stood.filter(({ place }) => place === majority).map(({ dump }) => dump.line),
    );
    const known = <T>(values: (T | null)[]): T[] | null =>
      values.some((value) => value === null) ? null : values.filter((value) => value !== null);
    facts.add(
      "odd_ranks",
      known(odd.map(({ dump }) => dump.rank))?.sort((a, b) => a - b),
      lines.length > 0 ? lines : [one.dump.line],
    );
    facts.add(
      "odd_pids",
      known(odd.map(({ dump }) => dump.pid))?.sort((a, b) => a - b),
      lines.length > 0 ? lines : [one.dump.line],
    );
  }
  if (odd.length === 1 || stood.length === 1) {
    facts.add("rank", one.dump.rank, [one.dump.line]);
    facts.add("pid", one.dump.pid, [one.dump.line]);
    facts.add("host", one.dump.host, [one.dump.line]);
  }
  if (one.top) facts.add("top_frame", `${one.top.name} (${one.top.file}:${one.top.number})`, [one.top.line]);
}

function sayPlaces(stood: readonly Stood[], odd: readonly Stood[], majority: Place | null): Said {
  const [one] = odd.length > 0 ? odd : stood;
  if (!one) return said("No main thread was read.", "没有读到主线程。");
  const frame = one.told ?? one.top;
  const at = frame
    ? ` (${frame.name}, ${frame.file.split("/").at(-1)}${frame.number === null ? "" : `:${frame.number}`})`
    : "";
  const atZh = at.replace(" (", "（").replace(/\)$/, "）").replace(", ", "，");
  const others = stood.length - odd.length;
  const rest = majority ?? stood.find((other) => !odd.includes(other))?.place;
  if (odd.length === 0) {
    const name =
      stood.length === 1 ? nameOf(one) : { en: `All ${stood.length} dumps`, zh: `${stood.length} 份 dump 全部` };
    if (stood.length === 2 && stood[0]?.place !== stood[1]?.place) {
      return said(
        stood
          .map((two) => `${nameOf(two).en} ${SAID[two.place].one}`)
          .join("; ")
          .concat("."),
        stood
          .map((two) => `${nameOf(two).zh}${SAID[two.place].zh}`)
          .join("；")
          .concat("。"),
      );
    }
    const none = stood.length === 1 ? ["", ""] : ["; none is odd", "；没有异常的一份"];
    return said(
      `${name.en} ${SAID[one.place][stood.length === 1 ? "one" : "many"]}${at}${none[0]}.`,
      `${name.zh}${SAID[one.place].zh}${atZh}${none[1]}。`,
    );
  }
  const names = odd.map(nameOf);
  const who =
    odd.length === 1 ? names[0] : { en: some(names.map(({ en }) => en)), zh: someZh(names.map(({ zh }) => zh.trim())) };
  const restEn = rest ? `; the other ${others} ${SAID[rest][others === 1 ? "one" : "many"]}` : "";
  const restZh = rest ? `；其余 ${others} 个${SAID[rest].zh}` : "";
  const same = odd.every(({ place }) => place === one.place);
  const does = same ? SAID[one.place][odd.length === 1 ? "one" : "many"] : `differ; the first ${SAID[one.place].one}`;
  return said(
    `${who?.en} ${does}${at}${restEn}.`,
    `${who?.zh}${same ? "" : "各不相同，第一个"}${SAID[one.place].zh}${atZh}${restZh}。`,
  );
}

function nameOf({ dump: { rank, pid, host } }: Stood): Said {
  if (rank !== null) return { en: `Rank ${rank}`, zh: `${rank} 号 rank ` };
  const on = host === null ? "" : ` on ${host}`;
  return pid === null
    ? { en: `The process${on}`, zh: "该进程" }
    : { en: `pid ${pid}${on}`, zh: `${host === null ? "" : `${host} 上`} pid ${pid} `.trimStart() };
}
