// firstfault diagnose: one case from pastes, files and folders.
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { opening } from "../case/opening.ts";
import type { Catalog } from "../catalog.ts";
import { createReader } from "../diagnose/reader.ts";
import type { Found } from "../diagnose/verdict.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import { notText } from "../reading/text.ts";
import { createFingerprints, isLarge } from "./fingerprints.ts";
import { sha256 } from "./given.ts";
import { type Io, languageOf, UsageError } from "./io.ts";
import { findSources, type GivenSource } from "./sources.ts";
import { toJson } from "./verdict-json.ts";

const OPTIONS = {
  json: { type: "boolean", default: false },
  lang: { type: "string" },
  "fail-on": { type: "string" },
} as const;

const PROGRESS_AFTER_MS = 1_000;

export async function diagnoseCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const lang = languageOf(values.lang, io);
  if (values["fail-on"] !== undefined && values["fail-on"] !== "fault") {
    throw new UsageError(`--fail-on knows "fault" only, not "${values["fail-on"]}".`);
  }
  if (positionals.length === 0 && io.interactive) {
    throw new UsageError('name a file or a folder, or "-" to read standard input.');
  }
  const { rules, playbooks } = catalog();
  const sources = await findSources(positionals.length > 0 ? positionals : ["-"], io);
  const read = await readSources(sources, { io, rules });
  const opened = opening({ verdict: read.verdict, inputs: read.hashes, rules: rules.version, playbooks, hash: sha256 });
  if (values.json) io.out(`${JSON.stringify(toJson(read.verdict, opened), null, 2)}\n`);
  else {
    // Only for people, and most of the time it takes to start.
    const { renderVerdict } = await import("./render.ts");
    io.out(renderVerdict({ ...read, opened, playbooks, lang, io }));
  }
  return values["fail-on"] === "fault" && read.verdict.label !== "none" ? 1 : 0;
}

export interface ReadSources {
  verdict: Verdict;
  /** Hash of each source, redacted, in the order given. */
  hashes: string[];
}

/** Reads every source to its end. Says on stderr what was skipped and why; throws UsageError where nothing could be read. */
export async function readSources(
  sources: readonly GivenSource[],
  { io, rules, by }: { io: Io; rules: Catalog["rules"]; by?: (found: Found) => Verdict },
): Promise<ReadSources> {
  // What is thrown away of gigabytes of logs is cleared away sooner: less memory for a few hundredths of the time.
  if (isLarge(sources)) setFlagsFromString("--heap-growing-percent=20");
  const reader = createReader(rules);
  const fingerprints = createFingerprints(sources);
  const begun = io.now().getTime();
  let told = 0;
  let bytes = 0;
  let skipped = 0;
  for (const source of sources) {
    fingerprints.begin();
    let first = true;
    let wrong: string | undefined;
    for await (const chunk of source.chunks()) {
      if (first) wrong = notText(chunk);
      if (wrong) break;
      first = false;
      fingerprints.push(chunk);
      bytes += chunk.length;
      reader.push(source.name, chunk);
      const now = io.now().getTime();
      if (io.terminal && now - begun > PROGRESS_AFTER_MS && now - told > PROGRESS_AFTER_MS) {
        told = now;
        io.err(`\rread ${Math.round(bytes / 1e6)} MB, ${source.name}\u001b[K`);
      }
    }
    if (wrong) {
      if (sources.length === 1) throw new UsageError(`${source.name} ${wrong}.`);
      io.err(`firstfault: ${source.name} ${wrong}; left out.\n`);
      skipped += 1;
      continue;
    }
    reader.end(source.name);
    fingerprints.end(source);
  }
  if (told > 0) io.err("\r\u001b[K");
  if (bytes === 0) {
    const what =
      sources.length === 1
        ? `${sources[0]?.name} is empty`
        : skipped === sources.length
          ? "none of these files is a log"
          : "these files are empty";
    throw new UsageError(`${what}: there is nothing to read. Give the log the job printed (stderr too: "2>&1").`);
  }
  const verdict = reader.finish(by);
  const printed = await fingerprints.finish();
  const redacted: Record<string, number> = {};
  for (const one of printed) {
    for (const [kind, count] of Object.entries(one.redacted)) redacted[kind] = (redacted[kind] ?? 0) + count;
  }
  const hashes = printed.map((one) => one.hash);
  return { verdict: { ...verdict, input: { ...verdict.input, redacted } }, hashes };
}
