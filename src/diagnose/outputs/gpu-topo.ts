// nvidia-smi topo -m: which path each pair of GPUs and NICs takes.
//           GPU0  GPU1  NIC0  CPU Affinity  NUMA Affinity
//   GPU0    X     NV18  PXB   0-55          0
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, said, some, someZh } from "./said.ts";

const COMMAND = "nvidia-smi topo -m";
const DEVICE =
  /^(?:GPU\d{1,3}|NIC\d{1,3}|mlx5_\w{1,20}|bnxt_re\w{1,20}|irdma\w{1,20}|efa_\d{1,3}|rdmap\w{1,20}|roce\w{1,20}|ibp?\w{1,20})$/;
const GPU = /^GPU(\d{1,3})$/;
/** From the nearest to the farthest; NV# counts the NVLinks between the two. */
const PATHS = ["PIX", "PXB", "PHB", "NODE", "SYS"];
const CELL = /^(?:X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC)$/;

interface Matrix {
  columns: string[];
  header: number;
  rows: Map<string, { cells: string[]; line: number }>;
}

export const gpuTopo: OutputReader = {
  id: "gpu-topo",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?nvidia-smi\s[^|;]*\btopo\b/.test(line),
  knows: (text) => {
    const matrix = matrixOf(text);
    return matrix ? [matrix.header, ...[...matrix.rows.values()].map(({ line }) => line)] : [];
  },
  read,
};

function read(text: OutputText): ToolReading {
  const matrix = matrixOf(text);
  if (!matrix) throw new Error("gpu-topo reads only what it knows");
  const { columns, rows } = matrix;
  const gpus = columns.filter((name) => GPU.test(name));
  const nics = columns.filter((name) => !GPU.test(name));
  const lines = [matrix.header, ...[...rows.values()].map(({ line }) => line)];
  const facts = createFacts();
  facts.addHost(text);
  facts.add("gpu_count", gpus.length, [matrix.header]);
  facts.add("nic_count", nics.length, [matrix.header]);
  const cell = (row: string, column: string): string | undefined => rows.get(row)?.cells[columns.indexOf(column)];
  const pairs = gpus.flatMap((a, at) =>
    gpus.slice(at + 1).flatMap((b) => {
      const path = cell(a, b) ?? cell(b, a);
      return path === undefined ? [] : [{ a, b, path }];
    }),
  );
  const usual = mostFrequent(pairs.map(({ path }) => path));
  facts.add("gpu_link", usual, lines);
  const weak = pairs.filter(({ path }) => usual !== null && distance(path) > distance(usual));
  facts.add(
    "weak_pairs",
    weak.map(({ a, b }) => `${numberOf(a)}-${numberOf(b)}`),
    lines,
  );
  const near = (gpu: string): boolean =>
    nics.some((nic) => ["PIX", "PXB"].includes(cell(gpu, nic) ?? cell(nic, gpu) ?? ""));
  const far = gpus.some(near) ? gpus.filter((gpu) => rows.has(gpu) && !near(gpu)).map(numberOf) : [];
  if (nics.length > 0) facts.add("gpus_far_from_nic", far, lines);
  const odd = inAll(weak);
  facts.add("gpu", odd ?? (weak.length === 0 && far.length === 1 ? far[0] : undefined), lines);
  const finding = sayTopology({ gpus: gpus.length, nics: nics.length, usual, weak, odd, far });
  const missing = gpus.filter((gpu) => !rows.has(gpu));
  if (missing.length === 0 && pairs.length === (gpus.length * (gpus.length - 1)) / 2)
    return { status: "read", finding, facts: facts.facts };
  return {
    status: "partial",
    finding: said(
      `${count(rows.size, "row")} of a matrix of ${gpus.length} GPUs; the rows of ${some(missing)} are missing.`,
      `${gpus.length} 个 GPU 的矩阵只有 ${rows.size} 行，缺少 ${someZh(missing)} 的行。`,
    ),
    facts: facts.facts,
    problems: [
      {
        line: lines.at(-1) ?? 1,
        say: `the rows of ${missing.join(", ") || "some GPUs"} are cut; paste the whole matrix`,
      },
    ],
  };
}

interface ToSay {
  gpus: number;
  nics: number;
  usual: string | null;
  weak: readonly { a: string; b: string; path: string }[];
  odd: number | null;
  far: readonly number[];
}

function sayTopology({ gpus, nics, usual, weak, odd, far }: ToSay) {
  const paths = [...new Set(weak.map(({ path }) => path))].join("/");
  if (odd !== null)
    return said(
      `GPU${odd} reaches ${weak.length} of the ${gpus - 1} other GPUs by ${paths}, not ${usual}.`,
      `GPU${odd} 到其他 ${gpus - 1} 个 GPU 中的 ${weak.length} 个走 ${paths}，不是 ${usual}。`,
    );
  if (weak.length > 0) {
    const named = weak.map(({ a, b }) => `${numberOf(a)}-${numberOf(b)}`);
    return said(
      `${count(weak.length, "pair")} of GPUs by ${paths} where the rest has ${usual}: ${some(named)}.`,
      `${weak.length} 对 GPU 走 ${paths}，其余走 ${usual}：${someZh(named)}。`,
    );
  }
  if (far.length > 0)
    return said(
      `All ${gpus} GPUs reach each other by ${usual}; GPU ${some(far)} has no NIC at PIX or PXB.`,
      `${gpus} 个 GPU 之间均为 ${usual}；${someZh(far)} 号 GPU 附近（PIX/PXB）没有网卡。`,
    );
  if (usual === null) return said(`One GPU, ${count(nics, "NIC")}.`, `1 个 GPU，${nics} 块网卡。`);
  return said(
    `No fault found: all ${gpus} GPUs reach each other by ${usual}, ${count(nics, "NIC")}.`,
    `没有异常：${gpus} 个 GPU 之间均为 ${usual}，${nics} 块网卡。`,
  );
}

/** NV# is nearer than any path over PCIe; more links are nearer than fewer. */
function distance(path: string): number {
  const links = /^NV(\d+)$/.exec(path)?.[1];
  return links === undefined ? PATHS.indexOf(path === "SOC" ? "SYS" : path) + 1 : -Number(links);
}

/** The one GPU that stands in every weak pair; of a single pair neither does. */
function inAll(weak: readonly { a: string; b: string }[]): number | null {
  if (weak.length < 2) return null;
  const found = [weak[0]?.a, weak[0]?.b].find((gpu) => weak.every(({ a, b }) => a === gpu || b === gpu));
  return found === undefined ? null : numberOf(found);
}

function numberOf(name: string): number {
  return Number(GPU.exec(name)?.[1]);
}

function mostFrequent(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || distance(a[0]) - distance(b[0]))[0]?.[0] ?? null;
}

function matrixOf(text: OutputText): Matrix | null {
  for (const [at, { line, text: row }] of text.lines.entries()) {
    const words = row.trim().split(/\s+/);
    const end = words.findIndex((word) => !DEVICE.test(word));
    const columns = end < 0 ? words : words.slice(0, end);
    if (
      columns.filter((name) => GPU.test(name)).length < 1 ||
      columns.length < 2 ||
      CELL.test(words[columns.length] ?? "")
    )
      continue;
    const rows = new Map<string, { cells: string[]; line: number }>();
    for (const below of text.lines.slice(at + 1)) {
      const [name = "", ...cells] = below.text.trim().split(/\s+/);
      if (name === "") continue;
      const known = cells.findIndex((one) => !CELL.test(one));
      const own = known < 0 ? cells : cells.slice(0, known);
      if (!DEVICE.test(name) || own.length === 0) break;
      if (own.length >= columns.length || columns.includes(name))
        rows.set(name, { cells: own.slice(0, columns.length), line: below.line });
    }
    if (rows.size > 0) return { columns, header: line, rows };
  }
  return null;
}
