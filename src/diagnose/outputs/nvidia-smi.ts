// nvidia-smi, the table, and its list of compute processes: what each card holds, and which card is unlike the others.
//   |   3  NVIDIA H100 80GB HBM3          On  |   00000000:5D:00.0 Off |                    0 |
//   | N/A   47C    P0            433W /  700W |   73390MiB /  81559MiB |     99%      Default |
//   |    3   N/A  N/A     88214      C   python                                      12180MiB |

import { APPS_HEADER, appsOf, type Card, type Process, tableOf } from "./nvidia-smi-table.ts";
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, median, said, some, someZh } from "./said.ts";

const COMMAND = "nvidia-smi";
const LOST =
  /Unable to determine the device handle for (?:gpu|GPU) ?(?<pci>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d):? ?(?<error>.{1,120})/;
const REFUSED: readonly [RegExp, "no-device" | "driver" | "permission"][] = [
  [/^No devices were found/, "no-device"],
  [/couldn't communicate with the NVIDIA driver/, "driver"],
  [/Failed to initialize NVML: (?:Driver\/library version mismatch|Driver Not Loaded|Unknown Error)/, "driver"],
  [/Failed to initialize NVML: (?:Insufficient Permissions|No permission)/i, "permission"],
];
/** A card that holds this much more than the middle one stands out. */
const MEMORY_FACTOR = 1.2;

export const nvidiaSmi: OutputReader = {
  id: "nvidia-smi",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?nvidia-smi(?![^|;]*(?:\bnvlink\b|\btopo\b|\s-q\b|--query\b(?!-)))/.test(line),
  knows: (text) => {
    const { cards, processes, banner } = tableOf(text);
    const said = text.lines.filter(({ text: row }) => LOST.test(row) || REFUSED.some(([pattern]) => pattern.test(row)));
    return [
      ...(banner ? [banner.line] : []),
      ...cards.flatMap(({ lines }) => lines),
      ...processes.map(({ line }) => line),
      ...said.map(({ line }) => line),
      ...appsOf(text).map(({ line }) => line),
    ];
  },
  read,
};

function read(text: OutputText): ToolReading {
  for (const { line, text: row } of text.lines) {
    const refusal = REFUSED.find(([pattern]) => pattern.test(row))?.[1];
    if (refusal) return { status: "refused", refusal, finding: sayRefused(refusal), line };
  }
  const { banner, cards, processes } = tableOf(text);
  const lost = text.lines.flatMap((at) => {
    const found = LOST.exec(at.text)?.groups;
    return found ? [{ line: at.line, pci: found.pci ?? "", error: (found.error ?? "").trim() }] : [];
  })[0];
  const facts = createFacts();
  facts.addHost(text);
  facts.add("driver_version", banner?.driver, banner ? [banner.line] : []);
  if (lost) {
    facts.add("pci", lost.pci, [lost.line]);
    facts.add("error", lost.error, [lost.line]);
    return {
      status: "read",
      finding: said(
        `The card at ${lost.pci} does not answer: ${lost.error}`,
        `${lost.pci} 上的 GPU 无响应：${lost.error}`,
      ),
      facts: facts.facts,
    };
  }
  if (cards.length === 0) return readApps(text, facts.facts, processes);
  return readTable({ cards, processes, facts, cut: text.lines.at(-1)?.line ?? 1 });
}

interface Table {
  cards: Card[];
  processes: Process[];
  facts: ReturnType<typeof createFacts>;
  cut: number;
}

function readTable({ cards, processes, facts, cut }: Table): ToolReading {
  const at = cards.flatMap(({ lines }) => lines);
  facts.add("gpu_count", cards.length, at);
  facts.add("gpu_model", cards[0]?.name, cards[0]?.lines ?? []);
  const column = (fact: string, value: (card: Card) => number | null): void => {
    const all = cards.map(value);
    if (all.every((one) => one !== null))
      facts.add(
        fact,
        all as number[],
        cards.flatMap(({ lines }) => lines[1] ?? []),
      );
  };
  column("mem_used_mib", ({ used }) => used);
  column("util_pct", ({ util }) => util);
  column("power_w", ({ power }) => power);
  facts.add("mem_total_mib", cards.find(({ total }) => total !== null)?.total, cards[0]?.lines ?? []);
  const where = (some: readonly Card[]): number[] => (some.length > 0 ? some.flatMap(({ lines }) => lines) : at);
  const faulty = cards.filter(({ error }) => error);
  const corrected = cards.filter(({ ecc }) => ecc);
  const shared = cards.filter(({ gpu }) => processes.filter((one) => one.gpu === gpu).length > 1);
  facts.add(
    "error_gpus",
    faulty.map(({ gpu }) => gpu),
    where(faulty),
  );
  facts.add(
    "ecc_gpus",
    corrected.map(({ gpu }) => gpu),
    where(corrected),
  );
  facts.add(
    "shared_gpus",
    shared.map(({ gpu }) => gpu),
    where(shared),
  );
  const full = fullest(cards);
  const odd = [faulty, corrected, shared].find((some) => some.length === 1)?.[0] ?? full;
  facts.add("gpu", odd?.gpu, odd?.lines ?? []);
  const foreign = shared.length === 1 && shared[0] ? foreignOn(shared[0].gpu, processes) : undefined;
  facts.add("pid", foreign?.pid, foreign ? [foreign.line] : []);
  const whole = cards.every(({ used }) => used !== null);
  const finding = sayCards({ cards, faulty, corrected, shared, full, processes });
  if (whole || faulty.length > 0) return { status: "read", finding, facts: facts.facts };
  const problems = [{ line: cut, say: "a card's second row is missing; paste the whole table" }];
  return { status: "partial", finding, facts: facts.facts, problems };
}

/** Of several processes on a card the one unlike the rest: by its name, which most of the other cards' share, else the smaller. */
function foreignOn(gpu: number | null, processes: readonly Process[]): Process | undefined {
  const own = processes.filter((one) => one.gpu === gpu).sort((a, b) => a.usedMib - b.usedMib);
  const shares = (name: string): number => processes.filter((one) => one.name === name).length;
  const common = Math.max(...own.map(({ name }) => shares(name)));
  return own.find(({ name }) => shares(name) < common) ?? own[0];
}

/** The one card that holds much more than the rest. */
function fullest(cards: readonly Card[]): Card | undefined {
  const used = cards.flatMap((card) => (card.used === null ? [] : [{ card, used: card.used }]));
  const outliers = used.filter(({ card, used: own }) => {
    const others = used.filter((one) => one.card !== card).map((one) => one.used);
    return others.length > 0 && own > MEMORY_FACTOR * median(others) && own > 1024;
  });
  return outliers.length === 1 ? outliers[0]?.card : undefined;
}

interface ToSay {
  cards: readonly Card[];
  faulty: readonly Card[];
  corrected: readonly Card[];
  shared: readonly Card[];
  full: Card | undefined;
  processes: readonly Process[];
}

function sayCards({ cards, faulty, corrected, shared, full, processes }: ToSay) {
  const numbers = (some: readonly Card[]): number[] => some.map(({ gpu }) => gpu);
  if (faulty.length > 0)
    return said(
      `GPU ${some(numbers(faulty))} shows ERR! where figures should stand; ${count(cards.length, "GPU")} listed.`,
      `${someZh(numbers(faulty))} 号 GPU 的读数是 ERR!；共列出 ${cards.length} 个 GPU。`,
    );
  if (corrected.length > 0)
    return said(
      `GPU ${some(numbers(corrected))} counts uncorrectable ECC errors; the other ${cards.length - corrected.length} none.`,
      `${someZh(numbers(corrected))} 号 GPU 有不可纠正的 ECC 错误；其余 ${cards.length - corrected.length} 个没有。`,
    );
  const [one] = shared;
  if (one && shared.length === 1) {
    const own = processes.filter(({ gpu }) => gpu === one.gpu);
    const extra = foreignOn(one.gpu, processes);
    const held = extra ? digits(extra.usedMib / 1024) : "";
    return said(
      `GPU ${one.gpu} holds ${own.length} processes; pid ${extra?.pid} (${extra?.name}) has ${held} GiB of it. The other ${cards.length - 1} GPUs hold at most one.`,
      `${one.gpu} 号 GPU 上有 ${own.length} 个进程，其中 pid ${extra?.pid}（${extra?.name}）占 ${held} GiB；其余 ${cards.length - 1} 个至多一个进程。`,
    );
  }
  if (shared.length > 1)
    return said(
      `${shared.length} of ${cards.length} GPUs hold more than one process: ${some(numbers(shared))}.`,
      `${cards.length} 个 GPU 中有 ${shared.length} 个运行着多个进程：${someZh(numbers(shared))}。`,
    );
  const used = cards.flatMap((card) => card.used ?? []);
  const middle = digits(median(used) / 1024);
  if (full?.used != null)
    return said(
      `GPU ${full.gpu} holds ${digits(full.used / 1024)} GiB, the middle of all ${cards.length} is ${middle}.`,
      `${full.gpu} 号 GPU 占用 ${digits(full.used / 1024)} GiB，${cards.length} 个的中位数是 ${middle}。`,
    );
  if (used.length === 0)
    return said(
      `${count(cards.length, "GPU")} listed, without their memory.`,
      `列出 ${cards.length} 个 GPU，但没有显存读数。`,
    );
  return said(
    `${count(cards.length, "GPU")}, none stands out: ${digits(Math.min(...used) / 1024)} to ${digits(Math.max(...used) / 1024)} GiB used, no ECC or ERR! mark.`,
    `${cards.length} 个 GPU 没有异常：占用 ${digits(Math.min(...used) / 1024)} 到 ${digits(Math.max(...used) / 1024)} GiB，无 ECC 或 ERR! 标记。`,
  );
}

/** Only the list of processes: nothing says which card they are on unless its column does. */
function readApps(
  text: OutputText,
  facts: ReturnType<typeof createFacts>["facts"],
  processes: readonly Process[],
): ToolReading {
  const apps = [...appsOf(text), ...processes];
  const [largest, ...others] = [...apps].sort((a, b) => b.usedMib - a.usedMib);
  if (!largest) {
    const header = text.lines.find(({ text: row }) => APPS_HEADER.test(row.trim()));
    if (header)
      return {
        status: "read",
        finding: said("No compute process on any of the GPUs asked for.", "所查的 GPU 上没有计算进程。"),
        facts,
      };
    const line = text.lines.at(-1)?.line ?? 1;
    return {
      status: "partial",
      finding: said("The banner without a card's rows.", "只有表头，没有任何 GPU 的数据行。"),
      facts,
      problems: [{ line, say: "cut before the first card; paste the whole table" }],
    };
  }
  const smallest = others.at(-1);
  const { gpu } = largest;
  const list = createFacts();
  if (gpu !== null) {
    const at = apps.map(({ line }) => line);
    list.add("shared_gpus", apps.length > 1 ? [gpu] : [], at);
    list.add("gpu", gpu, at);
    const foreign = smallest && foreignOn(gpu, apps);
    list.add("pid", foreign?.pid, foreign ? [foreign.line] : []);
  }
  return {
    status: "read",
    finding: smallest
      ? said(
          `${count(apps.length, "compute process", "compute processes")}: the largest, pid ${largest.pid}, has ${digits(largest.usedMib / 1024)} GiB, the smallest, pid ${smallest.pid}, ${digits(smallest.usedMib / 1024)} GiB.`,
          `${apps.length} 个计算进程：最大的 pid ${largest.pid} 占 ${digits(largest.usedMib / 1024)} GiB，最小的 pid ${smallest.pid} 占 ${digits(smallest.usedMib / 1024)} GiB。`,
        )
      : said(
          `One compute process: pid ${largest.pid} with ${digits(largest.usedMib / 1024)} GiB.`,
          `只有一个计算进程：pid ${largest.pid}，占 ${digits(largest.usedMib / 1024)} GiB。`,
        ),
    facts: { ...facts, ...list.facts },
  };
}

function sayRefused(refusal: "no-device" | "driver" | "permission") {
  if (refusal === "no-device")
    return said(
      `nvidia-smi sees no GPU here. On a node of the job run: ${COMMAND}`,
      `nvidia-smi 在这里看不到 GPU。请在作业所在节点运行：${COMMAND}`,
    );
  if (refusal === "driver")
    return said(
      `The driver did not answer nvidia-smi, so nothing was read. Once it does, run: ${COMMAND}`,
      `驱动没有响应 nvidia-smi，没有读到任何内容。驱动恢复后请运行：${COMMAND}`,
    );
  return said(
    `nvidia-smi lacks the rights to ask the driver. With them, run: ${COMMAND}`,
    `nvidia-smi 没有权限访问驱动。请用有权限的账号运行：${COMMAND}`,
  );
}
