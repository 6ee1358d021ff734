// The command line: arguments in, exit code out. Each command loads only when it is called.
import type { Catalog } from "../catalog.ts";
import { helpOn, overview } from "./help.ts";
import { type Io, UsageError } from "./io.ts";

export type Command = (args: string[], io: Io, catalog: () => Catalog) => Promise<number>;

const COMMANDS: Record<string, () => Promise<Command>> = {
  diagnose: async () => (await import("./diagnose.ts")).diagnoseCommand,
  walk: async () => (await import("./walk.ts")).walkCommand,
  playbook: async () => (await import("./playbook.ts")).playbookCommand,
  read: async () => (await import("./read.ts")).readCommand,
  eval: async () => (await import("./eval.ts")).evalCommand,
  candidates: async () => (await import("./candidates.ts")).candidatesCommand,
  site: async () => (await import("./site.ts")).siteCommand,
  version: async () => (await import("./version.ts")).versionCommand,
};

/** `more` holds commands that are wired outside of this folder. Never calls process.exit, never touches process.*. `serve` is not here: it is wired in server.ts. */
export async function run(
  args: string[],
  io: Io,
  catalog: () => Catalog,
  more: Record<string, () => Promise<Command>> = {},
): Promise<number> {
  const commands = { ...COMMANDS, ...more };
  const [first, ...rest] = args;
  const name = first === "--version" || first === "-V" ? "version" : first;
  if (name === undefined || name === "help" || args.some((arg) => arg === "--help" || arg === "-h")) {
    io.out(helpOn(name === "help" ? (rest[0] ?? "") : (name ?? "")) ?? overview());
    return name === undefined ? 2 : 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    io.err(`firstfault: there is no command "${name}".\n\n${overview()}`);
    return 2;
  }
  try {
    return await (await load())(rest, io, catalog);
  } catch (error) {
    if (error instanceof UsageError || isArgumentError(error)) {
      io.err(`firstfault ${name}: ${(error as Error).message}\n`);
      return 2;
    }
    if (error instanceof Error && error.name === "StoreProblem") {
      io.err(`firstfault ${name}: ${error.message}\n`);
      return 3;
    }
    io.err(`firstfault ${name}: our own failure, not yours: ${describe(error)}\n`);
    return 3;
  }
}

/** parseArgs of node:util throws TypeErrors with these codes. */
function isArgumentError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: string }).code).startsWith("ERR_PARSE_ARGS");
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
