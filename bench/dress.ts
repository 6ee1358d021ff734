// How a line looks once launchers, loggers and collectors have had it: clocks, zones, prefixes, colours.

/** A node's way of printing time. */
export interface NodeClock {
  format: "iso" | "iso-utc" | "glog" | "day" | "none";
  /** Milliseconds by which the node's clock is wrong. */
  skew: number;
  /** Minutes east of UTC that local formats are in. */
  zone: number;
  /** A collector stamps every line; otherwise only the program's own logger does. */
  everyLine: boolean;
}

export type Launcher = "torchrun" | "srun" | "mpirun" | "bare";

export function stamp(clock: NodeClock, ms: number): string {
  const told = ms + clock.skew;
  const local = new Date(told + clock.zone * 60_000).toISOString();
  switch (clock.format) {
    case "iso":
      return `${local.slice(0, 10)} ${local.slice(11, 19)},${local.slice(20, 23)} `;
    case "iso-utc":
      return `${new Date(told).toISOString()} `;
    case "glog":
      return `I${local.slice(5, 7)}${local.slice(8, 10)} ${local.slice(11, 23)}000 `;
    case "day":
      return `${local.slice(11, 19)} `;
    default:
      return "";
  }
}

/** The time inside c10d's own prefix: always the node's local time. */
export function glogTime(clock: NodeClock, ms: number): string {
  const local = new Date(ms + clock.skew + clock.zone * 60_000).toISOString();
  return `${local.slice(5, 7)}${local.slice(8, 10)} ${local.slice(11, 23)}000000`;
}

/** The kernel's line as journald shows it. */
export function kernel(clock: NodeClock, ms: number, host: string, text: string): string {
  const local = new Date(ms + clock.skew + clock.zone * 60_000);
  const day = String(local.getUTCDate()).padStart(2, " ");
  return `${MONTHS[local.getUTCMonth()]} ${day} ${local.toISOString().slice(11, 19)} ${host} kernel: ${text}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function prefix(launcher: Launcher, rank: number): string {
  switch (launcher) {
    case "torchrun":
      return `[rank${rank}]: `;
    case "srun":
      return `${String(rank).padStart(3)}: `;
    case "mpirun":
      return `[1,${rank}]<stderr>:`;
    default:
      return "";
  }
}

export function coloured(text: string): string {
  return text.replace(/^(\S*)(INFO|WARNING)/, "$1\u001b[32m$2\u001b[0m");
}
