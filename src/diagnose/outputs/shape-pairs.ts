// Shapes that differ between a checkpoint and a model, as PyTorch, DCP and Megatron print them, or as a table.
//   size mismatch for w: copying a param with shape torch.Size([8, 4]) from checkpoint, the shape in current model is torch.Size([8, 5]).
//   Global shape mismatch for loaded (torch.Size([1024, 8])) and expected ((1024, 16)) tensor for key decoder.weight
import type { OutputReader, ReadProblem, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, said } from "./said.ts";
import { judgePairs, type Pair, type ShapeVerdict } from "./shape-verdict.ts";

const SHAPE = "(?:torch\\.Size\\()?[[(](?<_>[\\d, ]{0,80})[\\])]\\)?";
const shape = (name: string): string => SHAPE.replace("<_>", `<${name}>`);
const START = "(?<![\\w./-])";
const KEY = `${START}(?<key>[A-Za-z_][\\w./-]{0,300})`;

interface Message {
  /** What a line must hold to be tried. */
  holds: string;
  /** The shapes are those of whole tensors, which do not depend on how a model is split. */
  global: boolean;
  printed: RegExp;
  /** Without blanks, for lines that a terminal broke: it eats a blank, or breaks inside a word. */
  squeezed: RegExp;
}

const MESSAGES: readonly Message[] = [
  message(
    "ize mismatch between saved",
    true,
    `ize mismatch between saved ${shape("saved")} and current: ${shape("model")} for ${KEY}`,
  ),
  message(
    "Global shape mismatch",
    true,
    `Global shape mismatch for loaded \\(?${shape("saved")}\\)? and expected \\(?${shape("model")}\\)? tensor for key ${KEY}`,
  ),
  message(
    "size mismatch for",
    false,
    `size mismatch for ${KEY}: copying a param (?:with shape|of) ${shape("saved")} from checkpoint, (?:the|where the) shape (?:in current model )?is ${shape("model")}`,
  ),
  message(
    "found shape",
    false,
    `${KEY}: found shape ${shape("saved")} in the checkpoint and ${shape("model")} in the model instantiated`,
  ),
  message("ckpt:", false, `${KEY}[ |│\\w-]{0,80}ckpt: ?${shape("saved")} vs model: ?${shape("model")}`),
  message("required shape", false, `${KEY}, required shape: ${shape("model")}, loaded shape: ${shape("saved")}`),
];
/** A message is broken over so many lines at most, and no terminal is wider. */
const WRAPPED = 4;
const WIDTH = 400;
/** Nobody copies more lines off a terminal. */
const PASTE = 1000;

function message(holds: string, global: boolean, source: string): Message {
  const squeezed = source.replaceAll(" ", "").replace(START, "");
  return { holds, global, printed: new RegExp(source, "g"), squeezed: new RegExp(squeezed, "g") };
}

/** A row of a table, or a key with two shapes behind it; which of the two is the checkpoint's the words around them say. */
const ROW = new RegExp(
  `^\\s*[|│('"[]{0,4}\\s*${KEY}(?<before>[^[\\]()]{0,60}?)${shape("one")}(?<between>[^[\\]()]{0,60}?)${shape("two")}[^[\\]]{0,60}$`,
);
const CKPT = "checkpoint|ckpt|saved|loaded|from file|stored";
const MODEL = "model|current|expected|required|target";
const MODEL_FIRST = new RegExp(`\\b(?:${MODEL})\\b.{0,80}\\b(?:${CKPT})\\b`, "i");
const CKPT_FIRST = new RegExp(`\\b(?:${CKPT})\\b.{0,80}\\b(?:${MODEL})\\b`, "i");
const KEYS_ONLY =
  /^(?:[\w.]{0,80}(?:Error|Exception): )?(?:(?:Missing|Unexpected) keys?(?:\(s\))? (?:in (?:the )?(?:checkpoint )?state_dict|\(for (?:all ranks|this rank)\)|\(not found in the checkpoint\))|size mismatch for [\w./-]{1,300})/;
/** So long is what someone cut out for this; a longer text with such a line is a log. */
const EXCERPT = 60;

export const shapePairs: OutputReader = {
  id: "shape-pairs",
  command: "the size mismatch lines of the failed load",
  owns: () => false,
  knows,
  read,
};

function knows(text: OutputText): number[] {
  const pairs = pairsOf(text);
  return pairs.length > 0 ? pairs.flatMap(({ lines }) => lines) : keysOnly(text);
}

function pairsOf(text: OutputText): Pair[] {
  const printed = text.lines.flatMap(({ text: row, command }, at) => {
    const tried = command ? [] : MESSAGES.filter(({ holds }) => row.includes(holds));
    const most = row.length > WIDTH || text.lines.length > PASTE ? 1 : WRAPPED;
    for (let more = 0; tried.length > 0 && more < most; more++) {
      const rows = text.lines.slice(at, at + more + 1);
      const wrapped = rows
        .map((one) => one.text.slice(0, WIDTH))
        .join("")
        .replaceAll(" ", "");
      const joined = more === 0 ? row : wrapped;
      const pairs = tried.flatMap(({ global, printed: whole, squeezed }) =>
        Array.from(joined.matchAll(more === 0 ? whole : squeezed), ({ groups }) => ({
          key: groups?.key ?? "",
          saved: sizesOf(groups?.saved),
          model: sizesOf(groups?.model),
          global,
          lines: rows.map((one) => one.line),
        })),
      );
      if (pairs.length > 0) return pairs;
    }
    return [];
  });
  return withoutRepeats(printed.length > 0 ? printed : rowsOf(text));
}

/** One row alone is a table only with a header or with nothing around it: prose holds brackets too. */
function rowsOf(text: OutputText): Pair[] {
  let modelFirst = false;
  let header = false;
  const rows = text.lines.flatMap(({ text: row, line, command }) => {
    const found = command ? undefined : ROW.exec(row)?.groups;
    if (!found) {
      if (CKPT_FIRST.test(row) || MODEL_FIRST.test(row)) [header, modelFirst] = [true, !CKPT_FIRST.test(row)];
      return [];
    }
    const [one, two] = [sizesOf(found.one), sizesOf(found.two)];
    const told = `${found.before} ${found.between}`;
    const swapped = CKPT_FIRST.test(told) ? false : MODEL_FIRST.test(told) ? true : modelFirst;
    if (!/[._]/.test(found.key ?? "")) return [];
    return [
      {
        key: (found.key ?? "").replace(/[.:]$/, ""),
        saved: swapped ? two : one,
        model: swapped ? one : two,
        global: false,
        lines: [line],
      },
    ];
  });
  const filled = text.lines.filter((line) => line.text.trim() !== "").length;
  return rows.length > 1 || header || filled <= 2 ? rows : [];
}

/** Every rank prints the same pairs. */
function withoutRepeats(pairs: readonly Pair[]): Pair[] {
  const seen = new Map<string, Pair>();
  for (const pair of pairs) {
    const name = `${pair.key} ${pair.saved} ${pair.model}`;
    const first = seen.get(name);
    if (first) first.lines.push(...pair.lines);
    else seen.set(name, { ...pair, lines: [...pair.lines] });
  }
  return [...seen.values()];
}

function sizesOf(printed: string | undefined): number[] {
  return (printed ?? "").match(/\d{1,15}/g)?.map(Number) ?? [];
}

/** Lines that name keys of a failed load without a shape, or were cut before it. */
function keysOnly(text: OutputText): number[] {
  if (text.lines.length > EXCERPT) return [];
  return text.lines.filter(({ text: row, command }) => !command && KEYS_ONLY.test(row.trim())).map(({ line }) => line);
}

function read(text: OutputText): ToolReading {
  const all = pairsOf(text);
  const pairs = all.filter(({ saved, model }) => saved.join() !== model.join());
  const facts = createFacts();
  facts.addHost(text);
  const [first] = pairs;
  const lines = pairs.flatMap((pair) => pair.lines);
  const cut = keysOnly(text).filter((line) => !all.some((pair) => pair.lines.includes(line)));
  const problems: ReadProblem[] = cut
    .filter((line) => /size mismatch for/.test(text.lines[line - 1]?.text ?? ""))
    .slice(0, 1)
    .map((line) => ({ line, say: "a line is cut before its shapes; paste it whole" }));
  if (all.length === 0) {
    const finding = said(
      `${count(cut.length, "line")} of a failed load ${cut.length === 1 ? "names" : "name"} keys, but no shapes to compare.`,
      `加载失败的 ${cut.length} 行只列出 key，没有可比较的形状。`,
    );
    const line = cut[0] ?? 1;
    return {
      status: "partial",
      finding,
      facts: facts.facts,
      problems: [{ line, say: "no shapes; paste the size mismatch lines, or both lists of keys with shapes" }],
    };
  }
  facts.add("pairs", pairs.length, lines.length > 0 ? lines : all.flatMap((pair) => pair.lines));
  if (!first)
    return {
      status: "read",
      finding: said(`No difference in shape among ${count(all.length, "pair")}.`, `${all.length} 对形状完全一致。`),
      facts: facts.facts,
    };
  const verdict = judgePairs(pairs);
  facts.add("param", first.key, first.lines);
  facts.add("ckpt_shape", first.saved, first.lines);
  facts.add("model_shape", first.model, first.lines);
  facts.add("dim", verdict.dim, lines);
  facts.add("ratio", verdict.ratio, lines);
  facts.add("shape_verdict", verdict.kind, lines);
  const finding = sayVerdict(pairs, first, verdict);
  return problems.length > 0
    ? { status: "partial", finding, facts: facts.facts, problems }
    : { status: "read", finding, facts: facts.facts };
}

function sayVerdict(pairs: readonly Pair[], first: Pair, { kind, dim, ratio }: ShapeVerdict) {
  const n = pairs.length;
  const many = `${count(n, "tensor")} ${n === 1 ? "differs" : "differ"}`;
  const shapes = `${first.key}: checkpoint [${first.saved}], model [${first.model}]`;
  const shapesZh = `${first.key}：checkpoint [${first.saved}]，模型 [${first.model}]`;
  if (kind === "parallel-split") {
    const factor = ratio === null ? "by whole factors" : `by exactly ${digits(Math.max(ratio, 1 / ratio))}x`;
    const factorZh = ratio === null ? "整数倍" : `恰好差 ${digits(Math.max(ratio, 1 / ratio))} 倍`;
    const where = dim === null ? "" : ` in dimension ${dim}`;
    const larger = (ratio ?? 1) < 1 ? "over more ranks" : "over fewer ranks";
    const largerZh = (ratio ?? 1) < 1 ? "更多" : "更少";
    const cut = ratio === null ? "" : `, so the checkpoint was split ${larger}`;
    const cutZh = ratio === null ? "" : `，说明保存时切到${largerZh}的 rank 上`;
    return said(
      `${many} ${factor}${where}${cut} (${shapes}).`,
      `${n} 个张量${dim === null ? "" : `在第 ${dim} 维`}${factorZh}${cutZh}（${shapesZh}）。`,
    );
  }
  const words = {
    "vocab-padding": ["only in vocabulary rows, by less than 2 %", "仅词表行数不同，差异小于 2%"],
    "model-config": ["as another model configuration would make them", "符合模型配置不同的特征"],
    mixed: ["without one rule that fits all", "没有统一的规律"],
  } as const;
  const [en, zh] = words[kind];
  return said(`${many} ${en} (${shapes}).`, `${n} 个张量形状不同，${zh}（${shapesZh}）。`);
}
