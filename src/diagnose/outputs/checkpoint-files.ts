// What a checkpoint's folder holds, as ls, find, du or an object store lists it: is the save whole?
//   -rw-r--r-- 1 trainer mlops 65177676541 2026-03-22 07:40:25.864763000 +0000 __0_0.distcp
//   6021878883 /data/ckpt/moe-16b/global_step800/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt
import { type Faults, faultsOf, maxOf, type Save, savesOf } from "./checkpoint-faults.ts";
import {
  type Axis,
  type CheckpointFile,
  isCheckpointName,
  isOwnName,
  mentionsCheckpoint,
  stepOf,
  toCheckpointFile,
} from "./checkpoint-names.ts";
import { type FileListing, readListing } from "./file-listing.ts";
import type { OutputReader, ReadProblem, Said, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, said, some, someZh } from "./said.ts";

/** The content of Megatron's and DeepSpeed's trackers. */
const TRACKED =
  /^(?:(?:\S*\/)?latest(?:_checkpointed_iteration\.txt)?:\s*)?(?:global_step|iter_0*|step-?)?(?<step>\d{1,9})$/;

export const checkpointFiles: OutputReader = {
  id: "checkpoint-files",
  command: "ls -lat --time-style=full-iso DIR",
  owns: (line) =>
    /^(?:ls|ll|find|du|tree)(?:\s|:|$)/.test(line) ||
    /latest_checkpointed_iteration\.txt|\/(?:iter_\d{7}|global_step\d+)\b/.test(line),
  knows: (text) => {
    if (!text.lines.some((line) => mentionsCheckpoint(line.text))) return [];
    const listing = readListing(text, isCheckpointName);
    const known = listing.files.filter(({ name }) => isCheckpointName(name));
    if (known.length >= 2 && known.some(({ name }) => isOwnName(name))) return listing.lines;
    return isEmptyFolder(text, listing) ? text.lines.map(({ line }) => line) : [];
  },
  read,
};

/** Nothing but a command that lists a checkpoint's folder, and no file below it. */
function isEmptyFolder(text: OutputText, { files, lines, asked }: FileListing): boolean {
  if (stepOf(asked) === null && !/ckpt|checkpoint/i.test(asked)) return false;
  const others = text.lines.filter(
    ({ text: row, line, command }) => !command && row.trim() !== "" && !lines.includes(line),
  );
  return others.length === 0 && files.every(({ name }) => name === "." || name === "..");
}

function read(text: OutputText): ToolReading {
  const listing = readListing(text, isCheckpointName);
  if (isEmptyFolder(text, listing)) {
    const finding = said(
      `${listing.asked} holds no file, so there is no checkpoint to read. Run: ls -la on the folder above it`,
      `${listing.asked} 里没有文件，没有 checkpoint 可读。请对上一级目录运行：ls -la`,
    );
    return { status: "refused", refusal: "empty", finding, line: text.lines[0]?.line ?? 1 };
  }
  const files = listing.files.flatMap((file) => toCheckpointFile(file) ?? []);
  if (isCutName(listing.files.at(-1)?.name ?? "", files)) listing.cut.push(listing.files.at(-1)?.line ?? 1);
  const saves = savesOf(files);
  const save = saves.findLast(({ shards }) => shards.length > 0) ?? saves.at(-1);
  if (!save) throw new Error("called without a checkpoint's file");
  const tracker = trackerOf(text);
  const faults = faultsOf(save, saves, listing);
  const metadata = metadataOf(save, listing);
  const data = save.files.filter((file) => file.data);
  const shown = (save.shards.length > 0 ? save.shards : save.files).map(({ line }) => line);
  const facts = createFacts();
  const addFiles = (name: string, files: readonly CheckpointFile[] | null): void => {
    if (files) facts.add(name, names(files), files.length > 0 ? files.map(({ line }) => line) : shown);
  };
  facts.addHost(text);
  facts.add("ckpt_format", save.format, shown);
  facts.add("step", save.step, shown);
  if (save.shards.length > 0) {
    facts.add("shards", save.shards.length, shown);
    facts.add("shards_expected", faults.expected, shown);
    facts.add("missing_files", faults.missing, shown);
  }
  addFiles("empty_files", faults.empty);
  addFiles("small_files", faults.small?.map(({ file }) => file) ?? null);
  const marks = save.files.filter(({ kind }) => kind === "metadata").map(({ line }) => line);
  facts.add("metadata_present", metadata, marks.length > 0 ? marks : shown);
  facts.add("tracker_step", tracker?.step, tracker ? [tracker.line] : []);
  const sized = data.length > 0 && data.every(({ bytes }) => bytes !== null) && faults.complete;
  const totalGib = sized ? data.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) / 1024 ** 3 : null;
  facts.add("total_gib", totalGib, shown);
  const ranks = (axis: Axis): number | null => {
    const last = ["deepspeed", "megatron-legacy"].includes(save.format ?? "") ? maxOf(save.files, axis) : null;
    return last === null ? null : last + 1;
  };
  facts.add("saved_dp", ranks("dp"), shown);
  facts.add("saved_tp", ranks("tp"), shown);
  const problems = problemsOf({ save, listing, metadata, text });
  const finding = sayFiles({ save, faults, metadata, tracker: tracker?.step ?? null, totalGib });
  return problems.length > 0
    ? { status: "partial", finding, facts: facts.facts, problems }
    : { status: "read", finding, facts: facts.facts };
}

/** "__14_0.dis": the last name of a list that was cut begins as its siblings do. */
function isCutName(last: string, files: readonly CheckpointFile[]): boolean {
  const shape = (name: string): string => name.replace(/\d+/g, "0");
  return (
    last.length > 2 &&
    files.some(({ name }) => name !== last && shape(name).startsWith(shape(last)) && shape(name) !== shape(last))
  );
}

function names(files: readonly CheckpointFile[]): string[] {
  return files.map(({ label }) => label);
}

/** Null where the format has none, or where the list would not show it. */
function metadataOf({ format, files, shards }: Save, { showsHidden, complete }: FileListing): boolean | null {
  if (!hasMetadata(format)) return null;
  if (files.some(({ kind }) => kind === "metadata")) return true;
  return showsHidden && complete && shards.length > 0 ? false : null;
}

/** What `cat latest_checkpointed_iteration.txt` printed below the list or above it. */
function trackerOf(text: OutputText): { step: number; line: number } | null {
  let asked = false;
  for (const { command, text: row, line } of text.lines) {
    if (command) asked = /\b(?:cat|head|tail|more|less)\b.{0,300}\blatest/.test(row);
    const found = TRACKED.exec(row.trim());
    if (!command && found && (asked || row.includes("latest"))) return { step: Number(found.groups?.step), line };
  }
  return null;
}

interface Looked {
  save: Save;
  listing: FileListing;
  metadata: boolean | null;
  text: OutputText;
}

function problemsOf({ save, listing, metadata, text }: Looked): ReadProblem[] {
  const last = text.lines.findLast(({ text: row }) => row.trim() !== "")?.line ?? 1;
  const dist = hasMetadata(save.format);
  return [
    ...listing.cut.slice(0, 1).map((line) => ({ line, say: "row cut; paste the whole list" })),
    ...listing.denied
      .slice(0, 1)
      .map((line) => ({ line, say: "a folder could not be opened; list it with the rights for it" })),
    ...(save.shards.length === 0
      ? [{ line: last, say: "no shard is listed; paste ls -la of the step's own folder" }]
      : []),
    ...(dist && metadata === null && save.shards.length > 0
      ? [{ line: last, say: "ls without -a hides .metadata; paste ls -la of the folder" }]
      : []),
    ...(listing.complete || (dist && metadata === null)
      ? []
      : [{ line: last, say: "only some of the files are listed; paste the whole list" }]),
  ];
}

interface Saying {
  save: Save;
  faults: Faults;
  metadata: boolean | null;
  tracker: number | null;
  totalGib: number | null;
}

function sayFiles({ save, faults, metadata, tracker, totalGib }: Saying): Said {
  const { step, shards, format } = save;
  const found = findingsOf({ save, faults, metadata, tracker, totalGib });
  if (found.length === 0) {
    const [sized, whole] = [faults.empty !== null, faults.missing !== null];
    const none = sized
      ? `none of them empty${whole ? ", short or missing" : " or short"}`
      : `${whole ? "no gap in the numbering; " : ""}sizes are not shown`;
    const noneZh = sized
      ? `没有空的${whole ? "、过小的或缺失的" : "或过小的"}文件`
      : `${whole ? "编号没有缺口；" : ""}未显示大小`;
    found.push(shards.length > 0 ? { en: none, zh: noneZh } : { en: "no shard is listed", zh: "没有列出 shard" });
    if (metadata) found.push({ en: ".metadata is there", zh: "有 .metadata" });
  }
  if (metadata === null && hasMetadata(format) && shards.length > 0) {
    found.push({ en: "whether .metadata exists is not shown", zh: "未显示是否有 .metadata" });
  }
  const size = totalGib === null ? "" : `, ${digits(totalGib)} GiB`;
  const what = `${format ?? "checkpoint"}, ${count(shards.length, "shard")}${size}`;
  const whatZh = `${format ?? "checkpoint"}，${shards.length} 个 shard${size.replace(", ", "，")}`;
  return said(
    `${step === null ? "Checkpoint" : `Step ${step}`} (${what}): ${found.map(({ en }) => en).join("; ")}.`,
    `${step === null ? "checkpoint" : `第 ${step} 步`}（${whatZh}）：${found.map(({ zh }) => zh).join("；")}。`,
  );
}

function findingsOf({ save, faults, metadata, tracker }: Saying): Said[] {
  const { empty, small, missing } = faults;
  const found: Said[] = [];
  if (empty?.length) {
    const are = empty.length === 1 ? "is" : "are";
    found.push({
      en: `${some(names(empty), 2)} ${are} empty (0 bytes)`,
      zh: `${someZh(names(empty), 2)} 为空（0 字节）`,
    });
  }
  if (metadata === false)
    found.push({ en: "no .metadata, so the save did not finish", zh: "缺 .metadata，保存未完成" });
  if (missing?.length) found.push({ en: `missing: ${some(missing, 2)}`, zh: `缺 ${someZh(missing, 2)}` });
  const [first] = small ?? [];
  if (small && first) {
    const has = digits((first.file.bytes ?? 0) / 1024 ** 3);
    const middle = digits(first.median / 1024 ** 3);
    const list = names(small.map(({ file }) => file));
    found.push({
      en: `${some(list, 2)} ${list.length === 1 ? "has" : "have"} ${has} GiB where the median is ${middle}`,
      zh: `${someZh(list, 2)} 只有 ${has} GiB，中位数为 ${middle} GiB`,
    });
  }
  if (tracker !== null && save.step !== null && tracker !== save.step) {
    found.push({ en: `the tracker says ${tracker}`, zh: `tracker 记录的是 ${tracker}` });
  }
  return found;
}

function hasMetadata(format: Save["format"]): boolean {
  return format === "dcp" || format === "megatron-dist";
}
