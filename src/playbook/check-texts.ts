// The mistakes of texts: every language says the same things, nothing is missing, and all of it fits where Slack shows it.
import { FACTS } from "../facts/catalogue.ts";
import type { Part } from "./check.ts";
import { hasOddPlace, placesOf } from "./fill.ts";
import type { Problem } from "./problem.ts";
import type { PlaybookFile, Step, StepTexts, Texts } from "./schema.ts";
import type { Path, Source } from "./source.ts";

/** Of Slack, but for `step`: all texts of one message hold 12 000 characters, and a step must leave room for the evidence. */
const LIMITS = { choice: 75, title: 150, section: 3000, step: 3500 } as const;

type Said = (rule: Problem["rule"], path: Path, text: string, part?: "key" | "value") => void;

export function checkTexts(file: PlaybookFile, main: Source, languages: readonly Part<Texts>[]): Problem[] {
  const problems: Problem[] = [];
  const subcauses = checkSubcauses(file, main, problems);
  for (const { source, value } of languages) {
    if (!value) continue;
    const said: Said = (rule, path, text, part = "key") => problems.push(source.problem(rule, path, text, part));
    for (const [id, step] of Object.entries(file.steps)) checkStep({ id, step, texts: value.steps[id] }, said);
    for (const id of Object.keys(value.steps)) {
      if (!Object.hasOwn(file.steps, id))
        said("keys", ["steps", id], `playbook.yaml has no step "${id}"; delete its texts, or make it`);
    }
    for (const subcause of subcauses) {
      if (!Object.hasOwn(value.subcauses ?? {}, subcause))
        said("missing-text", ["subcauses"], `subcause "${subcause}" has no name here`);
    }
    for (const subcause of Object.keys(value.subcauses ?? {})) {
      if (!subcauses.has(subcause))
        said(
          "subcause",
          ["subcauses", subcause],
          `no signature names subcause "${subcause}", and nothing opens for it`,
        );
    }
    if (value.title.length > LIMITS.title) said("too-long", ["title"], tooLong("the title", value.title, LIMITS.title));
  }
  problems.push(...compareKeys(languages));
  return problems;
}

/** The subcauses of the playbook: those its signatures name, and those a walk opens for. */
function checkSubcauses(file: PlaybookFile, main: Source, problems: Problem[]): Set<string> {
  for (const [at, { subcause }] of file.signatures.entries()) {
    if (subcause !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(subcause)) {
      const say = `subcause "${subcause}" is no good name: use lower-case-with-dashes`;
      problems.push(main.problem("subcause", ["signatures", at, "subcause"], say));
    }
  }
  const named = file.signatures.flatMap(({ subcause }) => (subcause === undefined ? [] : [subcause]));
  return new Set([...named, ...Object.keys(file.opens ?? {})]);
}

function checkStep({ id, step, texts }: { id: string; step: Step; texts: StepTexts | undefined }, said: Said): void {
  const path = ["steps", id];
  if (!texts) {
    if (step.hands === undefined) said("missing-text", ["steps"], `step "${id}" has no texts here`);
    return;
  }
  if (texts.say === undefined && step.hands === undefined)
    said("missing-text", path, `step "${id}" says nothing; write "say"`);
  for (const choice of Object.keys(step.choices ?? {})) {
    if (!texts.choices || !Object.hasOwn(texts.choices, choice)) {
      said("missing-text", [...path, "choices"], `choice "${choice}" of step "${id}" has no label here`);
    }
  }
  for (const [choice, label] of Object.entries(texts.choices ?? {})) {
    const at = [...path, "choices", choice];
    if (!step.choices || !Object.hasOwn(step.choices, choice)) {
      said("keys", at, `step "${id}" has no choice "${choice}"; delete its label, or make it`);
    }
    if (label.trim() === "") said("missing-text", at, `choice "${choice}" of step "${id}" has an empty label`);
    if (label.length > LIMITS.choice) said("too-long", at, tooLong("a choice", label, LIMITS.choice));
  }
  const labels = Object.entries(texts.choices ?? {});
  for (const [choice, label] of labels) {
    const first = labels.find(([, other]) => other.trim() === label.trim())?.[0];
    if (first !== undefined && first !== choice) {
      said("keys", [...path, "choices", choice], `choices "${first}" and "${choice}" have the same label`);
    }
  }
  if (step.risk !== undefined && step.risk !== "none") {
    for (const key of ["undo", "stop"] as const) {
      if (!texts[key]) said("risk", path, `step "${id}" ${WHAT_RISK[step.risk]}; say in "${key}" ${WHAT_FOR[key]}`);
    }
  }
  checkLengths(id, texts, said);
}

const WHAT_RISK = {
  "changes-run": "changes the run",
  "changes-cluster": "changes the cluster",
  "loses-work": "loses work",
} as const;
const WHAT_FOR = { undo: "how to undo it", stop: "when to stop" } as const;

function checkLengths(id: string, texts: StepTexts, said: Said): void {
  const path = ["steps", id];
  if (texts.title !== undefined && texts.title.length > LIMITS.title) {
    said("too-long", [...path, "title"], tooLong("a title", texts.title, LIMITS.title));
  }
  let all = 0;
  for (const key of ["title", "say", "expect", "undo", "stop", "call", "commonly"] as const) {
    const text = texts[key];
    if (text === undefined) continue;
    all += text.length;
    if (text.trim() === "")
      said("missing-text", [...path, key], `"${key}" of step "${id}" is empty; write it or delete it`);
    if (text.length > LIMITS.section) said("too-long", [...path, key], tooLong(`"${key}"`, text, LIMITS.section));
    if (hasOddPlace(text))
      said("place", [...path, key], "a place is written {{name_of_fact}}; this one is not", "value");
    for (const place of placesOf(text)) {
      if (!Object.hasOwn(FACTS, place)) {
        said(
          "unknown-fact",
          [...path, key],
          `{{${place}}} is not a fact; facts are listed in src/facts/catalogue.ts`,
          "value",
        );
      }
    }
  }
  if (all > LIMITS.step)
    said(
      "too-long",
      path,
      `the texts of step "${id}" have ${all} characters together; Slack has room for ${LIMITS.step}`,
    );
}

function tooLong(what: string, text: string, limit: number): string {
  return `${what} has ${text.length} characters; Slack shows ${limit}`;
}

/** Optional texts, such as `undo`, are said in every language or in none. */
function compareKeys(languages: readonly Part<Texts>[]): Problem[] {
  const problems: Problem[] = [];
  for (const { source, value } of languages) {
    if (!value) continue;
    for (const other of languages) {
      if (!other.value || other.source === source) continue;
      for (const [id, texts] of Object.entries(other.value.steps)) {
        const own = value.steps[id];
        if (!own) continue;
        for (const key of Object.keys(texts)) {
          if (Object.hasOwn(own, key)) continue;
          problems.push(
            source.problem(
              "keys",
              ["steps", id],
              `step "${id}" has no "${key}" here, and ${baseName(other.source.file)} has one`,
              "key",
            ),
          );
        }
      }
    }
  }
  return problems;
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
