// Tiny playbooks for tests: only what a walk reads is said.
import type { Condition } from "../../src/facts/condition.ts";
import type { Facts, FactValue } from "../../src/facts/fact.ts";
import type { Outcome, Phase, Playbook, Step } from "../../src/playbook/schema.ts";

interface Sketch {
  start?: string;
  opens?: Record<string, string>;
  steps: Record<string, Step>;
}

export function playbook(id: string, { start, opens, steps }: Sketch): Playbook {
  const texts = {
    title: `The ${id} fault`,
    symptom: `${id} is seen`,
    misses: "nothing",
    steps: Object.fromEntries(
      Object.entries(steps).map(([name, step]) => [
        name,
        {
          title: `${name}?`,
          say: `About ${name}.`,
          choices: Object.fromEntries(Object.keys(step.choices ?? {}).map((choice) => [choice, `It is ${choice}`])),
        },
      ]),
    ),
  };
  return {
    id,
    version: 1,
    status: "stable",
    label: "oom",
    start: start ?? Object.keys(steps)[0] ?? "",
    opens,
    signatures: [],
    steps,
    hash: `hash-of-${id}`,
    texts: { en: texts, zh: texts },
    sentences: [],
    chatterSentences: [],
    scripts: {},
  };
}

/** ask("locate", { gpu: "next", host: ["next", when] }) */
export function ask(phase: Phase, choices: Record<string, string | [string, Condition]>): Step {
  return {
    phase,
    choices: Object.fromEntries(
      Object.entries(choices).map(([id, choice]) =>
        typeof choice === "string" ? [id, { to: choice }] : [id, { to: choice[0], when: choice[1] }],
      ),
    ),
  };
}

export function end(outcome: Outcome): Step {
  return { ends: outcome };
}

export function is(fact: string, value: string | number): Condition {
  return { fact, is: value };
}

export function known(fact: string): Condition {
  return { fact, known: true };
}

/** facts({ gpu: [3, 7] }): gpu is 3, read from line 7. */
export function facts(all: Record<string, [FactValue, ...number[]]>): Facts {
  return Object.fromEntries(
    Object.entries(all).map(([name, [value, ...lines]]) => [
      name,
      { value, lines: lines.map((line) => ({ source: 0, line })) },
    ]),
  );
}
