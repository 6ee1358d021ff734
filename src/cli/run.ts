// The command line: arguments in, exit code out. Each command loads only when it is called.
import type { Catalog } from "../catalog.ts";
import { type Io, UsageError } from "./io.ts";

const USAGE = `firstfault: which rank failed first, what only followed, and the way to the fix

  firstfault diagnose [FILE|DIR|-]...   one case from pastes, files, folders of per-rank logs (.gz too)
      --json  --lang en|zh  --fail-on fault
  firstfault walk [FILE|DIR]            the guided loop in the terminal
      --playbook ID   --script ENTRIES.jsonl --json
  firstfault playbook list|show ID[#STEP]|check [DIR]|new ID|graph ID   (--json)
  firstfault read [FILE|-]              what a tool printed: the facts in it   --as READER --json
  firstfault eval DIR                   score labelled pastes   --json  --min FILE
  firstfault serve                      the Slack bot and the web pages; settings in .env.example
  firstfault site DIR                   the web pages of the playbooks as plain files

Exit codes: 0 done, 1 a fault found (--fail-on), problems, or below --min, 2 usage or unreadable input, 3 our own failure.
`;

type Command = (args: string[], io: Io, catalog: () => Catalog) => Promise<number>;

const COMMANDS: Record<string, () => Promise<Command>> = {
  diagnose: async () => (await import("./diagnose.ts")).diagnoseCommand,
  walk: async () => (await import("./walk.ts")).walkCommand,
  playbook: async () => (await import("./playbook.ts")).playbookCommand,
  read: async () => (await import("./read.ts")).readCommand,
  eval: async () => (await import("./eval.ts")).evalCommand,
  site: async () => (await import("./site.ts")).siteCommand,
};

/** Never calls process.exit, never touches process.*. `serve` is not here: it is wired in server.ts. */
export async function run(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || [name, ...rest].some((arg) => arg === "--help" || arg === "-h") || name === "help") {
    io.out(USAGE);
    return name === undefined ? 2 : 0;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    io.err(`firstfault: there is no command "${name}".\n\n${USAGE}`);
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
