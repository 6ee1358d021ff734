// Takes a kernel log apart: the clock and host of each line, and those lines that tell of a GPU, of memory or of a link.
import type { OutputText } from "./output-text.ts";

/** Where an event stands. */
interface At {
  line: number;
  host: string | null;
  /** As printed. */
  time: string | null;
}

export interface Xid extends At {
  xid: number;
  pci: string;
  detail: string;
}

export interface OomKill extends At {
  victim: string | null;
  pid: number | null;
  scope: "cgroup" | "host" | null;
  rssKib: number | null;
}

export interface LinkChange extends At {
  pci: string;
  device: string;
  /** Of the InfiniBand port, or of the network interface over it: RoCE prints both. */
  ib: boolean;
  up: boolean;
}

export interface KernelEvents {
  /** Lines that a kernel printed, events or not. */
  lines: number[];
  xids: Xid[];
  /** GPUs that are said to be off the bus, with or without an Xid. */
  lost: (At & { pci: string })[];
  ooms: OomKill[];
  links: LinkChange[];
  /** What the network card itself complains of. */
  nics: (At & { text: string })[];
}

const LEVEL = "(?:[a-z]{3,8} *:[a-z]{3,6} *: ?|<\\d{1,3}>)?";
const CALLER = "(?:\\[ *[TC]\\d{1,7}\\])?";
const NODE = "(?:(?<host>[A-Za-z0-9][\\w.-]{0,80}) kernel: ?(?:\\[ *\\d{1,10}\\.\\d{3,9}\\] ?)?)?";
/** dmesg -T, plain dmesg, dmesg -H, syslog, journalctl -o short-iso, dmesg --time-format iso. */
const STAMPS: readonly RegExp[] = [
  new RegExp(
    `^${LEVEL}\\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4})\\]${CALLER} ?${NODE}(?<rest>.*)$`,
  ),
  new RegExp(`^${LEVEL}\\[ *(?<time>\\d{1,9}\\.\\d{6})\\]${CALLER} ?${NODE}(?<rest>.*)$`),
  new RegExp(`^${LEVEL}\\[(?:(?<time>[A-Z][a-z]{2}[ \\d]\\d \\d{2}:\\d{2})| *\\+\\d{1,9}\\.\\d{6})\\] ?(?<rest>.*)$`),
  /^(?<time>[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) (?<host>[A-Za-z0-9][\w.-]{0,80}) kernel: ?(?:\[ *\d{1,10}\.\d{3,9}\] ?)?(?<rest>.*)$/,
  /^(?<time>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?) (?<host>[A-Za-z0-9][\w.-]{0,80}) kernel: ?(?:\[ *\d{1,10}\.\d{3,9}\] ?)?(?<rest>.*)$/,
  new RegExp(`^${LEVEL}(?<time>\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2},\\d{6}[+-]\\d{2}:?\\d{2}) (?<rest>.*)$`),
  /^(?<time>)kernel: ?(?:\[ *\d{1,10}\.\d{3,9}\] ?)?(?<rest>.*)$/,
];

const XID =
  /^(?:NVRM: )?Xid \((?:PCI:)?(?<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.\d)?)\): (?<xid>\d{1,3})(?:,|$)(?<detail>.*)$/;
const LOST =
  /^NVRM: .{0,60}?(?:GPU|PCI:)\s?(?:at )?(?:PCI:)?(?<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.\d)?)\b(?<said>.*)$/;
const OFF_THE_BUS = /^NVRM: (?:.{0,120} )?fallen off the bus/;
const INVOKED = /^(?<who>.{1,40}?) invoked oom-killer: /;
const CONSTRAINT =
  /^oom-kill:constraint=(?<constraint>[A-Z_]{5,40}),.{0,4000}?\btask=(?<task>[^,]{1,60}),pid=(?<pid>\d{1,10})(?:,|$)/;
const KILLED =
  /^(?:(?<scope>Memory cgroup out|Out) of memory.{0,20}: )?Kill(?:ed)? process (?<pid>\d{1,10}) \((?<name>[^)]{1,60})\)(?:,? UID:? ?\d{1,10})?,?(?<rest>.*)$/;
const RSS = /anon-rss:(?<kib>\d{1,15})kB/;
const DRIVER = "(?:mlx[45]_(?:core|en)|bnxt_en|ice|i40e|irdma|efa|ionic)";
const PCI = "(?<pci>[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.\\d)";
const IB_LINK = new RegExp(
  `^${DRIVER} ${PCI} (?<device>[\\w.-]{1,40}): Port: \\d{1,3} Link (?<state>DOWN|INIT|ARMED|ACTIVE)$`,
);
const NET_LINK = new RegExp(
  `^${DRIVER} ${PCI} (?<device>[\\w.@-]{1,40}): (?:NIC )?Link (?:is )?(?<state>[Dd]own|[Uu]p)\\b`,
);
const NIC = new RegExp(
  `^${DRIVER} ${PCI}(?: [\\w.@-]{1,40})?: (?:\\w{1,60}:\\d{1,6}:\\(pid \\d{1,10}\\): )?(?<text>(?:Port module event(?:\\[error\\])?: module \\d{1,3}, )?(?:(?<cable>Cable (?:unplugged|error\\b.{0,80}))|Detected insufficient power on the PCIe slot \\(\\d{1,4}W\\)|device's health compromised.{0,60}|Health issue observed.{0,80}|.{0,60}High [Tt]emperature.{0,60}))\\.?$`,
);
/** Of the kernel's own clock. */
const STARTING_S = 120;
const WATCHDOG = /^NETDEV WATCHDOG: (?<text>[\w.@-]{1,40} \(mlx[45]\w{0,10}\): transmit queue \d{1,4} timed out)/;

export function kernelEvents(text: OutputText): KernelEvents {
  const events: KernelEvents = { lines: [], xids: [], lost: [], ooms: [], links: [], nics: [] };
  let time: string | null = null;
  let told: Told | null = null;
  for (const { line, text: raw, host, command } of text.lines) {
    if (command) continue;
    const stamp = stampOf(raw.trimStart());
    if (stamp) events.lines.push(line);
    // dmesg -H prints the clock once for all lines of a minute.
    time = stamp ? (stamp.time ?? time) : null;
    const row = (stamp?.rest ?? raw).trim();
    const at = { line, host: stamp?.host ?? host, time };
    const before = countEvents(events);
    told = readGpu(events, row, at, told);
    readMemory(events, row, at);
    if (stamp) readLinks(events, row, at);
    if (!stamp && (countEvents(events) > before || /^NVRM: /.test(row))) events.lines.push(line);
  }
  return events;
}

/** Where several kinds are counted alike. */
export function countEvents({ xids, lost, ooms, links, nics }: KernelEvents): number {
  return xids.length + lost.length + ooms.length + links.length + nics.length;
}

function stampOf(row: string): { time: string | null; host: string | null; rest: string } | null {
  for (const stamp of STAMPS) {
    const found = stamp.exec(row)?.groups;
    if (found) return { time: found.time?.trim() || null, host: found.host ?? null, rest: found.rest ?? "" };
  }
  return null;
}

/** A GPU that a line names whose story goes on in the next ones: some drivers wrap it over three of them. */
interface Told extends At {
  pci: string;
}

function readGpu(events: KernelEvents, row: string, at: At, told: Told | null): Told | null {
  const xid = XID.exec(row)?.groups;
  if (xid) {
    events.xids.push({ ...at, xid: Number(xid.xid), pci: xid.pci ?? "", detail: (xid.detail ?? "").trim() });
    return null;
  }
  const pci = LOST.exec(row)?.groups?.pci;
  const named = pci ? { ...at, pci } : told;
  if (named && OFF_THE_BUS.test(row)) {
    events.lost.push(named);
    return null;
  }
  return row.startsWith("NVRM: ") ? named : null;
}

/** One kill is told in several lines: who asked for memory, the decision, and what was freed. */
function readMemory({ ooms }: KernelEvents, row: string, at: At): void {
  if (INVOKED.test(row)) {
    ooms.push({ ...at, victim: null, pid: null, scope: null, rssKib: null });
    return;
  }
  const decided = CONSTRAINT.exec(row)?.groups;
  const killed = KILLED.exec(row)?.groups;
  if (!decided && !killed) return;
  const pid = Number((decided ?? killed)?.pid);
  const last = ooms.at(-1);
  const same = last && (last.pid === null || last.pid === pid) ? last : null;
  const kill = same ?? { ...at, victim: null, pid: null, scope: null, rssKib: null };
  if (!same) ooms.push(kill);
  kill.pid = pid;
  kill.victim ??= decided?.task ?? killed?.name ?? null;
  if (decided) kill.scope = decided.constraint === "CONSTRAINT_MEMCG" ? "cgroup" : "host";
  if (killed?.scope) kill.scope ??= killed.scope.startsWith("Memory") ? "cgroup" : "host";
  const kib = RSS.exec(killed?.rest ?? "")?.groups?.kib;
  if (kib) kill.rssKib ??= Number(kib);
}

function readLinks({ links, nics }: KernelEvents, row: string, at: At): void {
  const ib = IB_LINK.exec(row)?.groups;
  const found = ib ?? NET_LINK.exec(row)?.groups;
  if (found) {
    const state = found.state?.toLowerCase();
    // INIT and ARMED stand between down and up: neither.
    if (state !== "init" && state !== "armed")
      links.push({
        ...at,
        pci: found.pci ?? "",
        device: found.device ?? "",
        ib: ib !== undefined,
        up: state !== "down",
      });
    return;
  }
  const nic = NIC.exec(row)?.groups ?? WATCHDOG.exec(row)?.groups;
  if (!nic) return;
  const text = nic.cable ?? nic.text ?? "";
  // While the machine starts, every port without a cable says so: its state, not an event.
  const starting = /^\d+\.\d+$/.test(at.time ?? "") && Number(at.time) < STARTING_S;
  if (!(starting && text === "Cable unplugged")) nics.push({ ...at, text });
}
