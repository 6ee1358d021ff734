// firstfault walk: the guided loop in the terminal, and the same without a person.
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Cases, createCases } from "../case/case.ts";
import type { FreshDeps, Given } from "../case/fresh.ts";
import { freshCase } from "../case/fresh.ts";
import { createMemoryStore } from "../case/memory.ts";
import { givenOf } from "../case/opening.ts";
import { closedBy, replay } from "../case/replay.ts";
import type { CaseStore } from "../case/store.ts";
import { toView } from "../case/view.ts";
import { type Catalog, PLAYBOOKS } from "../catalog.ts";
import type { Language } from "../facts/language.ts";
import { wordsFor } from "../locale/words.ts";
import { readSources } from "./diagnose.ts";
import { givenText, sha256 } from "./given.ts";
import { type Io, languageOf, UsageError } from "./io.ts";
import { render } from "./render.ts";
import { findSources } from "./sources.ts";
import { createLines, readPaste, walkInTerminal } from "./terminal.ts";
import { toWalkJson } from "./walk-json.ts";
import { readScript, runScript } from "./walk-script.ts";

const OPTIONS = {
  playbook: { type: "string" },
  script: { type: "string" },
  json: { type: "boolean", default: false },
  lang: { type: "string" },
  try: { type: "boolean", default: false },
} as const;

/** A log whose loudest line is a victim's. */
const SAMPLE = join(dirname(PLAYBOOKS), "fixtures", "try", "cascade.log");

const TEAM = "local";

export async function walkCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const lang = languageOf(values.lang, io);
  const { script, playbook } = values;
  if (positionals.length > 1) throw new UsageError("walk takes one file or one folder; a folder is one case.");
  if (values.json && script === undefined)
    throw new UsageError("--json comes with --script; a person needs the terminal.");
  if (values.try && (positionals.length > 0 || script !== undefined || playbook !== undefined))
    throw new UsageError("--try walks the built-in log and takes nothing else.");
  const loaded = catalog();
  if (playbook !== undefined && !loaded.playbooks.has(playbook)) {
    throw new UsageError(`there is no playbook "${playbook}"; there are: ${[...loaded.playbooks.keys()].join(", ")}`);
  }
  const walk: Walk = { io, catalog: loaded, lang, playbook, deps: depsFor(io, loaded) };
  if (script !== undefined) return walkScript(walk, { script, file: positionals[0], json: values.json });
  return walkPerson(walk, { file: values.try ? SAMPLE : positionals[0], sample: values.try });
}

interface Walk {
  io: Io;
  catalog: Catalog;
  lang: Language;
  playbook: string | undefined;
  deps: FreshDeps;
}

function depsFor(io: Io, { playbooks, rules }: Catalog): FreshDeps {
  return { playbooks, rules: rules.version, now: io.now, newId: randomUUID, hash: sha256 };
}

async function readGiven(file: string, { io, catalog }: Walk): Promise<Given> {
  const { verdict, hashes } = await readSources(await findSources([file], io), { io, rules: catalog.rules });
  return givenOf(verdict, hashes);
}

function nothingToWalk(what: string, { catalog }: Walk): UsageError {
  const ids = [...catalog.playbooks.keys()].join(", ");
  return new UsageError(`${what} shows no sign of a failure, so no playbook opens; name one with --playbook: ${ids}`);
}

async function walkScript(
  walk: Walk,
  given: { script: string; file: string | undefined; json: boolean },
): Promise<number> {
  const { io, catalog, lang, playbook, deps } = walk;
  if (given.file === undefined && playbook === undefined) {
    throw new UsageError("a script needs a log, or --playbook to say what is walked.");
  }
  const lines = await readScript(given.script);
  const fresh = freshCase(
    {
      place: { enterprise: "", team: TEAM, channel: "script", thread: given.script },
      given: given.file === undefined ? null : await readGiven(given.file, walk),
      playbook,
      language: lang,
      by: { id: "script" },
    },
    deps,
  );
  if (!fresh) throw nothingToWalk(given.file ?? "the log", walk);
  const read = (text: string) => givenText(text, catalog.rules);
  const walked = runScript({ record: fresh.record, lines, playbooks: catalog.playbooks, read, deps });
  if (!walked.ok) {
    io.err(`${walked.say}\n`);
    return 2;
  }
  const { record } = walked;
  const stands = replay(record, catalog.playbooks);
  io.out(
    given.json
      ? `${JSON.stringify(toWalkJson(record, stands), null, 2)}\n`
      : render(toView({ record, walked: stands, playbooks: catalog.playbooks, quotes: new Map(), language: lang }), io),
  );
  return 0;
}

async function walkPerson(
  walk: Walk,
  { file, sample }: { file: string | undefined; sample: boolean },
): Promise<number> {
  const { io, catalog, lang, playbook, deps } = walk;
  const words = wordsFor(lang).terminal;
  const lines = createLines(io.stdin);
  let given: Given | null = null;
  if (file !== undefined) given = await readGiven(file, walk);
  else if (playbook === undefined) {
    if (io.interactive) io.out(`${words.pasteLog}\n`);
    given = givenText(await readPaste(lines), catalog.rules);
  }
  if (!playbook && given?.verdict.playbook == null) throw nothingToWalk(file ?? "this text", walk);

  let { store, kept } = sample ? { store: createMemoryStore(), kept: false } : await openStore(io, words.notKept);
  try {
    const open = () => findOrOpen(createCases({ ...deps, store }), walk, given);
    const { id, since } = await open().catch(async (error: unknown) => {
      // A file that opens may still take nothing more: a full disk. The person is helped all the same.
      if (!kept || !(error instanceof Error && error.name === "StoreProblem")) throw error;
      io.err(`${words.notKept(error.message)}\n`);
      await store.close();
      store = createMemoryStore();
      kept = false;
      return open();
    });
    const cases = createCases({ ...deps, store });
    if (since) io.out(`${words.goingOn(since)}\n\n`);
    await walkInTerminal({
      io,
      lang,
      cases,
      id: { team: TEAM, id },
      by: { id: io.user },
      lines: sample && !io.interactive ? null : lines,
      read: (text) => givenText(text, catalog.rules),
      kept,
    });
    return 0;
  } finally {
    await store.close();
  }
}

/** The open case of this log goes on; where it has ended, the next one begins. */
async function findOrOpen(
  cases: Cases,
  { lang, playbook, io, deps }: Walk,
  given: Given | null,
): Promise<{ id: string; since: string | null }> {
  const input = given ? given.sources.map(({ hash }) => hash).join() : deps.newId();
  for (let round = 1; ; round++) {
    const thread = deps.hash(JSON.stringify([input, playbook ?? null, round]));
    const place = { enterprise: "", team: TEAM, channel: "terminal", thread };
    const opened = await cases.open({ place, given, playbook, language: lang, by: { id: io.user } });
    if (opened.kind === "nothing") throw new Error("a case without a playbook");
    if (opened.kind === "opened") return { id: opened.case.id, since: null };
    const { case: found } = opened;
    if (found.closedAt === null && !closedBy(found)) return { id: found.id, since: found.openedAt };
  }
}

/** A person with a broken run is helped even where nothing can be written down. */
async function openStore(io: Io, notKept: (why: string) => string): Promise<{ store: CaseStore; kept: boolean }> {
  const [{ openDatabase }, { createCaseStore }] = await Promise.all([
    import("../store/database.ts"),
    import("../store/cases.ts"),
  ]);
  try {
    const where = io.databaseUrl === null ? { file: join(io.data, "walks.db") } : { url: io.databaseUrl };
    return { store: createCaseStore(await openDatabase(where)), kept: true };
  } catch (error) {
    io.err(`${notKept(error instanceof Error ? error.message : String(error))}\n`);
    return { store: createMemoryStore(), kept: false };
  }
}
