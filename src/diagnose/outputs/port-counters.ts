// perfquery, ethtool -S, rdma statistic: do a port's error counters grow? Lifetime counts prove nothing.
//   # Port extended counters: Lid 34 port 1 (CapMask: 0x5A00 CapMask2: 0x0000002)
//   SymbolErrorCounter:..............22917
import type { OutputReader, Refusal, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, shortRows } from "./output-text.ts";
import { counterLines, type Reading, readingsOf, windowOf } from "./port-readings.ts";
import { count, createFacts, type FactsBuilder, groupBy, said } from "./said.ts";

/** rdma statistic prints all counters of a port on one line. */
const ROW_CHARS = 20_000;
const ERROR = /err|discard|downed|recover|timeout|nak|retr(?:y|ies)|seq|drop|link_down_events/i;
/** Traffic, what error correction repaired (rx_err_lane_* counts before it), and congestion. */
const NO_ERROR = /data$|pkts|bytes|packets|wait|pause|pfc|cnp|ecn|err_lane|^CounterSelect|^PortSelect/i;
const CONGESTION = /XmitWait|xmit_wait|pause(?!_duration)|pfc|cnp|ecn/i;

const FAILURES: readonly { pattern: RegExp; refusal: Refusal; sure: boolean; en: string; zh: string }[] = [
  {
    pattern: /can't open UMAD port|iberror: (?:\[\d+\] \w+: )?failed: Failed to open/,
    refusal: "permission",
    sure: true,
    en: "The InfiniBand management device may not be opened; it takes root",
    zh: "无法打开 InfiniBand 管理设备（umad），需要 root",
  },
  {
    pattern:
      /^no stats available$|^(?:ethtool: )?Cannot get (?:stats|driver|device)\b.{0,60}: (?:No such device|Operation not supported|Not supported)|^netlink error: No such device/,
    refusal: "no-device",
    sure: true,
    en: "There is no such interface, or its driver keeps no counters",
    zh: "没有这个网口，或驱动不提供计数器",
  },
  {
    pattern: /^(?:.{0,60}: )?No such device(?: or address)?$/,
    refusal: "no-device",
    sure: false,
    en: "There is no such interface",
    zh: "没有这个网口",
  },
  {
    pattern:
      /^(?:Usage|usage):\s+(?:\S{0,200}\/)?(?:perfquery\b|rdma (?:.{0,40} )?statistic)|^ethtool: bad command line argument/,
    refusal: "usage",
    sure: true,
    en: "The tool printed its usage",
    zh: "只打印了用法",
  },
  {
    pattern: /^(?:perfquery: )?ib(?:warn|error): .{0,200}(?:Connection timed out|recv failed|timed? ?out)/,
    refusal: "timeout",
    sure: true,
    en: "The port did not answer the query",
    zh: "端口没有应答查询",
  },
];

export const portCounters: OutputReader = {
  id: "port-counters",
  command: "sudo perfquery -x LID 1; sleep 60; sudo perfquery -x LID 1",
  owns: (line) =>
    /(?:^|[\s/])perfquery\b|(?:^|[\s/])ethtool (?:-\S{1,40} ){0,6}(?:-S|--statistics)\b|(?:^|\s)rdma (?:-\S{1,40} ){0,6}stat|\/(?:hw_)?counters\//.test(
      line,
    ),
  knows: (text) => {
    const lines = counterLines(shortRows(text, ROW_CHARS));
    return lines.length > 0 ? lines : failuresOf(text).map(({ line }) => line);
  },
  read: (text) => read(shortRows(text, ROW_CHARS)),
};

function failuresOf({ lines }: OutputText) {
  const asked = lines.some(({ command, text }) => command && portCounters.owns(text));
  return lines.flatMap(({ line, text }) => {
    const failure = FAILURES.find(({ pattern, sure }) => (sure || asked) && pattern.test(text.trim()));
    return failure ? [{ line, ...failure }] : [];
  });
}

/** A counter of one port over all its readings. */
interface Counter {
  port: string | null;
  label: string | null;
  host: string | null;
  name: string;
  first: number;
  last: number;
  lines: number[];
}

function read(text: OutputText): ToolReading {
  const readings = readingsOf(text);
  if (readings.length === 0) return refuse(text);
  const ports = groupBy(readings, ({ key }) => key);
  const times = [...ports.values()].reduce((least, { length }) => Math.min(least, length), readings.length);
  const counters = [...ports.values()].flatMap(countersOf);
  const errors = counters.filter(({ name }) => isError(name));
  const facts = createFacts();
  facts.add(
    "readings",
    times,
    readings.map(({ line }) => line),
  );
  const names = new Set(readings.map(({ port }) => port));
  const finding =
    times > 1
      ? readGrowth({ counters, errors, text, names, ports: ports.size }, facts)
      : readOnce({ counters, errors, names, ports: ports.size }, facts);
  if (!facts.facts.host) facts.addHost(text);
  if (errors.length === 0) {
    const say = "no error counter was pasted; paste the whole output, or grep for err|discard|drop|timeout|nak too";
    return {
      status: "partial",
      finding: said(
        `No error counter among ${counters.length} counters.`,
        `${counters.length} 个计数器中没有错误计数。`,
      ),
      facts: facts.facts,
      problems: [{ line: readings[0]?.line ?? 1, say }],
    };
  }
  const nonzero = errors.some(({ last }) => last > 0);
  if (times > 1 || !nonzero) return { status: "read", finding, facts: facts.facts };
  return {
    status: "partial",
    finding,
    facts: facts.facts,
    problems: [
      {
        line: errors.find(({ last }) => last > 0)?.lines[0] ?? 1,
        say: "lifetime counts prove nothing about now: paste a second reading, 60 s later",
      },
    ],
  };
}

function refuse(text: OutputText): ToolReading {
  const [failure] = failuresOf(text);
  const { line, refusal, en, zh } = failure ?? {
    line: 1,
    refusal: "empty" as const,
    en: "No counter was read",
    zh: "没有读到计数器",
  };
  return {
    status: "refused",
    refusal,
    finding: said(`${en}. Run: ${portCounters.command}`, `${zh}。请运行：${portCounters.command}`),
    line,
  };
}

function isError(name: string): boolean {
  return ERROR.test(name) && !NO_ERROR.test(name);
}

function countersOf(readings: readonly Reading[]): Counter[] {
  const [first] = readings;
  const last = readings.at(-1);
  if (!first || !last) return [];
  return [...last.counters].map(([name, { value, line }]) => {
    const before = readings.length > 1 ? first.counters.get(name) : undefined;
    return {
      port: last.port,
      label: last.label,
      host: last.host,
      name,
      first: before?.value ?? value,
      last: value,
      lines: before ? [before.line, line] : [line],
    };
  });
}

interface Judged {
  counters: readonly Counter[];
  errors: readonly Counter[];
  names: ReadonlySet<string | null>;
  ports: number;
}

function readGrowth(
  { counters, errors, text, names, ports }: Judged & { text: OutputText },
  facts: FactsBuilder,
): Said {
  const grown = errors.filter(({ first, last }) => last > first).sort((a, b) => growthOf(b) - growthOf(a));
  const [worst, next] = grown;
  const window = windowOf(text);
  facts.add("window_s", window?.seconds, window ? [window.line] : []);
  const shown = (grown.length > 0 ? grown : errors).flatMap(({ lines }) => lines);
  facts.add("growing", [...new Set(grown.map(({ name }) => name))].sort(), shown.length > 0 ? shown : [1]);
  const lines = counters.flatMap((one) => one.lines);
  addName(facts, worst?.port ?? (names.size === 1 ? [...names][0] : null), worst?.lines ?? lines);
  const inEn = window ? ` in ${window.seconds} s` : "";
  const inZh = window ? `在 ${window.seconds} 秒内` : "在两次读数之间";
  const jam = congestionOf(counters, growthOf);
  if (!worst)
    return said(
      `No fault found: none of ${count(errors.length, "error counter")}${ports > 1 ? ` of ${ports} ports` : ""} grew${inEn}.${jam.en}`,
      `未发现异常：${ports > 1 ? `${ports} 个端口的 ` : ""}${errors.length} 个错误计数${inZh}都没有增长。${jam.zh}`,
    );
  facts.add("growing_worst", worst.name, worst.lines);
  facts.add("growth", growthOf(worst), worst.lines);
  if (new Set(grown.map(({ host }) => host)).size === 1) facts.add("host", worst.host, worst.lines);
  const where = whereOf(worst);
  const also = next ? `, ${next.name}${next.label === worst.label ? "" : whereOf(next).en} by ${growthOf(next)}` : "";
  const alsoZh = next
    ? `，${next.label === worst.label ? "" : whereOf(next).zh}${next.name} 增加 ${growthOf(next)}`
    : "";
  return said(
    `${worst.name}${where.en} grew by ${growthOf(worst)}${inEn}${also}${grown.length > 2 ? `; ${grown.length - 2} more grew` : ""}.${jam.en}`,
    `${where.zh}${worst.name} ${inZh}增加 ${growthOf(worst)}${alsoZh}${grown.length > 2 ? `；另有 ${grown.length - 2} 个也在增长` : ""}。${jam.zh}`,
  );
}

function readOnce({ counters, errors, names, ports }: Judged, facts: FactsBuilder): Said {
  const nonzero = errors.filter(({ last }) => last > 0).sort((a, b) => b.last - a.last);
  const lines = (nonzero.length > 0 ? nonzero : errors.length > 0 ? errors : counters).flatMap((one) => one.lines);
  facts.add("counters_nonzero", [...new Set(nonzero.map(({ name }) => name))], lines);
  addName(facts, names.size === 1 ? [...names][0] : null, lines);
  const jam = congestionOf(counters, ({ last }) => last);
  const [top] = nonzero;
  if (!top)
    return said(
      `No fault found: all of ${count(errors.length, "error counter")}${ports > 1 ? ` of ${ports} ports` : ""} are 0.${jam.en}`,
      `未发现异常：${ports > 1 ? `${ports} 个端口的 ` : ""}${errors.length} 个错误计数都是 0。${jam.zh}`,
    );
  const where = whereOf(top);
  return said(
    `${top.name}${where.en} stands at ${top.last}${nonzero.length > 1 ? `, ${nonzero.length - 1} more are not 0` : ""}; lifetime counts: a second reading is needed to see growth.`,
    `${where.zh}${top.name} 累计为 ${top.last}${nonzero.length > 1 ? `，另有 ${nonzero.length - 1} 个非零` : ""}；这是累计值，需要第二次读数才能看出是否增长。`,
  );
}

function whereOf({ label, host }: Counter): Said {
  const name = [label, host === null ? null : `(${host})`].filter((part) => part !== null).join(" ");
  return name === "" ? { en: "", zh: "" } : { en: ` of ${name}`, zh: `${name} 的 ` };
}

function growthOf({ first, last }: Counter): number {
  return last - first;
}

/** A port's own name, where one is meant. */
function addName(facts: FactsBuilder, name: string | null | undefined, lines: readonly number[]): void {
  facts.add("port_name", name, lines.slice(0, 1));
}

/** Waiting and pausing are congestion, no fault of the link: said, not counted. */
function congestionOf(counters: readonly Counter[], by: (counter: Counter) => number): Said {
  const [most] = counters.filter((one) => CONGESTION.test(one.name) && by(one) > 0).sort((a, b) => by(b) - by(a));
  if (!most) return { en: "", zh: "" };
  return { en: ` Congestion: ${most.name} ${by(most)}.`, zh: `拥塞迹象：${most.name} ${by(most)}。` };
}
