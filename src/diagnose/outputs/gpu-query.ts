// nvidia-smi -q: remapped rows, ECC counts, why clocks are held down, the width of the PCIe link, per card.
//   GPU 00000000:3B:00.0
//       Remapped Rows
//           Pending                           : Yes
import { type Block, blocksOf } from "./gpu-query-blocks.ts";
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, said, some, someZh } from "./said.ts";

const COMMAND = "nvidia-smi -q -d ECC,ROW_REMAPPER,PERFORMANCE";

const SAY: Record<string, { en: string; zh: string }> = {
  "remap-failed": { en: "a row remap that failed", zh: "行重映射失败" },
  "remap-pending": { en: "a row remap pending", zh: "有待处理的行重映射" },
  "retired-pending": { en: "a page retirement pending", zh: "有待处理的页退役" },
  "sram-threshold": { en: "SRAM errors above their threshold", zh: "SRAM 错误超过阈值" },
  "ecc-uncorrected": { en: "uncorrected ECC errors", zh: "有不可纠正的 ECC 错误" },
  "hw-thermal": { en: "clocks held down by heat (hardware)", zh: "因过热降频（硬件）" },
  "hw-power-brake": { en: "clocks held down by the power brake", zh: "因电源制动降频" },
  "hw-slowdown": { en: "clocks held down by the hardware", zh: "被硬件降频" },
  "sw-thermal": { en: "clocks held down by heat (software)", zh: "因过热降频（软件）" },
  "pcie-width": { en: "a narrowed PCIe link", zh: "PCIe 链路变窄" },
};

export const gpuQuery: OutputReader = {
  id: "gpu-query",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?nvidia-smi\s[^|;]*(?:-q\b|--query\b)(?!-)/.test(line),
  knows: (text) => {
    const { head, blocks } = blocksOf(text);
    return blocks.length > 0 || head.some(({ name }) => name === "banner")
      ? [...head, ...blocks.flatMap((block) => block.values)].map(({ line }) => line)
      : [];
  },
  read,
};

interface Faulty {
  block: Block;
  faults: { fault: string; line: number }[];
}

function read(text: OutputText): ToolReading {
  const { head, blocks } = blocksOf(text);
  const facts = createFacts();
  facts.addHost(text);
  const one = (name: string) => head.find((value) => value.name === name);
  const driver = one("Driver Version");
  const attached = one("Attached GPUs");
  facts.add("driver_version", driver?.value, driver ? [driver.line] : []);
  facts.add("gpu_count", attached && Number(attached.value), attached ? [attached.line] : []);
  const whole = blocks.filter((block, at) => at < blocks.length - 1 || isWhole(block, blocks));
  const asked = text.lines.some(({ command, text: typed }) => command && /\s-i\s?\d|--id=/.test(typed));
  const total = attached ? Number(attached.value) : blocks.length;
  facts.add(
    "gpus_read",
    whole.length,
    blocks.map(({ line }) => line),
  );
  const judged: Faulty[] = blocks
    .map((block) => ({ block, faults: faultsOf(block) }))
    .filter(({ faults }) => faults.length > 0);
  const at = judged.flatMap(({ faults }) => faults.map(({ line }) => line));
  const looked = at.length > 0 ? at : blocks.map(({ line }) => line);
  facts.add(
    "bad_pci",
    judged.map(({ block }) => block.pci),
    judged.length > 0 ? judged.map(({ block }) => block.line) : looked,
  );
  const names = [...new Set(judged.flatMap(({ faults }) => faults.map(({ fault }) => fault)))].sort();
  facts.add("gpu_faults", names, looked);
  const [only] = judged;
  if (only && judged.length === 1) facts.add("pci", only.block.pci, [only.block.line]);
  addFigures(facts, only?.block, blocks);
  const finding = sayBlocks(judged, whole.length);
  if (whole.length >= total || asked) {
    if (blocks.length === 0) {
      const line = head[0]?.line ?? 1;
      return {
        status: "refused",
        refusal: "empty",
        finding: said(
          `The log of nvidia-smi -q without a GPU's block. Run: ${COMMAND}`,
          `nvidia-smi -q 的输出里没有任何 GPU。请运行：${COMMAND}`,
        ),
        line,
      };
    }
    return { status: "read", finding, facts: facts.facts };
  }
  return {
    status: "partial",
    finding: said(
      `${finding.en.replace(/\.$/, "")}; ${whole.length} of ${total} GPUs are here whole.`,
      `${finding.zh.replace(/。$/, "")}；${total} 个 GPU 中只有 ${whole.length} 个是完整的。`,
    ),
    facts: facts.facts,
    problems: [
      {
        line: text.lines.at(-1)?.line ?? 1,
        say: `${whole.length} of ${total} GPUs stand here whole; paste the output without a cut`,
      },
    ],
  };
}

/** The last block is cut where an earlier one has sections that it lacks. */
function isWhole(block: Block, blocks: readonly Block[]): boolean {
  const first = blocks[0];
  return first === undefined || first === block || block.values.length >= first.values.length;
}

/** The counts of the faulty card; of the others only what all share, such as the hottest. */
function addFigures(facts: ReturnType<typeof createFacts>, bad: Block | undefined, blocks: readonly Block[]): void {
  if (bad) {
    const rows = bad.values.find(
      ({ path, name }) => path.startsWith("Remapped Rows") && name === "Uncorrectable Error",
    );
    facts.add("remapped_rows", rows && numberOf(rows.value), rows ? [rows.line] : []);
  }
  const uncorrected = blocks.flatMap((block) => uncorrectedOf(block));
  if (uncorrected.length > 0) {
    const total = uncorrected.reduce((sum, { count: n }) => sum + n, 0);
    const lines = uncorrected.filter(({ count: n }) => n > 0).map(({ line }) => line);
    facts.add("ecc_uncorrected", total, lines.length > 0 ? lines : uncorrected.map(({ line }) => line));
  }
  const widths = blocks.map(widthOf).filter((width) => width !== null);
  const width = widths.find(({ current, max }) => current < max) ?? widths[0];
  if (width) {
    facts.add("pcie_width", width.current, [width.line]);
    facts.add("pcie_width_max", width.max, [width.line]);
  }
  const temperatures = blocks.flatMap(({ values }) =>
    values
      .filter(({ name }) => name === "GPU Current Temp")
      .flatMap(({ value, line }) => ({ temp: numberOf(value), line })),
  );
  const hottest = temperatures.filter(({ temp }) => temp !== null).sort((a, b) => (b.temp ?? 0) - (a.temp ?? 0))[0];
  facts.add("temp_c", hottest?.temp, hottest ? [hottest.line] : []);
}

function faultsOf(block: Block): { fault: string; line: number }[] {
  const found: { fault: string; line: number }[] = [];
  const on = (section: RegExp, name: RegExp, value: RegExp): { line: number } | undefined =>
    block.values.find((one) => section.test(one.path) && name.test(one.name) && value.test(one.value));
  const take = (fault: string, at: { line: number } | undefined): void => {
    if (at) found.push({ fault, line: at.line });
  };
  take("remap-pending", on(/^Remapped Rows/, /^Pending$/, /^Yes/));
  take("remap-failed", on(/^Remapped Rows/, /^Remapping Failure Occurred$/, /^Yes/));
  take("retired-pending", on(/^Retired Pages/, /^Pending/, /^Yes/));
  take("sram-threshold", on(/^ECC Errors/, /^SRAM Threshold Exceeded$/, /^Yes/));
  take(
    "ecc-uncorrected",
    uncorrectedOf(block).find(({ count: n }) => n > 0),
  );
  const clocks = /^Clocks (?:Throttle|Event) Reasons/;
  const thermal = on(clocks, /^HW Thermal Slowdown$/, /^Active/);
  const brake = on(clocks, /^HW Power Brake Slowdown$/, /^Active/);
  take("hw-thermal", thermal);
  take("hw-power-brake", brake);
  if (!thermal && !brake) take("hw-slowdown", on(clocks, /^HW Slowdown$/, /^Active/));
  take("sw-thermal", on(clocks, /^SW Thermal Slowdown$/, /^Active/));
  const width = widthOf(block);
  // An idle card drops its PCIe generation, never its width.
  if (width && width.current < width.max) take("pcie-width", width);
  return found;
}

/** Volatile counts only: aggregate ones may be years old. N/A is not zero. */
function uncorrectedOf(block: Block): { count: number; line: number }[] {
  return block.values.flatMap(({ path, name, value, line }) => {
    if (!/^ECC Errors(?:\/|.*\/)Volatile/.test(path)) return [];
    if (!/Uncorrectable/.test(name) && !(/Double Bit/.test(path) && name === "Total")) return [];
    const n = numberOf(value);
    return n === null ? [] : [{ count: n, line }];
  });
}

function widthOf(block: Block): { current: number; max: number; line: number } | null {
  const inLink = block.values.filter(({ path }) => /Link Width$/.test(path));
  const max = inLink.find(({ name }) => name === "Max");
  const current = inLink.find(({ name }) => name === "Current");
  const [most, now] = [numberOf(max?.value ?? ""), numberOf(current?.value ?? "")];
  return current && most !== null && now !== null ? { current: now, max: most, line: current.line } : null;
}

function numberOf(printed: string): number | null {
  const found = /^(\d{1,12}(?:\.\d{1,6})?)(?:x| C| W| MHz| MiB|$)/.exec(printed);
  return found ? Number(found[1]) : null;
}

function sayBlocks(judged: readonly Faulty[], looked: number) {
  const [only] = judged;
  if (!only)
    return said(
      `No fault found on ${count(looked, "GPU")}: no remap, ECC or clock mark.`,
      `${looked} 个 GPU 没有异常：无重映射、ECC 或降频标记。`,
    );
  if (judged.length === 1) {
    const rows = only.block.values.find(
      ({ path, name }) => path.startsWith("Remapped Rows") && name === "Uncorrectable Error",
    );
    const remapped =
      rows && numberOf(rows.value)
        ? { en: ` (${rows.value} uncorrectable)`, zh: `（不可纠正 ${rows.value} 次）` }
        : { en: "", zh: "" };
    const width = widthOf(only.block);
    const narrow =
      width && width.current < width.max
        ? { en: ` (x${width.current} of x${width.max})`, zh: `（x${width.current}/x${width.max}）` }
        : { en: "", zh: "" };
    const each = (lang: "en" | "zh"): string[] =>
      only.faults.map(
        ({ fault }) =>
          `${SAY[fault]?.[lang] ?? fault}${fault.startsWith("remap") ? remapped[lang] : fault === "pcie-width" ? narrow[lang] : ""}`,
      );
    return said(
      `GPU ${only.block.pci} has ${each("en").join(", ")}.`,
      `GPU ${only.block.pci}：${each("zh").join("、")}。`,
    );
  }
  const pcis = judged.map(({ block }) => block.pci);
  const kinds = [...new Set(judged.flatMap(({ faults }) => faults.map(({ fault }) => fault)))];
  return said(
    `${judged.length} GPUs have marks (${kinds.map((one) => SAY[one]?.en ?? one).join(", ")}): ${some(pcis, 2)}.`,
    `${judged.length} 个 GPU 有异常（${kinds.map((one) => SAY[one]?.zh ?? one).join("、")}）：${someZh(pcis, 2)}。`,
  );
}
