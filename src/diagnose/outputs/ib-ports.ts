// Takes apart what ibstat, ibstatus, rdma link and the files under /sys/class/infiniband print: one entry per port.
import type { OutputLine, OutputText } from "./output-text.ts";

export interface Port {
  line: number;
  host: string | null;
  /** mlx5_3, or mlx5_3/2 for a second port; null where a file was printed without its name. */
  name: string | null;
  type: string | null;
  /** Active, DOWN, Initializing: as printed. */
  state: string | null;
  phys: string | null;
  gbps: number | null;
  layer: string | null;
  /** Where the state and the rate stand. */
  stateLine: number;
  rateLine: number;
  /** Was it begun by a line after which a state and a rate must come? */
  block: boolean;
}

type Groups = Record<string, string | undefined>;

/** Of one host: lines of several may be mixed. */
interface State {
  ports: Port[];
  /** The adapter whose ports come next. */
  ca: { name: string; type: string | null } | null;
  /** The port that the next lines are about. */
  port: Port | null;
}
type Read = (state: State, groups: Groups, at: OutputLine) => void;

const NAME = "[\\w.-]{1,60}";

/** Sure ones are nobody else's; the others count where a sure one stands with them. */
/** Sure ones are nobody else's; the others count where a sure one stands with them. */
const ROWS: readonly { sure: boolean; pattern: RegExp; read: Read }[] = [
  {
    sure: true,
    pattern: new RegExp(`^(?:CA|Switch|Router|iWARP RNIC):? '(?<name>${NAME})'$`),
    read: (state, { name = "" }) => {
      state.ca = { name, type: null };
      state.port = null;
    },
  },
  {
    sure: true,
    pattern: /^(?:CA|Switch|Router|iWARP RNIC) type: ?(?<type>.*)$/,
    read: (state, { type }) => {
      if (state.ca) state.ca.type = type?.trim() || null;
    },
  },
  {
    sure: false,
    pattern: /^Port (?<number>\d{1,3}):$/,
    read: (state, { number }, at) => {
      if (state.ca) open(state, at, { name: portName(state.ca.name, number), block: true });
    },
  },
  {
    sure: false,
    pattern: /^State: (?<value>Active|Down|Initializing|Armed|\?{3})$/,
    read: (state, { value }, at) => {
      Object.assign(current(state, at, "state"), { state: value, stateLine: at.line });
    },
  },
  {
    sure: true,
    pattern:
      /^Physical state: (?<value>No state change|Sleep|Polling|Disabled|PortConfigurationTraining|LinkUp|LinkErrorRecovery|PhyTest|\?{3}|<unknown>)$/,
    read: (state, { value }, at) => {
      Object.assign(current(state, at, "phys"), { phys: value });
    },
  },
  {
    sure: false,
    pattern: /^Rate: (?<value>\d{1,5}(?:\.\d)?)(?: \(FDR10\)| Gb\/s(?:ec)?)?$/,
    read: (state, { value }, at) => {
      Object.assign(current(state, at, "gbps"), { gbps: Number(value), rateLine: at.line });
    },
  },
  {
    // ibv_devinfo prints it too.
    sure: false,
    pattern: /^(?:Link layer|link_layer):\s+(?<value>InfiniBand|Ethernet|IB)$/,
    read: (state, { value }, at) => {
      Object.assign(current(state, at, "layer"), { layer: value === "IB" ? "InfiniBand" : value });
    },
  },
  {
    sure: false,
    pattern:
      /^(?:Number of ports|Effective speed|Base lid|SM lid|LMC|Capability mask|(?:Port|Node|System image) GUID|(?:Firmware|Hardware) version|default gid|base lid|sm lid):/,
    read: () => {},
  },
  {
    sure: true,
    pattern: new RegExp(`^Infiniband device '(?<name>${NAME})' port (?<number>\\d{1,3}) status:$`),
    read: (state, { name = "", number }, at) => {
      state.ca = null;
      open(state, at, { name: portName(name, number), block: true });
    },
  },
  {
    sure: true,
    pattern: /^(?<field>state|phys state):\s+(?<value>\d: [A-Za-z ]{2,30})$/,
    read: (state, { field, value = "" }, at) => {
      readFile(state, field === "state" ? "state" : "phys_state", value, at);
    },
  },
  {
    sure: true,
    pattern: /^rate:\s+(?<value>\d{1,5}(?:\.\d)? Gb\/sec.*)$/,
    read: (state, { value = "" }, at) => {
      readFile(state, "rate", value, at);
    },
  },
  {
    // `link mlx5_0/1 …`, and before iproute2 5.3 `0/1: mlx5_0/1: …`
    sure: true,
    pattern: new RegExp(
      `^(?:link |\\d{1,4}/\\d{1,4}: )(?<name>${NAME})/(?<number>\\d{1,3}):?\\s+(?<before>[^<>]{0,120}?)\\bstate (?<state>[A-Z_]{3,14})(?: physical_state (?<phys>[A-Z_]{3,20}))?\\b(?<after>.{0,200})$`,
    ),
    read: (state, { name = "", number, before = "", state: value, phys, after = "" }, at) => {
      state.ca = null;
      const port = open(state, at, { name: portName(name, number), block: false });
      const layer = /\blid \d/.test(before) ? "InfiniBand" : /\bnetdev \S/.test(after) ? "Ethernet" : null;
      Object.assign(port, { state: value, phys: phys ?? null, layer });
    },
  },
  {
    sure: true,
    pattern: new RegExp(
      `^(?:==> )?/sys/class/infiniband/(?<name>${NAME})/ports/(?<number>\\d{1,3})/(?<file>rate|state|phys_state|link_layer)(?:: ?(?<value>\\S.*)| <==)$`,
    ),
    read: (state, { name = "", number, file = "", value }, at) => {
      const full = portName(name, number);
      state.port = state.ports.find((port) => port.name === full) ?? open(state, at, { name: full, block: false });
      if (value) readFile(state, file, value, at);
    },
  },
  {
    // What cat prints of a rate file.
    sure: true,
    pattern: /^(?<value>\d{1,5}(?:\.\d)? Gb\/sec \(\d{1,2}X(?: [A-Z]{2,5}\d{0,3})?\))$/,
    read: (state, { value = "" }, at) => {
      readFile(state, "rate", value, at);
    },
  },
  {
    // What cat prints of a state file.
    sure: false,
    pattern: /^(?<value>\d: (?:ACTIVE|DOWN|INIT|ARMED|LinkUp|Polling|Disabled|Sleep|LinkErrorRecovery))$/,
    read: (state, { value = "" }, at) => {
      readFile(state, /^\d: [A-Z]{4,6}$/.test(value) ? "state" : "phys_state", value, at);
    },
  },
];

/** Rates alone are recognised below the command that printed them. */
const ASKED = /(?:^|[\s/])ibstat(?:us)?\b/;

export function portLines({ lines }: OutputText): number[] {
  const asked = lines.some(({ command, text }) => command && ASKED.test(text));
  const rows = lines.flatMap(({ line, text, command }) => {
    const row = command ? undefined : ROWS.find(({ pattern }) => pattern.test(text.trim()));
    return row ? [{ line, sure: row.sure }] : [];
  });
  return asked || rows.some(({ sure }) => sure) ? rows.map(({ line }) => line) : [];
}

export function portsOf({ lines }: OutputText): Port[] {
  const states = new Map<string | null, State>();
  for (const at of lines) {
    const text = at.text.trim();
    const row = at.command ? undefined : ROWS.find(({ pattern }) => pattern.test(text));
    if (!row) continue;
    const state = states.get(at.host) ?? { ports: [], ca: null, port: null };
    states.set(at.host, state);
    row.read(state, row.pattern.exec(text)?.groups ?? {}, at);
  }
  return [...states.values()].flatMap(({ ports }) => ports);
}

function open(state: State, at: OutputLine, { name, block }: { name: string | null; block: boolean }): Port {
  const port: Port = {
    line: at.line,
    host: at.host,
    name,
    type: state.ca?.type ?? null,
    state: null,
    phys: null,
    gbps: null,
    layer: null,
    stateLine: at.line,
    rateLine: at.line,
    block,
  };
  state.ports.push(port);
  state.port = port;
  return port;
}

/** The port that a line is about: the one above it, or another one where that has such a line already. */
function current(state: State, at: OutputLine, field: "state" | "phys" | "gbps" | "layer"): Port {
  return state.port && state.port[field] === null
    ? state.port
    : open(state, at, { name: state.ca?.name ?? null, block: false });
}

function readFile(state: State, file: string, value: string, at: OutputLine): void {
  const word = value.replace(/^\d: /, "").trim();
  if (file === "rate") Object.assign(current(state, at, "gbps"), { gbps: Number.parseFloat(value), rateLine: at.line });
  if (file === "state") Object.assign(current(state, at, "state"), { state: word, stateLine: at.line });
  if (file === "phys_state") Object.assign(current(state, at, "phys"), { phys: word });
  if (file === "link_layer") Object.assign(current(state, at, "layer"), { layer: word });
}

function portName(ca: string, number: string | undefined): string {
  return number === "1" || number === undefined ? ca : `${ca}/${number}`;
}
