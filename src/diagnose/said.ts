// Facts from a person's own words, where no machine line gives them: steps, losses, layouts, what nvidia-smi shows.
import type { FactValue } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import type { Found } from "./facts-of.ts";
import { type Line, parseLine } from "./lines.ts";
import type { Sample } from "./reader.ts";
import type { Rules } from "./rules.ts";
import { readWords } from "./words.ts";

interface Phrase {
  name: string;
  pattern: RegExp;
  /** Said only of these. */
  labels?: readonly Label[];
  type?: "numbers" | "text";
}

const N = "(\\d{1,9}(?:\\.\\d{1,10})?)";
const LOSS: readonly Label[] = ["loss-spike", "checkpoint-mismatch"];

/** Tried in this order; the first that fits gives the fact. */
const PHRASES: Phrase[] = [
  { name: "step", pattern: /(\d{1,9})\s?(?:步|step)\s?(?:就|开始|必|时|挂|崩|爆|卡|报错)/ },
  { name: "step", pattern: /第\s?(\d{1,9})\s?(?:步|个?\s?(?:step|iter))/i },
  { name: "resume_step", pattern: /从(?:第)?\s?(\d{1,9})\s?(?:步|step)\s?(?:续训|恢复|接着|继续|resume)/i },
  {
    name: "resume_step",
    pattern: /\bresum(?:ed|ing)? (?:the run )?(?:from|at) (?:step|iteration|checkpoint)[ -]?(\d{1,9})\b/i,
  },
  { name: "step", pattern: /\b(?:step|iter(?:ation)?)\s?(\d{1,9})\s?(?:之后|以后|左右|附近|开始|处|时)/i },
  { name: "step", pattern: /(?:跑到|训到|训练到|到|在)\s?(\d{1,9})\s?(?:步|step|iter)/i },
  {
    name: "step",
    pattern:
      /\b(?:stuck|hangs?|hung|freezes?|fro(?:ze|zen)|stops?|stopped|crash(?:es|ed)?|dies|died|fail(?:s|ed)?|blew up|blows up|explode[sd]?|spiked?|nan|diverge[sd]?|jump(?:s|ed)?)\b[^.\n]{0,60}?\b(?:at|around|after|on|by)\s(?:about\s)?(?:global\s)?(?:step|iteration|iter)\s?#?(\d{1,9})\b/i,
  },
  { name: "step", pattern: /\b(?:at|around|since|on|by) (?:global )?(?:step|iteration|iter) #?(\d{1,9})\b/i },
  {
    name: "loss_before",
    labels: LOSS,
    pattern: new RegExp(
      `\\bloss\\b[^.\\n]{0,30}?\\b(?:from|was|went from|sat at|stays? at|around) (?:about |around |a steady )?${N}`,
      "i",
    ),
  },
  {
    name: "loss_before",
    labels: LOSS,
    pattern: new RegExp(
      `loss\\s?(?:突然|一下子?|直接)?\\s?(?:还是|原来|之前|本来|一直|稳定在|从)\\s?(?:是)?\\s?${N}`,
      "i",
    ),
  },
  {
    name: "loss_peak",
    labels: ["loss-spike"],
    pattern: new RegExp(`\\bloss\\b[^.\\n]{0,30}?\\b(?:from|was) [\\d.]{1,12}[^.\\n]{0,20}? (?:to|up to|->) ${N}`, "i"),
  },
  { name: "loss_peak", labels: ["loss-spike"], pattern: new RegExp(`(?:飙到|涨到|跳到|冲到|升到)(?:了)?\\s?${N}`) },
  { name: "world_size", pattern: /\bon (?:all )?(\d{1,6}) (?:x )?(?:gpus|ranks|h100s?|a100s?|h200s?|b200s?)\b/i },
  { name: "util_pct", type: "numbers", pattern: /\b(\d{1,3})\s?% (?:gpu )?util/i },
  { name: "power_w", type: "numbers", pattern: /\b(\d{2,4})\s?W\b/ },
  {
    name: "host",
    type: "text",
    pattern:
      /\b(?:(?:of|on|node|host) (?=(?:node|gpu|host|worker|dgx|cn|h100|a100)-?[a-z]?-?\d)|(?:node|host|machine) (?=[a-z]{2,16}-?\d{2,6}\b))([a-z0-9][\w-]{1,30})\b/i,
  },
];

const AXES = ["tp", "pp", "ep", "dp", "cp"] as const;

/** Lines that are looked through for the one that says it. */
const MOST_SAID = 60;

/** The first line of a person's that reads like a report of this fault, else the first that speaks of it, else the first. */
export function lineThatSays(sample: Sample, prose: ReadonlySet<string>, label: Label, rules: Rules): Line | undefined {
  let speaks: Line | undefined;
  let first: Line | undefined;
  for (const one of sample.lines.filter(({ source, line }) => prose.has(`${source}:${line}`)).slice(0, MOST_SAID)) {
    const line = parseLine(one.source, one.line, one.text.slice(0, 4_000));
    first ??= line;
    const words = readWords(line.text, rules);
    if (words?.label !== label) continue;
    if (words.report >= 0.5) return line;
    speaks ??= line;
  }
  return speaks ?? first;
}

/** `prose` holds the lines that a person wrote, as "source:line". */
export function putSaid(found: Found, sample: Sample, prose: ReadonlySet<string>, label: Label): void {
  const axes = new Map<string, { value: number; line: ReturnType<typeof parseLine> }[]>();
  for (const one of sample.lines) {
    if (!prose.has(`${one.source}:${one.line}`)) continue;
    const line = parseLine(one.source, one.line, one.text.slice(0, 4_000));
    for (const { name, pattern, labels, type } of PHRASES) {
      if (labels && !labels.includes(label)) continue;
      const printed = pattern.exec(line.text)?.[1];
      if (printed === undefined || found.facts[name]) continue;
      const value: FactValue = type === "text" ? printed : type === "numbers" ? [Number(printed)] : Number(printed);
      found.put(name, value, line);
    }
    for (const axis of AXES) {
      const list = axes.get(axis) ?? [];
      for (const match of line.text.matchAll(new RegExp(`\\b${axis}\\s?[=:]?\\s?(\\d{1,4})\\b`, "gi")))
        list.push({ value: Number(match[1]), line });
      axes.set(axis, list);
    }
  }
  if (label !== "checkpoint-mismatch") return;
  // "saved with pp=4 ep=1, now pp=1 ep=4": told in the order of time.
  for (const [axis, [saved, now]] of axes) {
    if (!saved || !now) continue;
    found.put(`saved_${axis}`, saved.value, saved.line);
    found.put(axis, now.value, now.line);
  }
}
