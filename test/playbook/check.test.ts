import { describe, expect, it } from "vitest";
import { checkFolder, type Folder, openFolder, stepsOf } from "../../src/playbook/check.ts";
import { exponentialShape } from "../../src/playbook/exponential.ts";
import { breaks, toLine } from "../../src/playbook/problem.ts";
import { newPlaybook } from "../../src/playbook/template.ts";
import { broken, EXAMPLE, folderOf } from "./example.ts";

const elsewhere = (id: string) => (id === "oom" ? new Set(["where"]) : undefined);

function check(folder: Folder) {
  return checkFolder(openFolder(folder), { elsewhere, exponential: exponentialShape });
}

/** Each mistake: where it is made, what is written instead, and the rule with the text the problem must stand at. */
const MISTAKES: [what: string, file: string, from: string, to: string, rule: string, at: string][] = [
  ["a key that is not closed", "playbook.yaml", "label: other", "label: [other", "yaml", "start:"],
  ["a key given twice", "playbook.yaml", "label: other", "label: other\nlabel: oom", "yaml", "label: oom"],
  ["a key nobody knows", "playbook.yaml", "status: draft", "state: draft\nstatus: draft", "schema", "state: draft"],
  ["a wrong word", "playbook.yaml", "status: draft", "status: done", "schema", "done"],
  ["a missing key", "playbook.yaml", "version: 1\n", "", "schema", "status:"],
  ["a bad step name", "playbook.yaml", "  holds:\n", "  Holds_it:\n", "schema", "Holds_it"],
  ["a text where a number belongs", "playbook.yaml", "version: 1", "version: one", "schema", "one"],
  ["a condition with two tests", "playbook.yaml", "known: true }", "known: true, is: 3 }", "schema", "{ fact: rank"],
  ["no choices, hands or ends", "playbook.yaml", "fixed: { ends: fixed }", "fixed: {}", "step-kind", "fixed: {}"],
  [
    "an end with a phase",
    "playbook.yaml",
    "{ ends: fixed }",
    "{ ends: fixed, phase: fix }",
    "step-kind",
    "phase: fix }",
  ],
  ["a step without a phase", "playbook.yaml", "    phase: verify\n", "", "step-kind", "holds:\n"],
  [
    "a target that is not there",
    "playbook.yaml",
    "many: { to: hand-on }",
    "many: { to: nowhere }",
    "missing-step",
    "nowhere",
  ],
  ["a start that is not there", "playbook.yaml", "start: seen-before", "start: nowhere", "missing-step", "nowhere"],
  [
    "an opening that is not there",
    "playbook.yaml",
    "{ link-degraded: which-rank }",
    "{ link-degraded: nowhere }",
    "missing-step",
    "nowhere",
  ],
  ["a start that is no symptom", "playbook.yaml", "phase: symptom", "phase: locate", "start", "seen-before"],
  [
    "a step nobody reaches",
    "playbook.yaml",
    "  hand-on:",
    "  check-network: { ends: unknown }\n  hand-on:",
    "unreached-step",
    "check-network",
  ],
  [
    "a step that leads nowhere",
    "playbook.yaml",
    "      many: { to: hand-on }",
    "      many: { to: again }\n  again:\n    phase: locate\n    choices: { again: { to: again } }",
    "dead-end",
    "again:\n",
  ],
  [
    "a way to fixed without a fix",
    "playbook.yaml",
    "many: { to: hand-on }",
    "many: { to: holds }",
    "unverified",
    "fixed: { ends",
  ],
  [
    "a fix that is not verified",
    "playbook.yaml",
    "replaced: { to: holds }",
    "replaced: { to: fixed }",
    "unverified",
    "fixed: { ends",
  ],
  [
    "a handoff to a playbook that is not there",
    "playbook.yaml",
    "oom#where",
    "omm#where",
    "missing-playbook",
    "omm#where",
  ],
  ["a handoff to a step that is not there", "playbook.yaml", "oom#where", "oom#there", "missing-playbook", "oom#there"],
  ["a handoff to itself", "playbook.yaml", "oom#where", "link-lost#replace", "missing-playbook", "link-lost#replace"],
  ["a command's place that is no fact", "playbook.yaml", "{{hca}}", "{{nic}}", "unknown-fact", "ssh {{host}}"],
  ["a place that never enters a command", "playbook.yaml", "{{hca}}", "{{peer}}", "place", "ssh {{host}}"],
  ["a place that is not closed", "playbook.yaml", "ibstat {{hca}}", "ibstat {{hca}", "place", "ssh {{host}}"],
  ["a reader nobody has", "playbook.yaml", "[ib-port]", "[ib-prot]", "reads", "ib-prot"],
  ["a script that is not there", "playbook.yaml", "    reads: [ib-port]", "    script: look.py", "script", "look.py"],
  ["a condition on no fact", "playbook.yaml", "fact: rank,", "fact: rnak,", "unknown-fact", "{ fact: rnak"],
  ["a condition that never holds", "playbook.yaml", "known: true }", "is: three }", "condition", "{ fact: rank"],
  [
    "a condition that is above and below",
    "playbook.yaml",
    "known: true }",
    "above: 4, below: 2 }",
    "condition",
    "{ fact: rank",
  ],
  [
    "a condition's pattern that does not compile",
    "playbook.yaml",
    "fact: rank, known: true",
    "fact: host, matches: '['",
    "condition",
    "{ fact: host",
  ],
  [
    "a condition that comes too late",
    "playbook.yaml",
    "many: { to: hand-on }",
    "many: { to: hand-on, when: { fact: rank, known: true } }",
    "condition",
    "{ fact: rank, known: true } }\n  replace",
  ],
  ["a fix without its risk", "playbook.yaml", "    risk: changes-cluster\n", "", "risk", "replace:\n"],
  [
    "a fix without a source",
    "playbook.yaml",
    "    sources: [https://example.org/replace]\n",
    "",
    "source",
    "replace:\n",
  ],
  [
    "a source that is no address",
    "playbook.yaml",
    "[https://example.org/replace]",
    "[a colleague]",
    "source",
    "a colleague",
  ],
  ["a statement nobody made", "playbook.yaml", "[5.1-F3]", "[5.9-F3]", "chains", "5.9-F3"],
  ["a correction nobody made", "playbook.yaml", "corrections: [1]", "corrections: [27]", "chains", "27]"],
  ["a pattern that does not compile", "playbook.yaml", "(?<rank>\\d+)", "(?<rank>\\d+", "pattern", "'link ("],
  [
    "a pattern that does not match its line",
    "playbook.yaml",
    "'link mlx5_3 lost",
    "'link mlx5_3 was lost",
    "seen-line",
    "'link (",
  ],
  [
    "a pattern that could take for ever",
    "playbook.yaml",
    "(?<rank>\\d+)",
    "(?<rank>\\d+)(?:\\w+\\s?)*:",
    "exponential",
    "'link (",
  ],
  [
    "a pattern that is tried from every place of a long line",
    "playbook.yaml",
    "'link (?<hca>\\w+) lost",
    "'(?:port |link )?(?<hca>\\w+) lost",
    "slow-start",
    "'(?:port",
  ],
  [
    "a pattern without a literal",
    "playbook.yaml",
    "'link (?<hca>\\w+) lost on rank (?<rank>\\d+)'",
    "'(?<hca>\\w{1,9}) \\w+ \\w+ \\w+'",
    "literal",
    "'(?<hca>",
  ],
  [
    "a literal that a match can do without",
    "playbook.yaml",
    "    weight: strong",
    "    literal: mlx5_3\n    weight: strong",
    "literal",
    "mlx5_3\n",
  ],
  [
    "a literal its own line has not",
    "playbook.yaml",
    "    weight: strong",
    "    literal: lost off\n    weight: strong",
    "literal",
    "lost off",
  ],
  ["a group that is no fact", "playbook.yaml", "?<hca>", "?<nic>", "unknown-fact", "'link ("],
  [
    "an implied fact that is none",
    "playbook.yaml",
    "run_phase: steady",
    "phase_of_run: steady",
    "unknown-fact",
    "{ phase_of_run",
  ],
  ["an implied fact of another type", "playbook.yaml", "run_phase: steady", "run_phase: 3", "condition", "{ run_phase"],
  [
    "a signature without a source",
    "playbook.yaml",
    "source: https://example.org/link",
    "source: seen often",
    "source",
    "seen often",
  ],
  ["words that are not there", "playbook.yaml", "words: words.txt", "words: word.txt", "words", "word.txt"],
  ["words without a sentence", "words.txt", "our link died\n链路断了\n", "", "words", "words.txt"],
  ["stable with too few logs", "playbook.yaml", "status: draft", "status: stable", "stable", "stable"],
  [
    "a step without texts",
    "en.yaml",
    '  holds:\n    say: This comes back. Watch it for a day.\n    choices: { "yes": It held, came-back: It came back }\n',
    "",
    "missing-text",
    "steps:",
  ],
  ["a step that says nothing", "en.yaml", "  fixed: { say: Fixed. }", "  fixed: {}", "missing-text", "fixed: {}"],
  ["a choice without a label", "en.yaml", "replaced: Replaced, ", "", "missing-text", "choices: { cannot"],
  ["a label for no choice", "zh.yaml", "replaced: 已更换, ", "replaced: 已更换, later: 以后, ", "keys", "later:"],
  ["texts for no step", "zh.yaml", "  fixed: {", "  done: { say: 好 }\n  fixed: {", "keys", "done:"],
  ["a text that only one language has", "zh.yaml", "    expect: 状态为 Active。\n", "", "keys", "which-rank:"],
  [
    "a label that no button shows",
    "en.yaml",
    "replaced: Replaced",
    `replaced: ${"long ".repeat(16)}`,
    "too-long",
    "replaced:",
  ],
  [
    "a text that no section shows",
    "en.yaml",
    "say: Have the cable replaced.",
    `say: ${"long ".repeat(700)}`,
    "too-long",
    "say: long",
  ],
  ["a text's place that is no fact", "en.yaml", "lost {{hca}}", "lost {{nic}}", "unknown-fact", "Rank {{rank}}"],
  ["a risk without a way back", "en.yaml", "    undo: Put the old cable back.\n", "", "risk", "replace:\n"],
  [
    "a subcause without a name",
    "en.yaml",
    "  link-degraded: a lost link",
    "  link-slow: a slow link",
    "missing-text",
    "subcauses:",
  ],
  [
    "a name for no subcause",
    "zh.yaml",
    "  link-degraded: 链路丢失",
    "  link-degraded: 链路丢失\n  link-slow: 慢",
    "subcause",
    "link-slow",
  ],
  ["a text's place that is not closed", "en.yaml", "lost {{hca}}", "lost {{hca}", "place", "Rank {{rank}}"],
  [
    "two choices with one label",
    "en.yaml",
    "comes-back: It came back, first-time: First time",
    "comes-back: Again, first-time: Again",
    "keys",
    "first-time: Again",
  ],
  ["a playbook for no fault", "playbook.yaml", "label: other", "label: none", "schema", "none\nstart"],
  [
    "a subcause of a bad name",
    "playbook.yaml",
    "subcause: link-degraded",
    "subcause: link_degraded",
    "subcause",
    "link_degraded",
  ],
];

/** Nine levels of nine aliases each. */
const BOMB = Array.from(
  { length: 9 },
  (_, at) =>
    `a${at}: &a${at} [${Array(9)
      .fill(at ? `*a${at - 1}` : "x")
      .join(", ")}]`,
).join("\n");

describe("playbook check", () => {
  it("has nothing to say of a playbook without mistakes", () => {
    const { playbook, problems } = check(folderOf({ ...EXAMPLE }));
    expect(problems).toEqual([]);
    expect(playbook?.signatures[0]?.literal).toBe(" lost on rank ");
    expect(playbook?.sentences).toEqual(["our link died", "链路断了"]);
  });

  it.each(MISTAKES)("finds %s, where it stands", (_, file, from, to, rule, at) => {
    const folder = broken(file, from, to);
    const found = check(folder).problems.filter((problem) => problem.rule === rule);
    expect(found.map((problem) => textAt(folder, problem).slice(0, at.length))).toContain(at);
  });

  it("names files that nothing reads", () => {
    const stray = {
      "logs/hits-two.log": "",
      "log/hit-two.log": "",
      "walks/one.yml": "",
      "scripts/look.py": "",
      "notes.md": "",
    };
    const { playbook, problems } = check(folderOf({ ...EXAMPLE, ...stray }));
    expect(problems.filter(({ rule }) => rule === "stray-file").map(({ file }) => file)).toEqual(
      Object.keys(stray)
        .map((name) => `playbooks/link-lost/${name}`)
        .sort(),
    );
    expect(playbook).toBeDefined();
  });

  it("names a missing file", () => {
    const { "zh.yaml": _, ...files } = EXAMPLE;
    const { playbook, problems } = check(folderOf(files));
    expect(playbook).toBeUndefined();
    expect(problems.map(toLine)).toEqual([
      "playbooks/link-lost/zh.yaml:1:1: the folder has no zh.yaml; every playbook has playbook.yaml and one file per language [folder]",
    ]);
  });

  it("names all mistakes at once, in the order of the files", () => {
    const files = {
      ...EXAMPLE,
      "playbook.yaml": (EXAMPLE["playbook.yaml"] ?? "")
        .replace("{{hca}}", "{{nic}}")
        .replace("  hand-on:", "  lost: { ends: unknown }\n  hand-on:"),
      "en.yaml": (EXAMPLE["en.yaml"] ?? "").replace("replaced: Replaced, ", ""),
    };
    expect(check(folderOf(files)).problems.map(toLine)).toMatchInlineSnapshot(`
      [
        "playbooks/link-lost/en.yaml:6:1: step "lost" has no texts here [missing-text]",
        "playbooks/link-lost/en.yaml:19:5: choice "replaced" of step "replace" has no label here [missing-text]",
        "playbooks/link-lost/playbook.yaml:24:14: {{nic}} is not a fact; facts are listed in src/facts/catalogue.ts [unknown-fact]",
        "playbooks/link-lost/playbook.yaml:43:3: step "lost" is never reached; lead to it or delete it [unreached-step]",
        "playbooks/link-lost/zh.yaml:6:1: step "lost" has no texts here [missing-text]",
      ]
    `);
  });

  it("lets a playbook run whose mistakes break nothing", () => {
    const { playbook, problems } = check(broken("en.yaml", "replaced: Replaced", `replaced: ${"long ".repeat(16)}`));
    expect(problems.some(breaks)).toBe(false);
    expect(playbook).toBeDefined();
  });

  it("has nothing to say of a fresh template", () => {
    expect(
      check({ id: "gpu-off-bus", path: "playbooks/gpu-off-bus", files: newPlaybook("gpu-off-bus") }).problems,
    ).toEqual([]);
  });

  it.each([
    "",
    "[]",
    "steps: 3",
    "steps: { a: null }",
    "- 1",
    "\u0000",
    "signatures: [{}]\nsteps: { a: { choices: [] } }",
    "&a [*a]",
    "? {a: 1}\n: 2",
    "{{{{",
    BOMB,
  ])("does not fall over a playbook.yaml of %j", (text) => {
    const folder = folderOf({ ...EXAMPLE, "playbook.yaml": text });
    expect(check(folder).problems.length).toBeGreaterThan(0);
    expect(() => stepsOf(openFolder(folder))).not.toThrow();
  });
});

function textAt(folder: Folder, { file, line, col }: { file: string; line: number; col: number }): string {
  const lines = (folder.files[file.slice(folder.path.length + 1)] ?? "").split("\n");
  return [lines[line - 1]?.slice(col - 1), ...lines.slice(line)].join("\n");
}
