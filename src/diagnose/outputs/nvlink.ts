// nvidia-smi nvlink -s and -e: links that are down or slow, and their error counters.
//   GPU 3: NVIDIA A100-SXM4-80GB (UUID: GPU-6d1e0b7a-…)
//        Link 7: <inactive>
//        Link 8: Replay Errors: 0
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, said, some, someZh } from "./said.ts";

const COMMAND = "nvidia-smi nvlink -s";
const GPU = /^\s*GPU (\d{1,3}): \S.{0,100}(?:\(UUID: \S{1,80}\))?$/;
const SPEED = /^\s*Link (\d{1,3}): (?:(\d{1,4}(?:\.\d{1,4})?) GB\/s|<?(inactive|down|disabled)>?)$/i;
const ERRORS = /^\s*Link (\d{1,3}): (Replay|Recovery|CRC(?: Flit| Data)?) Errors?: (\d{1,18})$/i;
const ALL_DOWN = /Unable to retrieve NVLink information as all links are in[aA]ctive/;

interface Gpu {
  gpu: number;
  host: string | null;
  lines: number[];
  /** GB/s by link; null where it is down. */
  speeds: Map<number, number | null>;
  /** The line of each link, for those that are bad. */
  at: Map<number, number>;
  replays: number;
  recoveries: number;
  crc: number;
  counted: boolean;
}

export const nvlink: OutputReader = {
  id: "nvlink",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?nvidia-smi\s[^|;]*\bnvlink\b/.test(line),
  knows: (text) => {
    const gpus = gpusOf(text).filter(({ speeds, counted }) => speeds.size > 0 || counted);
    return gpus.flatMap(({ lines }) => lines);
  },
  read,
};

function read(text: OutputText): ToolReading {
  const gpus = gpusOf(text).filter(({ speeds, counted }) => speeds.size > 0 || counted);
  const all = gpus.flatMap(({ lines }) => lines);
  const facts = createFacts();
  facts.addHost(text);
  facts.add("gpu_count", gpus.length, all);
  const links = Math.max(...gpus.map(({ speeds }) => speeds.size));
  const usual = mode(gpus.flatMap(({ speeds }) => [...speeds.values()].flatMap((speed) => speed ?? [])));
  if (links > 0) {
    facts.add("links_per_gpu", links, all);
    facts.add("link_gbs", usual, all);
  }
  const badLinks = gpus.flatMap((one) =>
    [...one.speeds].flatMap(([link, speed]) => {
      const isDown = speed === null;
      if (!isDown && (usual === null || speed >= usual)) return [];
      return [{ name: `${one.gpu}:${link}`, isDown, line: one.at.get(link) ?? 1 }];
    }),
  );
  const down = badLinks.filter(({ isDown }) => isDown).map(({ name }) => name);
  const slow = badLinks.filter(({ isDown }) => !isDown).map(({ name }) => name);
  const bad = gpus.filter((one) => isBad(one, usual));
  const shown = badLinks.length > 0 ? badLinks.map(({ line }) => line) : bad.flatMap(({ lines }) => lines);
  const where = shown.length > 0 ? shown : all;
  if (links > 0) facts.add("links_down", down, where);
  facts.add(
    "gpus_bad",
    [...new Set(bad.map(({ gpu }) => gpu))].sort((a, b) => a - b),
    where,
  );
  const counted = gpus.filter((one) => one.counted);
  const sum = (of: (gpu: Gpu) => number): number => counted.reduce((total, gpu) => total + of(gpu), 0);
  const [replays, recoveries, crc] = [sum((one) => one.replays), sum((one) => one.recoveries), sum((one) => one.crc)];
  if (counted.length > 0) {
    facts.add("nvlink_replays", replays, where);
    facts.add("nvlink_recoveries", recoveries, where);
    facts.add("nvlink_crc", crc, where);
  }
  const [only] = bad;
  if (bad.length === 1 && only) {
    facts.add("gpu", only.gpu, only.lines);
    facts.add("host", only.host ?? undefined, only.lines);
  }
  const finding = sayLinks({ gpus, links, usual, down, slow, bad, errors: { replays, recoveries, crc } });
  const short = links > 0 ? gpus.filter(({ speeds }) => speeds.size > 0 && speeds.size < links) : [];
  const cut = short.find((one) => one === gpus.at(-1));
  if (!cut) return { status: "read", finding, facts: facts.facts };
  const problems = [
    {
      line: cut.lines.at(-1) ?? 1,
      say: `GPU ${cut.gpu} lists ${cut.speeds.size} of ${links} links; paste the whole output`,
    },
  ];
  return { status: "partial", finding, facts: facts.facts, problems };
}

function isBad({ speeds, replays, recoveries, crc }: Gpu, usual: number | null): boolean {
  const speedBad = [...speeds.values()].some((speed) => speed === null || (usual !== null && speed < usual));
  return speedBad || recoveries > 0 || replays + crc > 0;
}

/** The most frequent value; of equals the largest. */
function mode(values: readonly number[]): number | null {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? null;
}

interface ToSay {
  gpus: readonly Gpu[];
  links: number;
  usual: number | null;
  down: readonly string[];
  slow: readonly string[];
  bad: readonly Gpu[];
  errors: { replays: number; recoveries: number; crc: number };
}

function sayLinks({ gpus, links, usual, down, slow, bad, errors }: ToSay) {
  const rest =
    usual === null
      ? { en: "", zh: "" }
      : { en: `; the others run at ${digits(usual)} GB/s`, zh: `，其余均为 ${digits(usual)} GB/s` };
  const named = (list: readonly string[]): string[] => list.map((one) => `GPU ${one.replace(":", " link ")}`);
  const namedZh = (list: readonly string[]): string[] =>
    list.map((one) => one.replace(/(\d+):(\d+)/, "$1 号 GPU 的 $2 号链路"));
  if (down.length > 0)
    return said(
      `${count(down.length, "link")} inactive: ${some(named(down))}${rest.en}.`,
      `${down.length} 条链路断开：${someZh(namedZh(down))}${rest.zh}。`,
    );
  if (slow.length > 0)
    return said(
      `${count(slow.length, "link")} slow: ${some(named(slow))}${rest.en}.`,
      `${slow.length} 条链路偏慢：${someZh(namedZh(slow))}${rest.zh}。`,
    );
  const numbers = bad.map(({ gpu }) => gpu);
  if (bad.length > 0)
    return said(
      `NVLink errors on GPU ${some(numbers)}: ${errors.replays} replays, ${errors.recoveries} recoveries, ${errors.crc} CRC; none on the other ${gpus.length - bad.length}.`,
      `${someZh(numbers)} 号 GPU 的 NVLink 有错误：重放 ${errors.replays}、恢复 ${errors.recoveries}、CRC ${errors.crc}；其余 ${gpus.length - bad.length} 个没有。`,
    );
  const what = links > 0 ? `${links} links each at ${digits(usual ?? 0)} GB/s` : "every error counter zero";
  const whatZh = links > 0 ? `各 ${links} 条链路，均为 ${digits(usual ?? 0)} GB/s` : "所有错误计数均为 0";
  return said(
    `No fault found on ${count(gpus.length, "GPU")}: ${what}.`,
    `${gpus.length} 个 GPU 没有异常：${whatZh}。`,
  );
}

function gpusOf(text: OutputText): Gpu[] {
  const gpus: Gpu[] = [];
  for (const { line, text: row, host } of text.lines) {
    const head = GPU.exec(row);
    if (head) {
      gpus.push({
        gpu: Number(head[1]),
        host,
        lines: [line],
        speeds: new Map(),
        at: new Map(),
        replays: 0,
        recoveries: 0,
        crc: 0,
        counted: false,
      });
      continue;
    }
    const gpu = gpus.at(-1);
    if (!gpu) continue;
    const speed = SPEED.exec(row);
    const errors = ERRORS.exec(row);
    if (speed) {
      gpu.speeds.set(Number(speed[1]), speed[2] === undefined ? null : Number(speed[2]));
      gpu.at.set(Number(speed[1]), line);
    } else if (errors) {
      const kind = (errors[2] ?? "").toLowerCase();
      gpu.counted = true;
      if (kind === "replay") gpu.replays += Number(errors[3]);
      else if (kind === "recovery") gpu.recoveries += Number(errors[3]);
      else gpu.crc += Number(errors[3]);
    } else if (ALL_DOWN.test(row)) gpu.speeds.set(0, null);
    else continue;
    gpu.lines.push(line);
  }
  return gpus;
}
