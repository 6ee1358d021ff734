// python -m torch.cuda._memory_viz stats: a memory snapshot summed up; how much of what is reserved is gaps.
//   total_reserved: 76.4GiB
//   total_free: 15.2GiB (0.4% internal)
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, digits, gib, said } from "./said.ts";

const COMMAND = "python -m torch.cuda._memory_viz stats snap.pickle";
const SUMMARY = /^Summary of segments >= \S+ in size$/;
const SEGMENT = /^\[[a-z0-9* ]{0,20000}\] \S{1,20}B allocated, /;
const TOTAL =
  /^(segments|total_reserved|total_allocated|total_free): (\S{1,20})(?: \((\d{1,3}(?:\.\d{1,4})?)% internal\))?$/;
/** A pickle begins so when it is printed as text; the page that shows a snapshot is HTML. */
const PICKLE = /^(?:\ufffd|\u20ac)[\u0000-\u0005\u2400-\u2405]?\ufffd|segments.{0,20}device_traces/;
const HTML = /^<!DOCTYPE html>|^<html/i;

export const memorySnapshot: OutputReader = {
  id: "memory-snapshot",
  command: COMMAND,
  owns: (line) => /_memory_viz\b/.test(line),
  knows: (text) => {
    const lines = text.lines.filter(
      ({ text: row, command }) => !command && (SUMMARY.test(row) || SEGMENT.test(row) || TOTAL.test(row)),
    );
    const sure = lines.some(({ text: row }) => SUMMARY.test(row) || /^total_/.test(row) || SEGMENT.test(row));
    if (sure) return lines.map(({ line }) => line);
    const bytes = viewed(text);
    return bytes === null ? [] : [bytes];
  },
  read,
};

/** The line where the snapshot itself was pasted, or the page that shows it, in place of what `stats` prints. */
function viewed({ lines }: OutputText): number | null {
  const [first] = lines.filter(({ text }) => text.trim() !== "");
  if (!first) return null;
  if (PICKLE.test(first.text)) return first.line;
  return HTML.test(first.text) && lines.some(({ text }) => /MemoryViz|memory_viz/.test(text)) ? first.line : null;
}

function read(text: OutputText): ToolReading {
  const bytes = viewed(text);
  if (bytes !== null) {
    return {
      status: "refused",
      refusal: "wrong-tool",
      finding: said(
        `This is the snapshot itself, not its summary. Run: ${COMMAND}`,
        `这是快照文件本身，不是它的汇总。请运行：${COMMAND}`,
      ),
      line: bytes,
    };
  }
  const totals = new Map<string, { value: number; line: number }>();
  const facts = createFacts();
  for (const { line, text: row } of text.lines) {
    const [, name = "", printed = "", internal] = TOTAL.exec(row) ?? [];
    const value = name === "segments" ? Number(printed) : gib(printed);
    if (name !== "" && value !== null) totals.set(name, { value, line });
    if (internal !== undefined) facts.add("free_internal_pct", Number(internal), [line]);
  }
  const take = (fact: string, name: string): number | null => {
    const total = totals.get(name);
    facts.add(fact, total?.value, total ? [total.line] : []);
    return total?.value ?? null;
  };
  take("segments", "segments");
  const reserved = take("reserved_gib", "total_reserved");
  take("allocated_gib", "total_allocated");
  const free = take("reserved_unalloc_gib", "total_free");
  if (reserved === null || free === null) {
    return {
      status: "partial",
      finding: said("Segments are listed, but the totals below them are missing.", "列出了各段，但缺少下面的总计。"),
      facts: facts.facts,
      problems: [{ line: text.lines.length, say: "cut before the totals; paste up to total_free" }],
    };
  }
  const internal = facts.facts.free_internal_pct?.value;
  const gaps =
    internal === undefined
      ? { en: "", zh: "" }
      : { en: ` as gaps between blocks (${internal} % internal)`, zh: `，${internal}% 是块内取整，其余是块间空隙` };
  return {
    status: "read",
    finding: said(
      `${digits(free)} of ${digits(reserved)} GiB reserved are free${gaps.en}.`,
      `保留的 ${digits(reserved)} GiB 中有 ${digits(free)} GiB 空闲${gaps.zh}。`,
    ),
    facts: facts.facts,
  };
}
