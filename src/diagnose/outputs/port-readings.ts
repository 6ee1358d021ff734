// Takes apart what perfquery, ethtool -S, rdma statistic and the counter files print: readings of one port after the other.
import type { OutputLine, OutputText } from "./output-text.ts";

export interface Reading {
  line: number;
  host: string | null;
  /** "Lid 34", "mlx5_0/1", "ens1np0"; null where nothing names it. */
  port: string | null;
  /** The same with its number, where that stands apart: a switch has one Lid for all its ports. */
  label: string | null;
  /** Tells ports apart, over all hosts. */
  key: string;
  counters: Map<string, { value: number; line: number }>;
}

const PERFQUERY = /^# Port (?:extended )?counters: (?<port>.{1,120}?) port (?<number>\d{1,3})(?: \(CapMask.*)?$/;
const DOTTED = /^(?<name>[A-Z]\w{2,60}):\.{2,80}(?<value>\d{1,20}|0x[0-9a-fA-F]{1,16})$/;
/** Other tools print dots too (ibportstate, smpquery): of those names none is a counter. */
const IB_COUNTER =
  /^(?:SymbolErrorCounter|LinkErrorRecoveryCounter|LinkDownedCounter|LinkRecovers|LinkDowned|Port(?:Xmi?t|Rcv|Unicast|Multicast)\w+|LocalLinkIntegrityErrors|ExcessiveBufferOverrunErrors|ExcBufOverrunErrors|LinkIntegrityErrors|VL15Dropped|QP1Dropped)$/;
const ETHTOOL = /^NIC statistics:$/;
const ETHTOOL_ROW =
  /^(?<name>(?:\[\d{1,4}\]: ?|\w{2,12}: )?[A-Za-z][\w.[\]-]{1,80}(?: [\w.[\]-]{1,40}){0,4}): (?<value>\d{1,20})$/;
/** Rows without the header must look like this to be known. */
const ETHTOOL_NAME =
  /^(?:rx|tx|link|ch|port|outbound|veb|module|np|rp|roce|rdma|out_of|packet_seq|local_ack|implied|rnr|req|resp|prio)\w{0,10}_\w{2,60}$/;
const RDMA = /^(?:link |\d{1,4}\/\d{1,4}: )(?<port>[\w.-]{1,60}\/\d{1,3}):?(?:\s+(?<rest>\S.{0,20000}))?$/;
/** What `rdma statistic qp show` says of a set of queue pairs before their counters. */
const QUEUES =
  /^(?:qp[-_]type \S{1,20}\s+)?cntn (?<set>\d{1,10})(?:\s+pid \d{1,10})?(?:\s+comm \S{1,60})?(?:\s+(?<rest>\S.{0,20000}))?$/;
const RDMA_NAME =
  /_(?:err|errs|error|errors|requests|retry|packets|bytes|sent|handled|ignored|buffer|sequence|retrans|request|to|restart|trans|cnps|encapsulated)$|_err/;
const FILE =
  /^(?:==> )?\/sys\/class\/(?:infiniband\/(?<port>[\w.-]{1,60}\/ports\/\d{1,3})\/(?:hw_)?counters|net\/(?<net>[\w.-]{1,40})\/statistics)\/(?<name>\w{2,60})(?:: ?(?<value>\d{1,20})| <==)$/;
const TYPED = /(?:^|[\s/])ethtool (?:-\S{1,40} ){0,6}(?:-S|--statistics) (?<port>[\w.@-]{1,40})/;
const DEVICE = /^(?:={2,} ?|-{2,} ?|# ?)?(?<port>[a-z][\w.-]{1,30}\d[\w.-]{0,12})(?: ?={2,}| ?-{2,})?:?$/;

export function counterLines(text: OutputText): number[] {
  const rows = text.lines.filter(({ command }) => !command).map((at) => ({ ...at, text: at.text.trim() }));
  const headed = rows.some(({ text: row }) => PERFQUERY.test(row) || ETHTOOL.test(row));
  const names = rows.filter(({ text: row }) => ETHTOOL_NAME.test(ETHTOOL_ROW.exec(row)?.groups?.name ?? ""));
  const dotted = rows.filter(({ text: row }) => IB_COUNTER.test(DOTTED.exec(row)?.groups?.name ?? ""));
  const links = rows.filter(({ text: row }, at) => {
    const found = rdmaAt(row);
    return found && (found.pairs.length > 0 || pairsOf(rows[at + 1]?.text || "-"));
  });
  const files = rows.filter(({ text: row }) => FILE.test(row));
  if (!headed && names.length < 3 && dotted.length === 0 && links.length === 0 && files.length === 0) return [];
  return [
    ...new Set(
      readingsOf(text).flatMap(({ line, counters }) => [line, ...[...counters.values()].map((one) => one.line)]),
    ),
  ];
}

/** A port and its counters, in a row or below: `rdma link` and other resources begin alike. */
function rdmaAt(row: string): { port: string; label: string; pairs: [string, string][] } | null {
  const { port, rest = "" } = RDMA.exec(row)?.groups ?? {};
  if (port === undefined) return null;
  const queues = QUEUES.exec(rest)?.groups;
  const pairs = pairsOf(queues ? (queues.rest ?? "") : rest);
  return pairs && { port, label: queues ? `${port} cntn ${queues.set}` : port, pairs };
}

/** Names and numbers in turn, one of them a counter's; null for anything else. */
function pairsOf(row: string): [string, string][] | null {
  const words = row.replace(/^optional-set: /i, "").split(/\s+/, 1_000);
  if (row === "") return [];
  const pairs = words.flatMap((word, at): [string, string][] => (at % 2 === 0 ? [[word, words[at + 1] ?? ""]] : []));
  const counters = pairs.every(([name, value]) => /^[a-z]\w{1,60}$/.test(name) && /^\d{1,20}$/.test(value));
  return counters && pairs.some(([name]) => RDMA_NAME.test(name)) ? pairs : null;
}

export function readingsOf({ lines }: OutputText): Reading[] {
  const open = new Map<
    string | null,
    { reading: Reading | null; port: string | null; link: Reading | null; file: string | null }
  >();
  const all: Reading[] = [];
  for (const at of lines) {
    const row = at.text.trim();
    const state = open.get(at.host) ?? { reading: null, port: null, link: null, file: null };
    open.set(at.host, state);
    const begin = (port: string | null, label = port): Reading => {
      const reading: Reading = {
        line: at.line,
        host: at.host,
        port,
        label,
        key: `${at.host} ${label}`,
        counters: new Map(),
      };
      all.push(reading);
      state.reading = reading;
      return reading;
    };
    const typed = TYPED.exec(row)?.groups?.port;
    if (typed) state.port = typed;
    if (at.command) {
      state.reading = null;
      continue;
    }
    const perfquery = PERFQUERY.exec(row)?.groups;
    const rdma = rdmaAt(row);
    const file = FILE.exec(row)?.groups;
    if (perfquery) begin(perfquery.port ?? null, `${perfquery.port} port ${perfquery.number}`);
    else if (ETHTOOL.test(row)) begin(state.port);
    else if (rdma) {
      state.link = begin(rdma.port, rdma.label);
      for (const [name, value] of rdma.pairs) add(state.link, at, name, value);
    } else if (file?.name) {
      const port = file.net ?? file.port?.replace("/ports", "") ?? null;
      const last = all.findLast((one) => one.port === port && one.host === at.host);
      state.reading = last && !last.counters.has(file.name) ? last : begin(port);
      state.file = file.value === undefined ? file.name : null;
      if (file.value !== undefined) add(state.reading, at, file.name, file.value);
    } else if (state.file && /^\d{1,20}$/.test(row) && state.reading) {
      add(state.reading, at, state.file, row);
      state.file = null;
    } else {
      const device = DEVICE.exec(row)?.groups?.port;
      if (device) state.port = device;
      // Below a link with -p, or where its long row was broken.
      const more = state.link !== null && state.link === state.reading ? pairsOf(row) : null;
      if (more && state.link) for (const [name, value] of more) add(state.link, at, name, value);
      const pair = DOTTED.exec(row)?.groups ?? ETHTOOL_ROW.exec(row)?.groups;
      if (!pair?.name || !pair.value) continue;
      // Where the header was cut off, a name that comes again begins the next reading.
      const reading =
        !state.reading || state.reading.counters.has(pair.name)
          ? begin(state.reading?.port ?? state.port, state.reading?.label ?? state.port)
          : state.reading;
      add(reading, at, pair.name, pair.value);
    }
  }
  return all.filter(({ counters }) => counters.size > 0);
}

function add({ counters }: Reading, { line }: OutputLine, name: string, value: string): void {
  counters.set(name, { value: Number(value), line });
}

const SLEEP = /\bsleep (?<n>\d{1,6})(?<unit>[smh]?)\b/;
const CLOCK =
  /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2}|\d{4}-\d{2}-\d{2}[T ]|[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4}|={2,}.{0,40}?) ?(?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2})/;

/** Seconds between two readings: what the command slept, or what `date` printed before each. */
export function windowOf({ lines }: OutputText): { seconds: number; line: number } | null {
  for (const { line, text } of lines) {
    const slept = SLEEP.exec(text)?.groups;
    if (slept) return { seconds: Number(slept.n) * (slept.unit === "m" ? 60 : slept.unit === "h" ? 3600 : 1), line };
  }
  const clocks = lines.flatMap(({ line, text }) => {
    const found = CLOCK.exec(text.trim())?.groups;
    return found ? [{ line, at: Number(found.h) * 3600 + Number(found.m) * 60 + Number(found.s) }] : [];
  });
  const [first] = clocks;
  const last = clocks.at(-1);
  if (!first || !last || first === last) return null;
  return { seconds: (last.at - first.at + 86_400) % 86_400, line: first.line };
}
