// nvidia-smi -q taken apart: what stands above the first card, then each card's values under their sections.
import type { OutputText } from "./output-text.ts";

export interface Value {
  /** Sections it stands in, outermost first: "ECC Errors/Volatile". */
  path: string;
  name: string;
  value: string;
  line: number;
}

export interface Block {
  pci: string;
  line: number;
  values: Value[];
}

const BANNER = /^=+NVSMI LOG=+$/;
const GPU = /^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)$/;
const PAIR = /^(\s*)([A-Z0-9][\w /().-]{0,60}?)\s*: (.{0,200})$/;
const SECTION = /^(\s+)([A-Z][\w /().-]{0,60})$/;
/** What only this tool prints: one of these among a card's values, or the banner, makes it sure. */
const SURE =
  /^(?:ECC (?:Mode|Errors)|Remapped Rows|Clocks (?:Throttle|Event) Reasons|GPU Link Info|Temperature|Performance State|(?:GPU )?Power Readings|Retired Pages|Product Name|Attached GPUs)/;

export function blocksOf(text: OutputText): { head: Value[]; blocks: Block[] } {
  const head: Value[] = [];
  const blocks: Block[] = [];
  let open: { indent: number; name: string }[] = [];
  for (const { line, text: row, command } of text.lines) {
    if (command) continue;
    if (BANNER.test(row.trim())) {
      head.push({ path: "", name: "banner", value: "", line });
      continue;
    }
    const gpu = GPU.exec(row.trim());
    if (gpu) {
      blocks.push({ pci: gpu[1] ?? "", line, values: [] });
      open = [];
      continue;
    }
    const pair = PAIR.exec(row);
    const section = pair ? null : SECTION.exec(row);
    const indent = (pair ?? section)?.[1]?.length ?? 0;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    if (section) open.push({ indent, name: section[2] ?? "" });
    if (!pair) continue;
    const value = {
      path: open.map(({ name }) => name).join("/"),
      name: pair[2] ?? "",
      value: (pair[3] ?? "").trim(),
      line,
    };
    const block = blocks.at(-1);
    if (block) {
      // "HW Slowdown : Active" heads the reasons indented below it.
      block.values.push(value);
      open.push({ indent, name: value.name });
    } else if (head.length > 0 || /^(?:Driver Version|CUDA Version|Attached GPUs|Timestamp)$/.test(value.name))
      head.push(value);
  }
  const sure =
    head.some(({ name }) => name === "banner") ||
    blocks.some(({ values }) => values.some(({ path, name }) => SURE.test(path) || SURE.test(name)));
  return sure ? { head, blocks } : { head: [], blocks: [] };
}
