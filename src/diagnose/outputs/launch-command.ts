// The command line that starts a training: how many nodes and processes, where they meet, and whether it fits together.
//   torchrun --nnodes=32 --nproc_per_node=8 --rdzv_endpoint=$HEAD_NODE:29500 pretrain_gpt.py --tensor-model-parallel-size 4
//   srun --nodes=4 --ntasks-per-node=8 python train.py; mpirun -np 64 -N 8 -H a:8,b:8 python train.py
import { isKnown, type Launch, launchesOf, numberOf } from "./launch.ts";
import { toLaunchText } from "./launch-words.ts";
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, said } from "./said.ts";

const USAGE =
  /^(?:usage: (?:torchrun|deepspeed|launch\.py|run\.py|python -m torch\.distributed\.(?:run|launch)) |torchrun: error: )/;

export const launchCommand: OutputReader = {
  id: "launch-command",
  command: "the torchrun, srun, mpirun or deepspeed line that starts the training",
  owns: (line) => /^(?:torchrun|deepspeed|mpirun|mpiexec|srun)(?:\s|:|$)|torch\.distributed\.(?:run|launch)/.test(line),
  knows: (text) => {
    const { commands, lines } = toLaunchText(text);
    return commands.length > 0 ? lines : text.lines.filter((line) => USAGE.test(line.text)).map(({ line }) => line);
  },
  read,
};

function read(text: OutputText): ToolReading {
  const launches = launchesOf(text);
  const [first] = launches;
  if (!first) {
    const finding = said(
      "The launcher printed its usage and started nothing. Paste the command line itself: torchrun --nnodes=N --nproc_per_node=N SCRIPT",
      "启动器只打印了用法，没有启动。请粘贴启动命令本身：torchrun --nnodes=N --nproc_per_node=N SCRIPT",
    );
    return {
      status: "refused",
      refusal: "usage",
      finding,
      line: text.lines.find((line) => USAGE.test(line.text))?.line ?? 1,
    };
  }
  const lines = first.command.lines;
  const facts = createFacts();
  facts.addHost(text);
  facts.add("nnodes", first.nodes, lines);
  facts.add("nproc_per_node", first.procs, lines);
  facts.add("world_size", first.world, lines);
  facts.add("rdzv_backend", first.backend, lines);
  const whole = (value: string | null): string | null => (value !== null && isKnown(value) ? value : null);
  facts.add("rdzv_endpoint", whole(first.endpoint), lines);
  facts.add("master_addr", whole(first.address), lines);
  facts.add("port", first.port, lines);
  const ranks = launches.map(({ flags }) => flags.get("node_rank"));
  if (new Set(ranks).size === 1) facts.add("node_rank", numberOf(ranks[0]), lines);
  facts.add("max_restarts", numberOf(first.flags.get("max_restarts")), lines);
  for (const size of ["tp", "pp", "cp", "ep"] as const) facts.add(size, first.layout[size], lines);
  const faults = faultsOf(launches);
  facts.add(
    "launch_faults",
    faults.map(({ id }) => id),
    lines,
  );
  return { status: "read", finding: sayLaunch(first, faults), facts: facts.facts };
}

interface Fault {
  id: "static-rdzv" | "unknown-flag" | "layout-not-divisible" | "port-differs";
  en: string;
  zh: string;
}

function faultsOf(launches: readonly Launch[]): Fault[] {
  const faults: Fault[] = [];
  const alone = launches.find(isStaticWithoutRank);
  if (alone) {
    const nodes = alone.nodes === null ? "several nodes" : count(alone.nodes, "node");
    faults.push({
      id: "static-rdzv",
      en: `${nodes} ${alone.endpoint ? "with --rdzv_endpoint but" : "with"} backend static and no node_rank: every node claims rank 0`,
      zh: `${alone.nodes === null ? "多个" : alone.nodes} 节点，backend 为 static 且没有 node_rank：所有节点都会自认 0 号`,
    });
  }
  const unknown = [...new Set(launches.flatMap(unknownFlags))];
  if (unknown.length > 0) {
    faults.push({
      id: "unknown-flag",
      en: `Megatron has no ${unknown.join(", ")}`,
      zh: `Megatron 不认识 ${unknown.join("、")}`,
    });
  }
  const split = launches.map(undividedBy).find(Boolean);
  if (split) {
    faults.push({
      id: "layout-not-divisible",
      en: `${split.world} ranks are no multiple of ${split.product}`,
      zh: `${split.world} 个 rank 不是 ${split.product} 的整数倍`,
    });
  }
  const ports = [...new Set(launches.flatMap(portsOf))];
  if (ports.length > 1) {
    faults.push({
      id: "port-differs",
      en: `the ports differ: ${ports.join(", ")}`,
      zh: `端口不一致：${ports.join("、")}`,
    });
  }
  return faults;
}

/** torchrun's backend is static and its node_rank 0 unless told: checked in torch/distributed/run.py. */
function isStaticWithoutRank({ command, flags, endpoint, backend, nodes, uncertain }: Launch): boolean {
  if (command.launcher !== "torchrun" || uncertain || flags.has("node_rank") || nodes === 1) return false;
  const meets = endpoint !== null || flags.has("master_addr");
  return (
    meets && (backend === "static" || (backend === null && !flags.has("rdzv_backend") && !flags.has("standalone")))
  );
}

/** Only the fork with DeepSpeed inside takes --deepspeed, and it takes a --deepspeed_config with it. */
function unknownFlags({ command, script }: Launch): string[] {
  const megatron =
    [...script.keys()].some((name) => /_model_parallel_size$/.test(name)) ||
    command.script.some((word) => /pretrain_\w+\.py$|megatron/i.test(word));
  if (!megatron) return [];
  const fork = command.launcher === "deepspeed" || script.has("deepspeed_config") || script.has("zero_stage");
  return ["data_parallel_size", "model_config", ...(fork ? [] : ["deepspeed"])]
    .filter((name) => script.has(name))
    .map((name) => `--${name.replaceAll("_", "-")}`);
}

function undividedBy({ world, layout, script }: Launch): { world: number; product: string } | null {
  const { tp, pp, cp, ep, etp } = layout;
  if (world === null || (tp === null && pp === null && cp === null && ep === null)) return null;
  const dense = (tp ?? 1) * (pp ?? 1) * (cp ?? 1);
  if (dense > 0 && world % dense !== 0) return { world, product: `tp x pp x cp = ${dense}` };
  const experts = (etp ?? tp ?? 1) * (ep ?? 1) * (pp ?? 1);
  const megatron = script.has("expert_model_parallel_size");
  return megatron && experts > 0 && world % experts !== 0 ? { world, product: `etp x ep x pp = ${experts}` } : null;
}

function portsOf({ flags, endpoint, port }: Launch): number[] {
  const given = [/:(?<port>\d{1,5})$/.exec(endpoint ?? "")?.groups?.port, flags.get("master_port")].flatMap(
    (one) => numberOf(one) ?? [],
  );
  return given.length > 0 ? given : port === null ? [] : [port];
}

function sayLaunch(launch: Launch, faults: readonly Fault[]) {
  if (faults.length > 0)
    return said(`${faults.map(({ en }) => en).join("; ")}.`, `${faults.map(({ zh }) => zh).join("；")}。`);
  const { nodes, procs, world, layout } = launch;
  const layoutWords = (["tp", "pp", "cp", "ep"] as const).flatMap((size) =>
    layout[size] === null ? [] : [`${size} ${layout[size]}`],
  );
  const shape = layoutWords.length > 0 ? ` (${layoutWords.join(", ")})` : "";
  const ranksZh = nodes !== null && procs !== null ? [`${nodes} 节点 x ${procs}`] : [];
  const shapeZh = [...ranksZh, ...layoutWords].join("，");
  const size = world === null ? "a number of ranks that the line does not show" : `${count(world, "rank")}`;
  const how = nodes !== null && procs !== null ? ` on ${count(nodes, "node")} with ${procs} each` : "";
  return said(
    `${launch.command.launcher} starts ${size}${how}${shape}; no contradiction found in the line.`,
    `${launch.command.launcher} 启动${world === null ? "的 rank 数未显示" : ` ${world} 个 rank`}${shapeZh === "" ? "" : `（${shapeZh}）`}；命令行未发现矛盾。`,
  );
}
