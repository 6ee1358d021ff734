// `firstfault playbook`: list, show, check, new, graph, compile.
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Catalog, type CheckedFolder, checkFolders, compileCatalog, PLAYBOOKS, withOthers } from "../catalog.ts";
import { LANGUAGES } from "../facts/language.ts";
import { toMermaid } from "../playbook/graph.ts";
import { breaks, type Problem, toLine } from "../playbook/problem.ts";
import type { Playbook, Step } from "../playbook/schema.ts";
import { newPlaybook } from "../playbook/template.ts";
import { type Io, languageOf, UsageError } from "./io.ts";

const USAGE = "say what to do: list, show ID[#STEP], check [DIR], new ID, graph ID";

export async function playbookCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: "boolean", default: false }, lang: { type: "string" } },
    allowPositionals: true,
  });
  const [act, ...names] = positionals;
  const lang = languageOf(values.lang, io);
  switch (act) {
    case "list":
      none(names, "list");
      return list(io, catalog(), { json: values.json, lang });
    case "show":
      return show(io, catalog(), { name: one(names, "show ID[#STEP]"), json: values.json, lang });
    case "check":
      if (names.length > 1) throw new UsageError("check takes one folder");
      return check(io, catalog(), { dir: names[0] === undefined ? PLAYBOOKS : resolve(names[0]), json: values.json });
    case "new":
      refuseJson(values.json, "new");
      return create(io, one(names, "new ID"));
    case "graph":
      refuseJson(values.json, "graph");
      io.out(toMermaid(find(catalog(), one(names, "graph ID")), lang));
      return 0;
    case "compile":
      none(names, "compile");
      refuseJson(values.json, "compile");
      return compileAll(io);
    default:
      throw new UsageError(act === undefined ? USAGE : `there is no "${act}"; ${USAGE}`);
  }
}

function one(names: readonly string[], usage: string): string {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) throw new UsageError(`it is called as: firstfault playbook ${usage}`);
  return name;
}

function none(names: readonly string[], act: string): void {
  if (names.length > 0) throw new UsageError(`"${act}" takes no name`);
}

function refuseJson(json: boolean, act: string): void {
  if (json) throw new UsageError(`"${act}" has no --json`);
}

function find(catalog: Catalog, id: string): Playbook {
  const found = catalog.playbooks.get(id);
  if (found) return found;
  const broken = catalog.broken.find((one) => one.id === id);
  if (broken) {
    throw new UsageError(
      `playbook "${id}" is broken and left out:\n${broken.problems.filter(breaks).map(toLine).join("\n")}`,
    );
  }
  throw new UsageError(`there is no playbook "${id}"; there are: ${[...catalog.playbooks.keys()].join(", ")}`);
}

type Shown = { json: boolean; lang: "en" | "zh" };

function list(io: Io, catalog: Catalog, { json, lang }: Shown): number {
  const playbooks = [...catalog.playbooks.values()];
  if (json) {
    const rows = playbooks.map(({ id, version, status, steps }) => ({
      id,
      version,
      status,
      steps: Object.keys(steps).length,
      languages: [...LANGUAGES],
    }));
    io.out(`${JSON.stringify(rows, null, 2)}\n`);
  } else {
    const width = Math.max(0, ...playbooks.map(({ id }) => id.length));
    for (const { id, status, steps, texts } of playbooks) {
      const size = `${String(Object.keys(steps).length).padStart(3)} steps  ${status.padEnd(6)}`;
      io.out(`${id.padEnd(width)}  ${size}  ${texts[lang].symptom}\n`);
    }
  }
  for (const { id, problems } of catalog.broken) {
    io.err(`${id} is left out: ${problems.filter(breaks).length} mistakes; firstfault playbook check names them\n`);
  }
  return 0;
}

function show(io: Io, catalog: Catalog, { name, json, lang }: Shown & { name: string }): number {
  const at = name.indexOf("#");
  const playbook = find(catalog, at < 0 ? name : name.slice(0, at));
  const wanted = at < 0 ? undefined : name.slice(at + 1);
  if (wanted !== undefined && !Object.hasOwn(playbook.steps, wanted)) {
    throw new UsageError(`"${playbook.id}" has no step "${wanted}"; it has: ${Object.keys(playbook.steps).join(", ")}`);
  }
  const ids = wanted === undefined ? Object.keys(playbook.steps) : [wanted];
  if (json) {
    const { id, version, hash, status, label, start, opens } = playbook;
    const steps = ids.map((step) => stepAsJson(playbook, step));
    const whole = {
      id,
      version,
      hash,
      status,
      label,
      start,
      opens: opens ?? {},
      steps,
      signatures: playbook.signatures,
    };
    io.out(`${JSON.stringify(wanted === undefined ? whole : steps[0], null, 2)}\n`);
    return 0;
  }
  const { title, symptom, misses } = playbook.texts[lang];
  if (wanted === undefined)
    io.out(`${playbook.id} ${playbook.version} (${playbook.status}): ${title}\n${symptom}\n${misses}\n\n`);
  io.out(`${ids.map((step) => stepAsText(playbook, step, lang)).join("\n\n")}\n`);
  return 0;
}

function stepAsJson(playbook: Playbook, id: string) {
  const step = playbook.steps[id] as Step;
  return {
    id,
    phase: step.phase ?? null,
    command: step.command ?? null,
    reads: step.reads ?? [],
    script: step.script ?? null,
    risk: step.risk ?? "none",
    chains: step.chains ?? [],
    corrections: (step.corrections ?? []).map(String),
    sources: step.sources ?? [],
    hands: step.hands ?? null,
    ends: step.ends ?? null,
    choices: Object.entries(step.choices ?? {}).map(([choice, { to, when }]) => ({
      id: choice,
      to,
      when: when ?? null,
    })),
    texts: Object.fromEntries(LANGUAGES.map((language) => [language, playbook.texts[language].steps[id] ?? {}])),
  };
}

function stepAsText(playbook: Playbook, id: string, lang: "en" | "zh"): string {
  const step = playbook.steps[id] as Step;
  const texts = playbook.texts[lang].steps[id] ?? {};
  const kind = step.ends ? `ends ${step.ends}` : step.hands ? `hands to ${step.hands}` : step.phase;
  const risk = step.risk && step.risk !== "none" ? ` · ${step.risk}` : "";
  const lines = [`${playbook.id}#${id} (${kind}${risk})${texts.title ? ` ${texts.title}` : ""}`];
  if (texts.say) lines.push(`  ${texts.say.trim()}`);
  if (step.command)
    lines.push(
      ...step.command
        .trimEnd()
        .split("\n")
        .map((line) => `      ${line}`),
    );
  for (const key of ["expect", "commonly", "undo", "stop", "call"] as const) {
    if (texts[key]) lines.push(`  ${key}: ${texts[key].trim()}`);
  }
  for (const [choice, { to }] of Object.entries(step.choices ?? {})) {
    lines.push(`  [${choice}] ${texts.choices?.[choice] ?? ""} -> ${to}`);
  }
  return lines.join("\n");
}

async function check(io: Io, ours: Catalog, { dir, json }: { dir: string; json: boolean }): Promise<number> {
  if (!existsSync(dir) || !statSync(dir).isDirectory()) throw new UsageError(`there is no folder ${dir}`);
  const folders = await checkFolders(dir);
  if (folders.length === 0)
    throw new UsageError(`${dir} holds no playbook; a playbook is a folder with a playbook.yaml`);
  const logs = await checkLogsOf(folders, ours);
  const problems: Problem[] = [...folders.flatMap((folder) => folder.problems), ...logs.problems];
  const { branches } = logs;
  if (json) io.out(`${JSON.stringify({ problems, branches }, null, 2)}\n`);
  else {
    for (const problem of problems) io.out(`${toLine(problem)}\n`);
    const found =
      problems.length === 0 ? "no mistakes" : `${problems.length} ${problems.length === 1 ? "mistake" : "mistakes"}`;
    io.out(`${folders.length} ${folders.length === 1 ? "playbook" : "playbooks"}, ${found}; `);
    io.out(`walks pass ${branches.tested} of ${branches.total} branches\n`);
  }
  return problems.length > 0 ? 1 : 0;
}

/** Hit logs are won against every other playbook: those of the folder, and ours besides, but for one that it replaces. */
async function checkLogsOf(folders: readonly CheckedFolder[], ours: Catalog) {
  const { checkLogs } = await import("../case/check-logs.ts");
  const sound = folders.flatMap(({ folder, playbook }) => (playbook ? [{ folder, playbook }] : []));
  const { playbooks, rules } = withOthers(folders, ours);
  return checkLogs(sound, { playbooks, rules });
}

function create(io: Io, id: string): number {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) throw new UsageError(`"${id}" is no good name: use lower-case-with-dashes`);
  const folder = resolve("playbooks", id);
  if (existsSync(folder)) throw new UsageError(`${folder} is there already`);
  const files = newPlaybook(id);
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  io.out(
    `${Object.keys(files)
      .map((name) => `playbooks/${id}/${name}\n`)
      .join("")}\n`,
  );
  io.out(`Now write what is asked for after "# ?", then: firstfault playbook check playbooks/${id}\n`);
  return 0;
}

async function compileAll(io: Io): Promise<number> {
  const { file, playbooks, broken } = await compileCatalog();
  for (const { id, problems } of broken) {
    io.err(
      `playbook ${id} is left out:\n${problems
        .filter(breaks)
        .map((problem) => `  ${toLine(problem)}\n`)
        .join("")}`,
    );
  }
  io.err(`${playbooks} playbooks compiled to ${file}\n`);
  return 0;
}
