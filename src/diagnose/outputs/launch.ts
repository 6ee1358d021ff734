// A launch line's numbers: nodes, processes and where they meet, by the rules of the launcher that reads them.
import { flagsOf, type LaunchCommand, type LaunchText, toLaunchText } from "./launch-words.ts";
import type { OutputText } from "./output-text.ts";

export interface Layout {
  tp: number | null;
  pp: number | null;
  cp: number | null;
  ep: number | null;
  etp: number | null;
}

/** Names that scripts give the sizes; the first are Megatron's. */
const SIZES: Record<keyof Layout, readonly string[]> = {
  tp: ["tensor_model_parallel_size", "tensor_parallel_size", "tensor_parallel_degree", "tp_size", "tp"],
  pp: [
    "pipeline_model_parallel_size",
    "pipeline_parallel_size",
    "pipeline_parallel_degree",
    "pipe_parallel_size",
    "pp_size",
    "pp",
  ],
  cp: ["context_parallel_size", "context_parallel_degree", "cp_size", "cp"],
  ep: [
    "expert_model_parallel_size",
    "expert_parallel_size",
    "moe_expert_parallel_size",
    "expert_parallel_degree",
    "ep_size",
    "ep",
  ],
  etp: ["expert_tensor_parallel_size", "expert_tensor_parallel_degree"],
};

export interface Launch {
  command: LaunchCommand;
  flags: Map<string, string>;
  script: Map<string, string>;
  nodes: number | null;
  procs: number | null;
  world: number | null;
  backend: string | null;
  endpoint: string | null;
  address: string | null;
  port: number | null;
  /** A variable stands for launcher options that the paste does not show. */
  uncertain: boolean;
  layout: Layout;
}

export function launchesOf(text: OutputText): Launch[] {
  const shell = toLaunchText(text);
  return shell.commands.map((command) => toLaunch(command, shell.variables));
}

function toLaunch(command: LaunchCommand, variables: LaunchText["variables"]): Launch {
  const flags = flagsOf(command.own);
  const script = flagsOf(command.script);
  for (const [name, { value }] of variables) {
    const flag = /^PET_(?<flag>[A-Z_]{1,40})$/.exec(name)?.groups?.flag?.toLowerCase();
    if (flag && !flags.has(flag) && command.launcher === "torchrun") flags.set(flag, value);
  }
  const uncertain = command.own.some(
    (word, at) => /^["']?\$/.test(word) && !/^--?[\w-]+$/.test(command.own[at - 1] ?? ""),
  );
  const sizes = sizesOf({ command, flags, variables, uncertain });
  const endpoint = flags.get("rdzv_endpoint") ?? null;
  const masterPort = flags.get("master_port");
  const backend = flags.has("standalone")
    ? "c10d"
    : (flags.get("rdzv_backend") ?? (endpoint && !uncertain ? "static" : null));
  const layout = Object.fromEntries(
    Object.entries(SIZES).map(([size, names]) => [
      size,
      names.map((name) => numberOf(script.get(name))).find((n) => n !== null) ?? null,
    ]),
  ) as unknown as Layout;
  return {
    command,
    flags,
    script,
    ...sizes,
    backend: backend && isKnown(backend) ? backend : null,
    endpoint,
    address: flags.get("master_addr") ?? variables.get("MASTER_ADDR")?.value ?? null,
    port:
      portOf(/:(?<port>\d{1,5})$/.exec(endpoint ?? "")?.groups?.port) ??
      portOf(masterPort) ??
      (masterPort === undefined && !endpoint ? portOf(variables.get("MASTER_PORT")?.value) : null),
    uncertain,
    layout,
  };
}

interface Sized {
  command: LaunchCommand;
  flags: Map<string, string>;
  variables: LaunchText["variables"];
  uncertain: boolean;
}

function sizesOf({ command, flags, variables, uncertain }: Sized): {
  nodes: number | null;
  procs: number | null;
  world: number | null;
} {
  const first = (...names: string[]): string | undefined =>
    names.map((name) => flags.get(name)).find((value) => value !== undefined);
  const slurm = (name: string): number | null => numberOf(variables.get(name)?.value);
  const times = (a: number | null, b: number | null): number | null => (a !== null && b !== null ? a * b : null);
  const over = (a: number | null, b: number | null): number | null =>
    a !== null && b !== null && b > 0 && a % b === 0 ? a / b : null;
  if (command.launcher === "torchrun") {
    const [given, each] = [flags.get("nnodes"), first("nproc_per_node")];
    const range = /^(?<min>\d{1,6}):(?<max>\d{1,6})$/.exec(given ?? "")?.groups;
    const nodes =
      given === undefined
        ? uncertain
          ? null
          : 1
        : range
          ? range.min === range.max
            ? Number(range.max)
            : null
          : numberOf(given);
    const procs = each === undefined ? (uncertain ? null : 1) : numberOf(each);
    return { nodes, procs, world: times(nodes, procs) };
  }
  if (command.launcher === "deepspeed") {
    const included = (flags.get("include") ?? "").split("@").filter((one) => /^[\w.-]+(?::[\d,]+)?$/.test(one));
    const slots = new Set(included.map((one) => one.split(":")[1]?.split(",").length ?? 0));
    const nodes =
      numberOf(flags.get("num_nodes")) ??
      (included.length > 0 ? included.length : flags.has("hostfile") || uncertain ? null : 1);
    const procs =
      numberOf(flags.get("num_gpus")) ?? (slots.size === 1 && !slots.has(0) ? ([...slots][0] ?? null) : null);
    return { nodes, procs, world: times(nodes, procs) };
  }
  if (command.launcher === "mpirun") {
    const world = numberOf(first("np", "n", "c"));
    const hosts = (first("H", "host", "hosts") ?? "").split(",").filter((one) => /^[\w.-]+(?::\d+)?$/.test(one));
    const each =
      numberOf(first("N", "npernode", "ppn")) ?? numberOf(/^ppr:(?<n>\d+):node/.exec(first("map_by") ?? "")?.groups?.n);
    const slots = new Set(hosts.map((one) => Number(one.split(":")[1] ?? 0)));
    const procs =
      each ??
      (hosts.length > 0 && slots.size === 1 && !slots.has(0)
        ? ([...slots][0] ?? null)
        : over(world, hosts.length || null));
    const nodes = hosts.length > 0 ? hosts.length : over(world, procs);
    return { nodes, procs, world: world ?? times(nodes, procs) };
  }
  const nodes = numberOf(first("nodes", "N")) ?? slurm("SLURM_NNODES");
  const tasks = numberOf(first("ntasks", "n")) ?? slurm("SLURM_NTASKS");
  const procs = numberOf(first("ntasks_per_node")) ?? slurm("SLURM_NTASKS_PER_NODE") ?? over(tasks, nodes);
  return { nodes: nodes ?? over(tasks, procs), procs, world: tasks ?? times(nodes, procs) };
}

export function numberOf(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** Port 0 is any that is free. */
export function portOf(value: string | undefined): number | null {
  return numberOf(value) || null;
}

export function isKnown(value: string): boolean {
  return value !== "" && !/[$`]/.test(value);
}
