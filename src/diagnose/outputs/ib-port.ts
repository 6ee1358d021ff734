// ibstat, ibstatus, rdma link, or the rate files: is every port of the fast network up, and as fast as its siblings?
//   CA 'mlx5_3'
//       CA type: MT4129
//       Port 1:
//           State: Active
//           Rate: 200
import { type Port, portLines, portsOf } from "./ib-ports.ts";
import type { OutputReader, ReadProblem, Refusal, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, shortRows } from "./output-text.ts";
import { count, createFacts, type FactsBuilder, groupBy, said, some, someZh } from "./said.ts";

const FAILURES: readonly { pattern: RegExp; refusal: Refusal; en: string; zh: string }[] = [
  {
    pattern:
      /^ibpanic: \[\d{1,10}\] main: (?:'[^']{0,60}' IB device can't be found|can't list IB device names|stat of IB device|can't init UMAD)|^Fatal error:\s+(?:No devices|device '[^']{0,60}': sys files not found)/,
    refusal: "no-device",
    en: "This host shows no such InfiniBand device",
    zh: "本机没有这个 InfiniBand 设备",
  },
  {
    pattern: /^Usage:\s+(?:\S{0,200}\/)?(?:ibstat(?:us)?\b|rdma link\b)/,
    refusal: "usage",
    en: "The tool printed its usage",
    zh: "只打印了用法",
  },
];

export const ibPort: OutputReader = {
  id: "ib-port",
  command: "ibstat",
  owns: (line) =>
    /(?:^|[\s/])ibstat(?:us)?\b|(?:^|\s)rdma (?:-\S{1,40} ){0,6}link\b|\/sys\/class\/infiniband\/\S*\/(?:rate|state|phys_state)/.test(
      line,
    ),
  knows: (text) => {
    const lines = portLines(shortRows(text));
    return lines.length > 0 ? lines : failuresOf(text).map(({ line }) => line);
  },
  read: (text) => read(shortRows(text)),
};

function failuresOf({ lines }: OutputText) {
  return lines.flatMap(({ line, text }) => {
    const failure = FAILURES.find(({ pattern }) => pattern.test(text.trim()));
    return failure ? [{ line, ...failure }] : [];
  });
}

function read(text: OutputText): ToolReading {
  const ports = portsOf(text);
  const [failure] = failuresOf(text);
  if (ports.length === 0 && failure) {
    const { line, refusal, en, zh } = failure;
    return {
      status: "refused",
      refusal,
      finding: said(`${en}. Run: ${ibPort.command}`, `${zh}。请运行：${ibPort.command}`),
      line,
    };
  }
  const facts = createFacts();
  if (ports.length === 0) {
    facts.addHost(text);
    return {
      status: "partial",
      finding: said("Adapters without their ports.", "只有网卡信息，没有端口状态。"),
      facts: facts.facts,
      problems: [{ line: text.lines.length, say: "no port was pasted; paste what ibstat prints without -s or -l" }],
    };
  }
  const judged = judge(ports);
  addPorts(facts, ports, judged, text);
  const cut = cutOf(ports);
  const finding = sayPorts(
    ports.filter((port) => !cut.includes(port)),
    judged,
  );
  const nameless = judged.slow.find(({ name }) => name === null);
  const problems: ReadProblem[] = cut.map(({ line, name }) => ({
    line,
    say: `${name ?? "a port"} is cut: its state or rate was not pasted`,
  }));
  if (nameless)
    problems.push({
      line: nameless.rateLine,
      say: "which port is it? Paste what `grep . /sys/class/infiniband/*/ports/*/rate` prints",
    });
  if (problems.length === 0) return { status: "read", finding: said(finding.en, finding.zh), facts: facts.facts };
  const ends = nameless
    ? { en: "Which port it is was not printed.", zh: "输出里没有端口名。" }
    : {
        en: `Cut: ${some(cut.map(({ name }) => name ?? "a port"))}.`,
        zh: `${someZh(cut.map(({ name }) => name ?? "某个端口"))} 不完整。`,
      };
  return {
    status: "partial",
    finding: said(`${finding.en} ${ends.en}`, `${finding.zh}${ends.zh}`),
    facts: facts.facts,
    problems,
  };
}

interface Judged {
  down: Port[];
  /** Down because somebody switched them off. */
  off: Port[];
  slow: Port[];
  /** The ports that the figures are about: the siblings of the first bad one, else the most numerous kind. */
  siblings: Port[];
  /** The highest rate among the siblings. */
  best: number | null;
}

function judge(ports: readonly Port[]): Judged {
  // Where the type of the card is not printed its kind of name stands for it: mlx5_bond_0 is no sibling of mlx5_0.
  const kinds = groupBy(ports, ({ type, name, layer }) => `${type ?? name?.replace(/\d+/g, "#")} ${layer}`);
  const bestOf = (some: readonly Port[]): number =>
    some.reduce((most, port) => Math.max(most, isUp(port) ? (port.gbps ?? 0) : 0), 0);
  const idle = ports.filter((port) => !isUp(port));
  const off = idle.filter(({ phys }) => /^disabled$/i.test(phys ?? ""));
  const slow = [...kinds.values()].flatMap((some) =>
    some.filter((port) => isUp(port) && port.gbps !== null && port.gbps < bestOf(some)),
  );
  const down = idle.filter((port) => !off.includes(port));
  const bad = down[0] ?? slow[0];
  const [most = []] = [...kinds.values()].sort(
    (a, b) => Number(b.includes(bad as Port)) - Number(a.includes(bad as Port)) || b.length - a.length,
  );
  return { down, off, slow, siblings: most, best: bestOf(most) || null };
}

/** Rates alone tell no state: such a port counts as up. */
function isUp({ state }: Port): boolean {
  return state === null || /^active/i.test(state);
}

function addPorts(
  facts: FactsBuilder,
  ports: readonly Port[],
  { down, slow, siblings, best }: Judged,
  text: OutputText,
): void {
  const names = namer([...down, ...slow]);
  const at = (some: readonly Port[], line: (port: Port) => number): number[] =>
    (some.length > 0 ? some : ports).map(line);
  facts.add(
    "ports",
    ports.length,
    ports.map(({ line }) => line),
  );
  if (ports.some(({ state }) => state !== null))
    facts.add(
      "ports_down",
      down.map(names).sort(),
      at(down, ({ stateLine }) => stateLine),
    );
  if (slow.every(({ name }) => name !== null))
    facts.add(
      "ports_slow",
      slow.map(names).sort(),
      at(slow, ({ rateLine }) => rateLine),
    );
  facts.add(
    "rate_gbps",
    best,
    siblings.filter(({ gbps }) => gbps === best).map(({ rateLine }) => rateLine),
  );
  const rates = slow.map(({ gbps }) => gbps ?? 0);
  if (slow.length > 0)
    facts.add(
      "slow_rate_gbps",
      rates.reduce((least, rate) => Math.min(least, rate)),
      slow.map(({ rateLine }) => rateLine),
    );
  const bad = down[0] ?? slow[0];
  if (bad) facts.add("phys_state", bad.phys, [bad.stateLine]);
  const layer = bad?.layer ?? siblings[0]?.layer;
  facts.add("link_layer", layer, [bad?.line ?? siblings[0]?.line ?? 1]);
  const hosts = new Set([...down, ...slow].map(({ host }) => host));
  if (bad && hosts.size === 1) facts.add("host", bad.host, [bad.line]);
  else facts.addHost(text);
}

/** Bad ports of several hosts are named with their host. */
function namer(bad: readonly Port[]): (port: Port) => string {
  const several = new Set(bad.map(({ host }) => host)).size > 1;
  return ({ host, name }) => (several && host !== null ? `${host}:${name}` : (name ?? "?"));
}

/** Ports without a state or rate, where others have them or the layout must. */
function cutOf(ports: readonly Port[]): Port[] {
  const has = (field: "state" | "gbps"): boolean => ports.some((port) => port[field] !== null);
  return ports.filter((port) =>
    (["state", "gbps"] as const).some((field) => port[field] === null && (port.block || has(field))),
  );
}

function sayPorts(ports: readonly Port[], judged: Judged): Said {
  const { down, off, slow, siblings, best } = judged;
  const names = namer([...down, ...slow]);
  const hosts = new Set(ports.map(({ host }) => host)).size;
  const badHosts = new Set([...down, ...slow].map(({ host }) => host));
  const on = hosts > 1 && badHosts.size === 1 ? [...badHosts][0] : null;
  const of = `${count(ports.length, "port")}${hosts > 1 ? ` of ${hosts} hosts` : ""}`;
  const ofZh = `${hosts > 1 ? `${hosts} 台主机的 ` : ""}${ports.length} 个端口`;
  const en: string[] = [];
  const zh: string[] = [];
  if (down.length > 0) {
    const states = [...new Set(down.map(({ state, phys }) => [state, phys].filter(Boolean).join("/")))].join("; ");
    en.push(
      `${some(down.map(names))}${on ? ` on ${on}` : ""} ${down.length === 1 ? "is" : "are"} not Active (${states}), of ${of}`,
    );
    zh.push(`${on ? `${on} 上的 ` : ""}${someZh(down.map(names))} 未激活（${states}），共 ${ofZh}`);
  }
  if (slow.length > 0) {
    const rates = [...new Set(slow.map(({ gbps }) => gbps))].join(", ");
    const others = siblings.filter(({ gbps }) => gbps === best).length;
    const named = slow.every(({ name }) => name !== null);
    const who = named ? some(slow.map(names)) : count(slow.length, "port");
    const whoZh = named ? `${someZh(slow.map(names))} ` : `${slow.length} 个端口`;
    const one = slow.length === 1;
    en.push(
      `${who}${on ? ` on ${on}` : ""} ${one ? "runs" : "run"} at ${rates} Gb/s, ${one ? "its" : "their"} ${count(others, "sibling")} at ${best}`,
    );
    zh.push(`${on ? `${on} 上的 ` : ""}${whoZh}只有 ${rates} Gb/s，其余 ${others} 个同类端口为 ${best}`);
  }
  if (en.length === 0) {
    const rated = best !== null;
    const states = ports.some(({ state }) => state !== null);
    en.push(
      `No fault found in ${of}${off.length > 0 ? ` but ${off.length} switched off` : ""}${states ? ": Active" : ":"}${rated ? ` at ${best} Gb/s${siblings.length < ports.length ? ` (${siblings.length} of them)` : ""}` : "; this output has no rate"}`,
    );
    zh.push(
      `${ofZh}未发现异常${off.length > 0 ? `（${off.length} 个被关闭）` : ""}：${states ? "状态正常" : ""}${rated ? `${states ? "，" : ""}速率 ${best} Gb/s${siblings.length < ports.length ? `（其中 ${siblings.length} 个）` : ""}` : "，此输出不含速率"}`,
    );
  }
  if (off.length > 0) {
    en.push(`${some(off.map(namer(off)))} ${off.length === 1 ? "is" : "are"} Disabled, switched off by choice`);
    zh.push(`${someZh(off.map(namer(off)))} 为 Disabled，是人为关闭的`);
  }
  return { en: `${en.join("; ")}.`, zh: `${zh.join("；")}。` };
}
