// Commands that start a training, taken out of shell lines and scripts: continuations joined, variables of the paste filled in.
import type { OutputText } from "./output-text.ts";

export interface LaunchCommand {
  launcher: "torchrun" | "deepspeed" | "mpirun" | "srun";
  /** The launcher's own words and those of the script behind it; quotes off. A variable that nothing sets keeps its `$`. */
  own: string[];
  script: string[];
  lines: number[];
}

export interface LaunchText {
  commands: LaunchCommand[];
  /** What the paste sets before: MASTER_ADDR, MASTER_PORT, PET_NNODES, SLURM_NNODES from #SBATCH, .. */
  variables: Map<string, { value: string; line: number }>;
  /** All lines of the script that say how it runs. */
  lines: number[];
}

interface Statement {
  text: string;
  lines: number[];
}

/** What ends a statement that goes on over lines; null: the first line without a backslash. */
interface Open {
  until: string | null;
}

const LAUNCHERS =
  /^(?:torchrun|srun|mpirun|mpiexec|deepspeed|python[\d.]{0,5}(?:\s+-[uOIB]){0,3}\s+(?:\S{0,200}\/torchrun|-m\s+(?:torch\.distributed\.(?:run|launch)|deepspeed\.launcher\.runner)))(?:\s|$)/;
/** A row of ps, before the command. */
const PROCESS =
  /^[\w.+-]{1,32}\s+\d{1,9}\s[\d\s.:?%\w/<+-]{2,90}?\s(?=(?:\S{0,200}\/)?(?:python[\d.]*|torchrun|deepspeed|mpirun|srun)\s)/;
/** What may stand before a launcher; taken off one after the other. */
const BEFORE: readonly RegExp[] = [
  PROCESS,
  /^(?:export\s+)?(?<name>[A-Za-z_]\w{0,60})=(?<value>"[^"]*"|'[^']*'|[^\s"'(]\S*)\s+(?=\S)/,
  /^(?:sudo|nohup|exec|time|env|unbuffer|\+{1,3}|then|do|-)\s+/,
  /^timeout\s+(?:-\S+\s+)?\S+\s+/,
  /^(?:bash|sh)\s+-\w{0,3}c\s+["']/,
  /^cd\s+\S+\s*(?:&&|;)\s*/,
  /^["'(]+/,
  /^[\w./~-]{0,300}\/(?=(?:torchrun|deepspeed|mpirun|mpiexec|srun|python[\d.]*)\s)/,
  /^(?:ssh|pdsh|clush|kubectl|docker|podman|apptainer|singularity)\s.{1,400}?\s["']?(?=(?:torchrun|deepspeed|mpirun|python3? -m torch\.distributed\.\w+)\s)/,
];
const ASSIGNED =
  /^(?:export\s+|local\s+|declare\s+(?:-\w+\s+)?)?(?<name>[A-Za-z_]\w{0,60})(?<added>\+)?=(?<value>.*)$/s;
/** Longer pastes are logs, and longer lists of arguments are none. */
const LINES = 5000;
const JOINED = 300;
/** A variable may name itself twice: what it is filled in with must not grow without end. */
const FILLED = 20_000;

export function toLaunchText(text: OutputText): LaunchText {
  const found: LaunchText = { commands: [], variables: new Map(), lines: [] };
  if (!text.lines.some(({ text: row }) => /torchrun|srun|mpirun|mpiexec|deepspeed|torch\.distributed/.test(row)))
    return found;
  const others: number[] = [];
  for (const { text: raw, lines } of statementsOf(text)) {
    const sbatch = /^#SBATCH (?<options>.+)$/.exec(raw)?.groups?.options;
    if (sbatch) {
      setSlurm(wordsOf(sbatch), lines[0] ?? 1, found.variables);
      others.push(...lines);
    }
    if (raw.startsWith("#")) continue;
    const bare = withoutBefore({ text: raw, lines }, found.variables);
    if (LAUNCHERS.test(bare)) {
      const command = toCommand(wordsOf(filledIn(bare, found.variables)), lines);
      if (command) found.commands.push(command);
      continue;
    }
    const assigned = ASSIGNED.exec(bare)?.groups;
    if (!assigned) continue;
    const value = filledIn((assigned.value ?? "").trim().replace(/^["'(]|["')]$/g, ""), found.variables);
    // `$(..)` and backquotes run something: their value is not in the text.
    if (!/\$\(|`/.test(value)) {
      const before = assigned.added ? `${found.variables.get(assigned.name ?? "")?.value ?? ""} ` : "";
      const whole = (before + value).replace(/\s+/g, " ").trim().slice(0, FILLED);
      found.variables.set(assigned.name ?? "", { value: whole, line: lines[0] ?? 1 });
    }
    others.push(...lines);
  }
  if (found.commands.length > 0) found.lines = [...found.commands.flatMap(({ lines }) => lines), ...others];
  return found;
}

/** Lines that end in a backslash go on below, and so does an assignment whose quote or bracket is open. */
function statementsOf({ lines }: OutputText): Statement[] {
  const statements: Statement[] = [];
  let open: Open | null = null;
  for (const { text, line } of lines.slice(0, LINES)) {
    const row = text.trim();
    const goesOn = row.endsWith("\\");
    const bare = row.replace(/\\$/, "").trim();
    const last = statements.at(-1);
    if (open && last && last.lines.length < JOINED) {
      const part = bare.replace(/(?:^|\s)#\s.*$/, "");
      last.text += ` ${part}`;
      last.lines.push(line);
      if (open.until === null ? !goesOn : part.includes(open.until)) open = null;
    } else if (last && bare.startsWith("--") && LAUNCHERS.test(last.text)) {
      // Options on lines of their own, as chats show a command whose backslashes were lost.
      last.text += ` ${bare}`;
      last.lines.push(line);
    } else if (bare !== "") {
      statements.push({ text: bare, lines: [line] });
      open = openAfter(bare) ?? (goesOn ? { until: null } : null);
    }
  }
  return statements;
}

/** The mark that closes an assignment that was begun: `ARGS="`, `ARGS=(`. */
function openAfter(row: string): Open | null {
  const { mark, rest = "" } = /^(?:export\s+)?\w+\+?=(?<mark>["'(])(?<rest>.*)$/.exec(row)?.groups ?? {};
  const until = mark === "(" ? ")" : mark;
  return until === undefined || rest.includes(until) ? null : { until };
}

function withoutBefore({ text, lines }: Statement, variables: LaunchText["variables"]): string {
  let rest = text;
  for (let n = 0; n < 12; n++) {
    const found = BEFORE.map((pattern) => pattern.exec(rest)).find(Boolean);
    if (!found) return rest;
    const { name, value } = found.groups ?? {};
    if (name) variables.set(name, { value: (value ?? "").replace(/^["']|["']$/g, ""), line: lines[0] ?? 1 });
    rest = rest.slice(found[0].length);
  }
  return rest;
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).flatMap((word) => {
    const bare = word.replace(/^["'(]{1,4}|["'),]{1,4}$/g, "").replace(/=["']/, "=");
    return bare === "" ? [] : [bare];
  });
}

/** Variables that the paste itself sets, lists of arguments too; with a default or set nowhere they stay as they are. */
function filledIn(text: string, variables: LaunchText["variables"]): string {
  let room = FILLED;
  return text.replace(/\$(?:\{(?<braced>\w{1,60})(?:\[[@*]\])?\}|(?<plain>\w{1,60}))/g, (whole, braced, plain) => {
    const value = variables.get(braced ?? plain)?.value ?? whole;
    room -= value.length;
    return room < 0 ? whole : value;
  });
}

/** What Slurm sets inside a job that asked for so many nodes. */
function setSlurm(words: readonly string[], line: number, variables: LaunchText["variables"]): void {
  const flags = flagsOf(words);
  const set = (names: readonly string[], value: string | undefined): void => {
    if (value !== undefined && /^\d{1,7}$/.test(value)) for (const name of names) variables.set(name, { value, line });
  };
  set(["SLURM_NNODES", "SLURM_JOB_NUM_NODES"], flags.get("nodes") ?? flags.get("N"));
  set(["SLURM_NTASKS_PER_NODE"], flags.get("ntasks_per_node"));
  set(["SLURM_NTASKS", "SLURM_NPROCS"], flags.get("ntasks") ?? flags.get("n"));
  set(
    ["SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"],
    flags.get("gpus_per_node") ?? /gpu(?::\w+)?:(\d+)/.exec(flags.get("gres") ?? "")?.[1],
  );
}

/** The innermost launcher decides how many processes there are; the words behind the script are the script's. */
function toCommand(words: readonly string[], lines: number[]): LaunchCommand | null {
  const inner = words.findLastIndex((word) => /(?:^|\/)torchrun$|^torch\.distributed\.(?:run|launch)$/.test(word));
  const outer = words[0] ?? "";
  const deepspeed = /deepspeed$/.test(outer) || words.includes("deepspeed.launcher.runner");
  const launcher = inner >= 0 ? "torchrun" : deepspeed ? "deepspeed" : outer === "srun" ? "srun" : "mpirun";
  const from = inner >= 0 ? inner + 1 : 1;
  const rest = words.slice(from);
  const end = rest.findIndex((word) => /^(?:\|\|?|&&?|;|\d?>{1,2}\S{0,200})$/.test(word));
  const used = end < 0 ? rest : rest.slice(0, end);
  // srun and mpirun have an -m of their own, and there python stands before the module's.
  const python = used.findIndex((word) => /python[\d.]*$/.test(word));
  const modules = launcher === "torchrun" || launcher === "deepspeed" ? 0 : python < 0 ? used.length : python;
  const script = used.findIndex((word, at) => /\.py$/.test(word) || (at >= modules && /^(?:-m|--module)$/.test(word)));
  if (script < 0 && launcher !== "torchrun") return null;
  if (script < 0 && !used.some((word) => word.startsWith("--"))) return null;
  const [own, behind] = script < 0 ? [used, []] : [used.slice(0, script), used.slice(script)];
  return { launcher, own, script: behind, lines };
}

/** `--name=value`, `--name value`, `-N 8`, and Hydra's `a.name=value`, by the last part of the name, dashes as underscores. */
export function flagsOf(words: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (const [at, word] of words.entries()) {
    const found = /^(?<dash>--?)?(?<name>[A-Za-z][\w.-]{0,80}?)(?:=(?<value>.*))?$/.exec(word)?.groups;
    if (!found || (found.dash === undefined && found.value === undefined)) continue;
    const name = (found.name ?? "").split(".").at(-1)?.replaceAll("-", "_") ?? "";
    const next = words[at + 1] ?? "";
    const value = found.value ?? (/^-(?!\d)/.test(next) ? "" : next);
    if (!flags.has(name)) flags.set(name, value);
  }
  return flags;
}
