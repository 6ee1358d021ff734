// The index of sharded weights, as it is or as jq shortens it, and the list of the files it names: are all there?
//   {"metadata": {"total_size": 56461762560}, "weight_map": {"lm_head.weight": "model-00012-of-00012.safetensors", ..}}
//   {"total": 56461762560, "keys": 723, "files": ["model-00001-of-00012.safetensors", ..]}
import { type ListedFile, readListing } from "./file-listing.ts";
import { type JsonBlock, jsonBlocks, keysAt, valueAt } from "./loose-json.ts";
import type { OutputReader, ReadProblem, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, said, some, someZh } from "./said.ts";

const WEIGHTS = /^[\w.+=@/-]{1,300}\.(?:safetensors|bin)$/;
const NUMBERED = /-?(?<n>\d{4,6})-of-(?<of>\d{4,6})\.(?:safetensors|bin)$/;
const HOLDS = /"weight_map"|"total_size"|\.safetensors"|-of-\d{5}\.bin"/;
const LFS = /^version https:\/\/git-lfs\.github\.com\/spec\/v1$/;
/** Sizes as `ls -h` rounds them up. */
const ROUNDED = 0.02;

/** `ls *.safetensors` where there is none. */
const NONE =
  /^ls: cannot access ['"‘]?[^'"’]{0,300}\.(?:safetensors|bin)['"’]?: No such file or directory$|^zsh: no matches found: .{0,300}\.(?:safetensors|bin)$/;

interface Index {
  total: number | null;
  totalLine: number;
  keys: number | null;
  /** The files that it names, in order, each once. */
  files: string[];
  whole: boolean;
  lines: number[];
}

export const safetensorsIndex: OutputReader = {
  id: "safetensors-index",
  command:
    "jq '{total:.metadata.total_size,keys:(.weight_map|length),files:(.weight_map|map(.)|unique)}' model.safetensors.index.json; ls -l *.safetensors",
  owns: (line) => /^jq(?:\s|:|$)|\.(?:safetensors|bin)\.index\.json/.test(line),
  knows: (text) => {
    const index = indexOf(text);
    if (!index) return pointerOf(text);
    const listed = listedOf(text);
    const none = text.lines.filter((line) => NONE.test(line.text.trim())).map(({ line }) => line);
    return [...index.lines, ...none, ...(listed.length > 0 ? readListing(text, isWeights).lines : [])];
  },
  read,
};

function isWeights(name: unknown): name is string {
  return typeof name === "string" && WEIGHTS.test(name);
}

/** The listed weights; the index's own lines are no list. */
function listedOf(text: OutputText): ListedFile[] {
  return readListing(text, isWeights).files.filter(({ name, folder }) => !folder && isWeights(name));
}

/** What git left in place of a file that it did not fetch. */
function pointerOf({ lines }: OutputText): number[] {
  return lines
    .flatMap(({ text, line }, at) =>
      LFS.test(text.trim()) && /^oid sha256:/.test(lines[at + 1]?.text ?? "") ? [line, line + 1, line + 2] : [],
    )
    .filter((line) => line <= (lines.at(-1)?.line ?? 0));
}

function indexOf(text: OutputText): Index | null {
  for (const block of jsonBlocks(text, HOLDS)) {
    const index = keysAt(block).includes("weight_map") ? fromMap(block) : fromJq(block);
    if (index) return index;
  }
  return null;
}

function fromMap(block: JsonBlock): Index {
  const map = valueAt(block, "weight_map")?.value;
  const files = Object.values(typeof map === "object" && map !== null ? map : {}).filter(isWeights);
  const total = valueAt(block, "metadata", "total_size");
  return {
    total: typeof total?.value === "number" ? total.value : null,
    totalLine: total?.line ?? block.lines[0] ?? 1,
    keys: block.whole ? files.length : null,
    files: [...new Set(files)].sort(),
    whole: block.whole,
    lines: block.lines,
  };
}

/** The object that the command makes: a size, a number of keys and the names, whatever they are called. */
function fromJq(block: JsonBlock): Index | null {
  const values = keysAt(block).map((key) => ({ key, ...valueAt(block, key) }));
  const list = values.find(({ value }) => Array.isArray(value) && value.some(isWeights));
  if (!list || !Array.isArray(list.value)) return null;
  const number = (name: RegExp) => values.find(({ key, value }) => name.test(key) && typeof value === "number");
  const total = number(/total|size/i);
  const keys = number(/key|tensor|count|n$/i);
  return {
    total: typeof total?.value === "number" ? total.value : null,
    totalLine: total?.line ?? block.lines[0] ?? 1,
    keys: typeof keys?.value === "number" ? keys.value : null,
    files: [...new Set(list.value.filter(isWeights))].sort(),
    whole: block.whole,
    lines: block.lines,
  };
}

function read(text: OutputText): ToolReading {
  const index = indexOf(text);
  if (!index) {
    const finding = said(
      "This is a git-LFS pointer, not the file itself: the weights were never fetched. Run jq on the index and ls -l *.safetensors",
      "这是 git-LFS 指针，不是文件本身：权重没有下载。请对索引运行 jq，并运行 ls -l *.safetensors",
    );
    return { status: "refused", refusal: "wrong-tool", finding, line: pointerOf(text)[0] ?? 1 };
  }
  const listed = listedOf(text);
  const listing = readListing(text, isWeights);
  const none = text.lines.find((line) => NONE.test(line.text.trim()));
  const expected = Math.max(
    index.files.length,
    ...index.files.map((file) => Number(NUMBERED.exec(file)?.groups?.of ?? 0)),
  );
  const facts = createFacts();
  facts.addHost(text);
  facts.add("index_total_bytes", index.total, [index.totalLine]);
  facts.add("index_keys", index.keys, index.lines);
  facts.add("shards_expected", expected, index.lines);
  const problems: ReadProblem[] = [];
  if (!index.whole)
    problems.push({ line: index.lines.at(-1) ?? 1, say: "the index is cut; paste what jq makes of it" });
  if (listed.length === 0 && !none)
    problems.push({ line: index.lines.at(-1) ?? 1, say: "no list of files; paste ls -l *.safetensors too" });
  if (listing.cut[0] !== undefined) problems.push({ line: listing.cut[0], say: "row cut; paste the whole list" });
  const sizeEn = index.total === null ? "" : `, ${digits(index.total / 1024 ** 3)} GiB`;
  if (listed.length === 0 && !none) {
    const finding = said(
      `The index names ${count(expected, "file")}${keysEn(index)}${sizeEn}; which of them are on disk is not shown.`,
      `索引列出 ${expected} 个文件${keysZh(index)}${sizeEn.replace(", ", "，")}；未显示磁盘上有哪些。`,
    );
    return { status: "partial", finding, facts: facts.facts, problems };
  }
  const rows = listed.filter(({ name }) => index.files.includes(name));
  const present = new Set(rows.map(({ name }) => name));
  const names = index.whole ? index.files : [...new Set([...index.files, ...present])];
  const missing = names.filter((name) => !present.has(name));
  const all = none && rows.length === 0 ? [none.line] : (rows.length > 0 ? rows : listed).map(({ line }) => line);
  const sized = rows.every(({ bytes }) => bytes !== null);
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  const exact = sized && rows.every((row) => row.exact);
  const short = sized && index.total !== null && bytes < index.total * (exact ? 1 : 1 - ROUNDED);
  facts.add("shards_present", present.size, all);
  if (index.whole) facts.add("missing_files", missing, index.lines);
  if (exact) facts.add("bytes_on_disk", bytes, all);
  if (missing.length > 0 || short) facts.add("ckpt_ok", false, all);
  else if (index.whole && sized && index.total !== null) facts.add("ckpt_ok", true, all);
  const finding = sayIndex({ index, expected, missing, present: present.size, bytes: sized ? bytes : null, short });
  return problems.length > 0
    ? { status: "partial", finding, facts: facts.facts, problems }
    : { status: "read", finding, facts: facts.facts };
}

interface Compared {
  index: Index;
  expected: number;
  missing: string[];
  present: number;
  bytes: number | null;
  short: boolean;
}

function sayIndex({ index, expected, missing, present, bytes, short }: Compared) {
  const gib = (value: number): string => `${digits(value / 1024 ** 3)} GiB`;
  if (missing.length > 0)
    return said(
      `${some(missing, 2)} ${missing.length === 1 ? "is" : "are"} in the index but not on disk; ${present} of ${expected} files are there.`,
      `索引中的 ${someZh(missing, 2)} 不在磁盘上；${expected} 个文件中有 ${present} 个。`,
    );
  if (short && bytes !== null && index.total !== null)
    return said(
      `All ${present} files are there, but hold ${gib(bytes)} where the index says ${gib(index.total)}.`,
      `${present} 个文件都在，但只有 ${gib(bytes)}，索引记录为 ${gib(index.total)}。`,
    );
  const size = bytes === null ? "" : ` with ${gib(bytes)}`;
  return said(
    `All ${present} files of the index are on disk${size}${keysEn(index)}; no fault found in names and sizes.`,
    `索引中的 ${present} 个文件都在磁盘上${size.replace(" with ", "，共 ")}${keysZh(index)}；文件名和大小无异常。`,
  );
}

function keysEn({ keys }: Index): string {
  return keys === null ? "" : `, ${count(keys, "key")}`;
}

function keysZh({ keys }: Index): string {
  return keys === null ? "" : `，${keys} 个 key`;
}
