// torchfrtrace (fr_trace.py): the first collective on which the ranks' flight recorder dumps do not agree.
//   Not all ranks joining collective, sequence number: 90217
//   group info: 58:mesh_dp_shard
//   missing ranks: {27}
// PyTorch 2.4 prints it on one line, 2.5 with "at entry", 2.6 and newer as above.
import { type Entry, entriesOf, knownLines, MISSED, ranksOf } from "./flight-recorder-entries.ts";
import type { OutputReader, Refusal, Said, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, type FactsBuilder, said, some, someZh } from "./said.ts";

const REFUSALS: readonly { pattern: RegExp; refusal: Refusal; en: string; zh: string }[] = [
  {
    pattern: /^(?:Rank \d{1,6}\s{2,}|-{4,}\s{2}-{4,}|\w{1,60}\((?:s=\d+ d=\d+, )?input_sizes=\[)/,
    refusal: "needs-flag",
    en: "This is the raw trace of -j, without a verdict",
    zh: "这是 -j 打印的原始记录，没有结论",
  },
  {
    pattern: /No module named '?torch\.distributed\.flight_recorder/,
    refusal: "old-version",
    en: "This PyTorch has no torch.distributed.flight_recorder",
    zh: "这个 PyTorch 版本没有 torch.distributed.flight_recorder",
  },
  {
    pattern: /^(?:AssertionError: )?no files loaded from /i,
    refusal: "empty",
    en: "No dump was found under this folder and prefix",
    zh: "该目录和前缀下没有任何 dump 文件",
  },
  {
    pattern: /^usage: (?:torchfrtrace|fr_trace(?:\.py)?)\b/,
    refusal: "usage",
    en: "The tool printed its usage",
    zh: "只打印了用法",
  },
];

export const flightRecorder: OutputReader = {
  id: "flight-recorder",
  command: "torchfrtrace DIR -p PREFIX --allow-incomplete-ranks",
  owns: (line) => /(?:^|[\s/.])(?:torchfrtrace|fr_trace(?:\.py)?)\b/.test(line),
  knows: (text) => {
    const lines = knownLines(text);
    return lines.length > 0 ? lines : refusalsOf(text).map(({ line }) => line);
  },
  read,
};

function refusalsOf({ lines }: OutputText) {
  const table = lines.some(({ text }) => /^Rank \d{1,6}(?:\s{2,}Rank \d{1,6}|$)/.test(text.trim()));
  return lines.flatMap(({ line, text }) => {
    const found = REFUSALS.find(({ pattern }) => pattern.test(text.trim()));
    // The rows of the raw trace are nothing without its header.
    return found && (found.refusal !== "needs-flag" || table) ? [{ line, ...found }] : [];
  });
}

function read(text: OutputText): ToolReading {
  const entries = entriesOf(text);
  const missed = text.lines.flatMap(({ line, text: row }) => {
    const found = MISSED.exec(row)?.groups;
    return found ? [{ line, ranks: ranksOf(found.ranks ?? found.all ?? "") }] : [];
  });
  // What was decided first counts; that dumps are missing, or that nothing was found, only where nothing was.
  const first = entries.find(({ verdict }) => verdict !== "none" && verdict !== "undecided");
  const entry = first ?? entries.find(({ verdict }) => verdict === "undecided") ?? entries[0];
  if (!entry) return refuse(text);
  const facts = createFacts();
  facts.add("fr_verdict", entry.verdict, [entry.line]);
  addEntry(facts, entry);
  const missing = [...new Set(missed.flatMap(({ ranks }) => ranks))].sort((a, b) => a - b);
  const finding = sayEntry(entry, missing);
  if (missing.length === 0) {
    if (entry.verdict === "undecided")
      return partial(entry, finding, facts, "which dumps are missing was not pasted; paste the whole output");
    if (entry.cut) return partial(entry, finding, facts, entry.cut);
    return { status: "read", finding: said(finding.en, finding.zh), facts: facts.facts };
  }
  facts.add(
    "missing_dumps",
    missing,
    missed.map(({ line }) => line),
  );
  const dumps = {
    en: entry.verdict === "undecided" ? "" : ` Dumps of rank ${some(missing)} are missing.`,
    zh: entry.verdict === "undecided" ? "" : `缺少 ${someZh(missing)} 号 rank 的 dump。`,
  };
  return partial(
    entry,
    { en: finding.en + dumps.en, zh: finding.zh + dumps.zh },
    facts,
    `dumps of rank ${some(missing, 10)} are missing; add them to the folder and run the tool again`,
  );
}

function partial(entry: Entry, finding: Said, { facts }: FactsBuilder, say: string): ToolReading {
  return { status: "partial", finding: said(finding.en, finding.zh), facts, problems: [{ line: entry.line, say }] };
}

function refuse(text: OutputText): ToolReading {
  const why = refusalsOf(text)[0] ?? { line: 1, refusal: "empty" as const, en: "Nothing was read", zh: "没有读到内容" };
  return {
    status: "refused",
    refusal: why.refusal,
    finding: said(
      `${why.en}. Run${why.refusal === "needs-flag" ? " without -j" : ""}: ${flightRecorder.command}`,
      `${why.zh}。请${why.refusal === "needs-flag" ? "去掉 -j " : ""}运行：${flightRecorder.command}`,
    ),
    line: why.line,
  };
}

function addEntry(facts: FactsBuilder, entry: Entry): void {
  const at = (key: keyof Entry["lines"]): number[] => [entry.lines[key] ?? entry.line];
  facts.add("seq", entry.seq, [entry.line]);
  facts.add("collective", entry.collective, at("collective"));
  facts.add("process_group", entry.group, at("group"));
  facts.add("pg_guid", entry.guid, at("group"));
  facts.add("group_size", entry.size, at("size"));
  facts.add("top_frame", entry.frame, at("frame"));
  if (entry.verdict === "missing") facts.add("missing_ranks", entry.missing, at("missing"));
  if (entry.culprits.length > 0)
    facts.add(
      "culprit_ranks",
      entry.culprits.map(({ rank }) => rank),
      at("culprits"),
    );
  facts.add("mismatch_kind", entry.culprits[0]?.kind, at("culprits"));
  const suspects = suspectsOf(entry);
  if (suspects.length > 0)
    facts.add("suspect_ranks", suspects, entry.verdict === "missing" ? at("missing") : at("culprits"));
}

/** The tool compares with the first rank and calls all that differ culprits: the smaller side is the odd one. */
function suspectsOf(entry: Entry): number[] {
  if (entry.verdict === "missing") return entry.missing;
  const culprits = entry.culprits.map(({ rank }) => rank);
  const size = entry.size ?? entry.expected.length;
  if (culprits.length === 0 || size === 0 || 2 * culprits.length === size) return [];
  if (2 * culprits.length < size) return culprits;
  return entry.expected.filter((rank) => !culprits.includes(rank));
}

function sayEntry(entry: Entry, missed: readonly number[]): Said {
  const seq = entry.seq === null ? "" : ` number ${entry.seq}`;
  const name = entry.collective ?? "the collective";
  const group = entry.group ?? entry.guid;
  const size = entry.size ?? (entry.expected.length || null);
  const of = `${group === null ? "" : ` of ${group}`}${size === null ? "" : ` (${size} ranks)`}`;
  const ofZh = `${group === null ? "" : `${group} 的`}${entry.seq === null ? "" : `第 ${entry.seq} 个`}${entry.seq === null && group === null ? "" : " "}${entry.collective ?? "集合通信"}${size === null ? "" : `（${size} 个 rank）`}`;
  const suspects = suspectsOf(entry);
  const who = `Rank${suspects.length === 1 ? "" : "s"} ${some(suspects)}`;
  const [culprit] = entry.culprits;
  switch (entry.verdict) {
    case "missing":
      return {
        en: `${entry.missing.length > 0 ? who : "Some ranks"} never joined ${name}${seq}${of}.`,
        zh: `${entry.missing.length > 0 ? `${someZh(suspects)} 号 rank ` : "部分 rank "}没有参加 ${ofZh}。`,
      };
    case "mismatch": {
      const kind = culprit ? ` [${culprit.kind}]` : "";
      const found = entry.against ? `: ${entry.against.expected} against ${entry.against.found}` : "";
      const foundZh = entry.against ? `：${entry.against.expected} 对 ${entry.against.found}` : "";
      if (suspects.length === 0)
        return {
          en: `The ranks differ in collective${seq}, ${name}${of}${kind}${found}; which side is wrong is not told.`,
          zh: `各 rank 在 ${ofZh} 上不一致${kind}${foundZh}；分不出是哪一方的问题。`,
        };
      return {
        en: `${who} alone differ${suspects.length === 1 ? "s" : ""} from the other ${(size ?? 0) - suspects.length} in ${name}${seq}${of}${kind}${found}.`,
        zh: `在 ${ofZh} 上只有 ${someZh(suspects)} 号 rank 与其余 ${(size ?? 0) - suspects.length} 个不一致${kind}${foundZh}。`,
      };
    }
    case "sizes":
      return {
        en: `Input and output sizes do not add up in ${name}${seq}${of}${entry.numel ? `: ${entry.numel.in} in, ${entry.numel.out} out` : ""}.`,
        zh: `${ofZh} 的输入与输出大小对不上${entry.numel ? `：输入 ${entry.numel.in}，输出 ${entry.numel.out}` : ""}。`,
      };
    case "undecided":
      return {
        en: `Nothing can be decided: dumps of rank ${missed.length > 0 ? some(missed) : "some ranks"} are missing.`,
        zh: `无法判断：缺少 ${missed.length > 0 ? `${someZh(missed)} 号` : "部分"} rank 的 dump。`,
      };
    case "none":
      return {
        en: "No fault found: all ranks that dumped agree on every collective of their traces.",
        zh: "未发现异常：所有 dump 中各 rank 的集合通信都一致。",
      };
  }
}
