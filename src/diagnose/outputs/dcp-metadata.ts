// What a distributed checkpoint's .metadata says: a structure check, Megatron's inspector, or the metadata object itself.
//   4213 keys; [('truncated', '__3_0.distcp', 'optimizer.state.exp_avg.decoder.weight'), ('missing file', '__9_1.distcp')]
//   Total Tensors: 812 | Total Elements: 30.53B
//   Metadata(state_dict_metadata={'model.w': TensorStorageMetadata(properties=.., size=torch.Size([8, 4]), chunks=[..])})
import type { OutputReader, ReadProblem, Said, ToolReading } from "./output-reader.ts";
import type { OutputLine, OutputText } from "./output-text.ts";
import { count, createFacts, digits, said, some, someZh } from "./said.ts";

const VERIFIED = /^(?<keys>\d{1,9}) keys; (?<rest>OK$|\[.*)/;
const BAD = /\('(?<kind>truncated|missing file|not covered)', '(?<name>[^']{1,400})'(?:, '(?<key>[^']{1,400})')?\)/g;
/** A list of faults goes on over no more lines. */
const LIST_LINES = 200;
const TOTALS = /Total Tensors: (?<tensors>\d{1,9})(?: \| Total Elements: (?<elements>[\d.]{1,20})(?<unit>[KMBT])?)?/;
const KEY_ROW =
  /^\s*[►▶•*>-]\s+(?<key>\S{1,400}) \[(?:torch\.\w{1,20}, shape=\((?<shape>[\d, ]*)\)|BYTES|UNKNOWN TYPE)\]/u;
const METADATA = /\bMetadata\(\s*state_dict_metadata=/;
const STORED = /'(?<key>[^'\n]{1,400})':\s*(?<kind>Tensor|Bytes)StorageMetadata\(/g;
const OPTIMIZER = /optimizer|exp_avg|optim/;
const NO_METADATA =
  /(?:FileNotFoundError|CheckpointException|AssertionError|metadata is None).{0,200}\.metadata'?|^FileNotFoundError: \[Errno 2\] No such file or directory: '.{0,400}\.metadata'$/;
/** A traceback that begins in one of the commands whose output is read here, not in a training run. */
const OWN_FRAME =
  /File "(?:<stdin>|<string>|[^"]{0,300}(?:verify_dcp|checkpoint_inspector)\.py|<ipython-input[^"]{0,60})"/;
const OWN_COMMAND = /verify_dcp|checkpoint_inspector|read_metadata/;
const USAGE =
  /^(?:Usage: (?:\S*checkpoint_inspector\S*|cli) |Error: Missing argument 'CHECKPOINT_DIR'|Error: Invalid value for 'CHECKPOINT_DIR')/;

export const dcpMetadata: OutputReader = {
  id: "dcp-metadata",
  command: "python verify_dcp.py DIR",
  owns: (line) => OWN_COMMAND.test(line),
  knows,
  read,
};

function knows(text: OutputText): number[] {
  const checked = verificationsOf(text).flatMap(({ lines }) => lines);
  const inspected = text.lines.filter(({ text: row }) => TOTALS.test(row) || KEY_ROW.test(row) || USAGE.test(row));
  const printed = metadataOf(text)?.lines ?? [];
  const known = [...checked, ...inspected.map(({ line }) => line), ...printed];
  return known.length > 0 ? known : noMetadata(text).map(({ line }) => line);
}

function read(text: OutputText): ToolReading {
  const [lost] = noMetadata(text);
  const usage = text.lines.find(({ text: row }) => USAGE.test(row));
  const checks = verificationsOf(text);
  const check = checks.find(({ bad }) => bad.length > 0) ?? checks.at(-1);
  if (check) return readCheck(text, check);
  if (text.lines.some(({ text: row }) => TOTALS.test(row) || KEY_ROW.test(row))) return readInspector(text);
  const printed = metadataOf(text);
  if (printed) return readMetadata(text, printed);
  if (lost) {
    const finding = said(
      "There is no .metadata in the folder, so the save did not finish. Run: python verify_dcp.py DIR on an earlier step",
      "目录里没有 .metadata，保存未完成。请对更早的一步运行：python verify_dcp.py DIR",
    );
    return { status: "refused", refusal: "empty", finding, line: lost.line };
  }
  const finding = said(
    "The command was called wrongly and read nothing. Run: python tools/checkpoint/checkpoint_inspector.py inspect DIR",
    "命令用法不对，没有读到任何内容。请运行：python tools/checkpoint/checkpoint_inspector.py inspect DIR",
  );
  return { status: "refused", refusal: "usage", finding, line: usage?.line ?? 1 };
}

interface Check {
  keys: number;
  bad: { kind: string; file: string; key: string }[];
  whole: boolean;
  lines: number[];
}

/** The list of faults may be wrapped at the terminal's width, or cut. */
function verificationsOf({ lines }: OutputText): Check[] {
  return lines.flatMap(({ text, line, command }, at) => {
    const found = command ? undefined : VERIFIED.exec(text.trim())?.groups;
    if (!found) return [];
    const { rest = "" } = found;
    const keys = Number(found.keys);
    if (rest === "OK") return [{ keys, bad: [], whole: true, lines: [line] }];
    const wrapped = rest.endsWith("]") ? [] : wrappedLines(lines.slice(at + 1, at + 1 + LIST_LINES));
    const list = rest + wrapped.map((one) => one.text).join("");
    const bad = Array.from(list.matchAll(BAD), ({ groups }) => ({
      kind: groups?.kind ?? "",
      file: groups?.name ?? "",
      key: groups?.key ?? groups?.name ?? "",
    }));
    return [{ keys, bad, whole: list.endsWith("]"), lines: [line, ...wrapped.map((one) => one.line)] }];
  });
}

/** Up to the line that closes the list; where none does, up to a blank one. */
function wrappedLines(below: readonly OutputLine[]): readonly OutputLine[] {
  const stop = below.findIndex((one) => one.command || one.text.trim() === "" || VERIFIED.test(one.text.trim()));
  const block = stop < 0 ? below : below.slice(0, stop);
  const end = block.findIndex((one) => one.text.trimEnd().endsWith("]"));
  return end < 0 ? block : block.slice(0, end + 1);
}

function readCheck(text: OutputText, { keys, bad, whole, lines }: Check): ToolReading {
  const facts = createFacts();
  facts.addHost(text);
  const named = (kind: string): string[] => [
    ...new Set(bad.filter((one) => one.kind === kind).map(({ file }) => file)),
  ];
  const [missing, truncated, uncovered] = [named("missing file"), named("truncated"), named("not covered")];
  facts.add("keys_n", keys, lines);
  facts.add("ckpt_ok", bad.length === 0 && whole, lines);
  facts.add("missing_files", missing, lines);
  facts.add("truncated_files", truncated, lines);
  facts.add("uncovered_keys", uncovered, lines);
  if (bad.some(({ kind, key }) => kind !== "missing file" && OPTIMIZER.test(key)))
    facts.add("optimizer_present", true, lines);
  if (bad.length === 0 && whole) {
    const finding = said(
      `All ${count(keys, "key")} have their files at full length and cover their tensors; the content was not checked.`,
      `${keys} 个 key 的文件都在且长度完整，张量都被覆盖；内容未校验。`,
    );
    return { status: "read", finding, facts: facts.facts };
  }
  const parts: [string[], string, string][] = [
    [truncated, "truncated", "被截断"],
    [missing, "missing", "缺失"],
    [uncovered, "not covered", "未覆盖"],
  ];
  const en = parts.flatMap(([names, what]) => (names.length > 0 ? [`${some(names, 2)} ${what}`] : []));
  const zh = parts.flatMap(([names, , what]) => (names.length > 0 ? [`${someZh(names, 2)} ${what}`] : []));
  const finding = said(`Of ${count(keys, "key")}: ${en.join("; ")}.`, `共 ${keys} 个 key：${zh.join("；")}。`);
  if (whole) return { status: "read", finding, facts: facts.facts };
  return {
    status: "partial",
    finding,
    facts: facts.facts,
    problems: [{ line: lines.at(-1) ?? 1, say: "the list of faults is cut; paste the whole line" }],
  };
}

function readInspector(text: OutputText): ToolReading {
  const facts = createFacts();
  facts.addHost(text);
  const totals = text.lines
    .map(({ text: row, line }) => ({ found: TOTALS.exec(row)?.groups, line }))
    .find(({ found }) => found);
  const rows = text.lines.flatMap(({ text: row, line }) => {
    const found = KEY_ROW.exec(row)?.groups;
    return found ? [{ key: found.key ?? "", tensor: found.shape !== undefined, line }] : [];
  });
  const tensors = rows.filter(({ tensor }) => tensor).length;
  const wanted = totals ? Number(totals.found?.tensors) : null;
  const whole = wanted !== null && tensors >= wanted;
  const at = totals ? [totals.line] : rows.map(({ line }) => line);
  facts.add("keys_n", wanted ?? null, at);
  const scale = { K: 1e-6, M: 1e-3, B: 1, T: 1e3 }[totals?.found?.unit ?? "B"] ?? 1;
  const elements = totals?.found?.elements === undefined ? null : Number(totals.found.elements) * scale;
  facts.add("elements_b", elements, at);
  const optimizer = rows.filter(({ key }) => OPTIMIZER.test(key));
  addOptimizer({ facts, found: optimizer.map(({ line }) => line), whole, all: at });
  return say({
    facts: facts.facts,
    keys: wanted,
    elements,
    optimizer: optimizer.length > 0,
    whole,
    last: rows.at(-1)?.line ?? at[0] ?? 1,
  });
}

interface Printed {
  text: string;
  lines: number[];
}

/** The whole object, which may be wrapped anywhere: joined without a blank. */
function metadataOf({ lines }: OutputText): Printed | null {
  const at = lines.findIndex(({ text, command }) => !command && METADATA.test(text));
  if (at < 0) return null;
  const own: OutputLine[] = [];
  for (const line of lines.slice(at)) {
    if (line.command || line.text.trim() === "") break;
    own.push(line);
  }
  return { text: own.map(({ text }) => text).join(""), lines: own.map(({ line }) => line) };
}

function readMetadata(text: OutputText, { text: printed, lines }: Printed): ToolReading {
  const facts = createFacts();
  facts.addHost(text);
  const stored = [...printed.matchAll(STORED)];
  const whole = /\)\s*$/.test(printed) && /(?:planner_data|storage_data|storage_meta|version)=/.test(printed);
  const keys = new Set(stored.map(({ groups }) => groups?.key));
  const elements = stored.reduce((sum, { groups, index }, at) => {
    if (groups?.kind !== "Tensor") return sum;
    const own = printed.slice(index, Math.min(stored[at + 1]?.index ?? printed.length, index + 4000));
    const size = /[ (,]size=torch\.Size\(\[(?<size>[\d,\s]*)\]\)/.exec(own)?.groups?.size;
    // A scalar has no dimension and is one element.
    return size === undefined
      ? sum
      : sum + size.split(",").reduce((product, one) => product * (one.trim() === "" ? 1 : Number(one)), 1);
  }, 0);
  if (whole) {
    facts.add("keys_n", keys.size, lines);
    facts.add("elements_b", elements / 1e9, lines);
  }
  const optimizer = [...keys].some((key) => OPTIMIZER.test(key ?? ""));
  addOptimizer({ facts, found: optimizer ? lines : [], whole, all: lines });
  return say({
    facts: facts.facts,
    keys: whole ? keys.size : null,
    elements: whole ? elements / 1e9 : null,
    optimizer,
    whole,
    last: lines.at(-1) ?? 1,
  });
}

interface OptimizerSeen {
  facts: ReturnType<typeof createFacts>;
  found: number[];
  whole: boolean;
  all: number[];
}

/** That there is none can be said only where all keys are shown. */
function addOptimizer({ facts, found, whole, all }: OptimizerSeen): void {
  if (found.length > 0) facts.add("optimizer_present", true, found);
  else if (whole) facts.add("optimizer_present", false, all);
}

interface Saw {
  facts: ReturnType<typeof createFacts>["facts"];
  keys: number | null;
  elements: number | null;
  optimizer: boolean;
  whole: boolean;
  last: number;
}

function say({ facts, keys, elements, optimizer, whole, last }: Saw): ToolReading {
  const size = elements === null ? "" : ` with ${digits(elements)} billion elements`;
  const sizeZh = elements === null ? "" : `，共 ${digits(elements)}B 个元素`;
  const state: Said = optimizer
    ? { en: "optimizer state is among them", zh: "含优化器状态" }
    : { en: "no optimizer state among them", zh: "不含优化器状态" };
  if (whole)
    return {
      status: "read",
      finding: said(
        `${keys} keys${size}; ${state.en}. Files were not checked.`,
        `${keys} 个 key${sizeZh}；${state.zh}。未核对文件。`,
      ),
      facts,
    };
  const problems: ReadProblem[] = [{ line: last, say: "not all keys are shown; paste the whole output" }];
  const seen = optimizer
    ? state
    : { en: "whether it holds optimizer state is not shown", zh: "未显示是否含优化器状态" };
  return {
    status: "partial",
    finding: said(
      `${keys === null ? "Metadata" : `${keys} keys`}${size}, but the list of keys is cut; ${seen.en}.`,
      `${keys === null ? "metadata" : `${keys} 个 key`}${sizeZh}，但 key 列表不完整；${seen.zh}。`,
    ),
    facts,
    problems,
  };
}

/** The last line of a traceback of one of the commands, or of a paste that is hardly more than that line. */
function noMetadata({ lines }: OutputText): OutputLine[] {
  const filled = lines.filter(({ text }) => text.trim() !== "");
  const own =
    lines.some(({ text, command }) => (command ? OWN_COMMAND.test(text) : OWN_FRAME.test(text))) || filled.length <= 3;
  if (!own || lines.some(({ rank }) => rank !== null)) return [];
  return lines.filter(({ text, command }) => !command && NO_METADATA.test(text.trim()));
}
