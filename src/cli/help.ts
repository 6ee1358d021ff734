// What `firstfault help` says: every command and every option. A test holds it to what the commands take.

interface Help {
  /** How it is called; several where there are several. */
  calls: string[];
  says: string;
  options: [string, string][];
  /** A few calls that work. */
  examples: string[];
}

export const HELP: Record<string, Help> = {
  diagnose: {
    calls: ["diagnose [FILE|DIR|-]..."],
    says: "which rank failed first, and what only followed: one case from pastes, files, folders of per-rank logs (.gz too)",
    options: [
      ["--json", "the verdict as JSON"],
      ["--lang en|zh", "language of the answer; default from LANG"],
      ["--fail-on fault", "exit with 1 where a fault is found, for job epilogues"],
    ],
    examples: [
      "firstfault diagnose job.log",
      "firstfault diagnose --json logs/ | jq .root",
      "kubectl logs p | firstfault diagnose -",
    ],
  },
  walk: {
    calls: ["walk [FILE|DIR]"],
    says: "the guided loop in the terminal: symptom, locate, fix, verify",
    options: [
      ["--playbook ID", "begin with this playbook, whatever the log says, or without one"],
      ["--script ENTRIES.jsonl", "without a person: the answers, one JSON object a line"],
      ["--json", "with --script: where the walk stands after it"],
      ["--lang en|zh", "language of steps and commands; default from LANG"],
      ["--try", "a sample log, kept nowhere"],
    ],
    examples: ["firstfault walk job.log", "firstfault walk --playbook oom"],
  },
  playbook: {
    calls: [
      "playbook list",
      "playbook show ID[#STEP]",
      "playbook check [DIR]",
      "playbook new ID",
      "playbook graph ID",
      "playbook compile",
    ],
    says: "the playbooks: what there is, what a step says, what is wrong with one, a new one, one as Mermaid",
    options: [
      ["--json", "with list, show and check"],
      ["--lang en|zh", "language of the texts; default from LANG"],
    ],
    examples: ["firstfault playbook show oom#host-or-gpu", "firstfault playbook check playbooks/my-fault"],
  },
  read: {
    calls: ["read [FILE|-]"],
    says: "what a tool printed (nvidia-smi, df, a launch line, a configuration): the facts in it",
    options: [
      ["--as READER", "which tool's; else it is told from the text"],
      ["--json", "the facts as JSON"],
      ["--lang en|zh", "language of the answer; default from LANG"],
    ],
    examples: ["nvidia-smi | firstfault read"],
  },
  eval: {
    calls: ["eval DIR"],
    says: "scores labelled pastes: looks for labels.jsonl in DIR and below it (fixtures/labelled/README.md)",
    options: [
      ["--json", "the figures as JSON"],
      ["--min FILE", "floors for the figures; exit with 1 below them"],
      ["--facts", "each fact that is not given exactly"],
      ["--first-run", "record in labels.jsonl how each new case is read, before anything is mended for it"],
      ["--fit FILE", "write the confidence that these cases give, as src/diagnose/shares.ts"],
    ],
    examples: ["firstfault eval fixtures --min fixtures/floors.json"],
  },
  demo: {
    calls: ["demo"],
    says: "the Slack bot in a Slack of its own, in the terminal: no account, nothing leaves this machine",
    options: [
      ["--auto", "plays one case from paste to fix by itself, as it does where there is no terminal"],
      ["--lang en|zh", "language of the bot and the demo; default from LANG"],
    ],
    examples: ["firstfault demo", "firstfault demo --auto --lang zh"],
  },
  serve: {
    calls: ["serve"],
    says: "the Slack bot and the web pages; settings come from the environment (.env.example)",
    options: [],
    examples: [],
  },
  candidates: {
    calls: ["candidates export DIR"],
    says: "the diagnoses that people called wrong in Slack, redacted, as labelled pastes for an owner to look at",
    options: [],
    examples: ["firstfault candidates export candidates/ && firstfault eval candidates/"],
  },
  site: {
    calls: ["site DIR"],
    says: "the web pages of the playbooks as plain files",
    options: [],
    examples: [],
  },
  version: {
    calls: ["version"],
    says: "the version, and that of the rules, which receipts are made of",
    options: [],
    examples: [],
  },
};

const EXIT =
  "Exit codes: 0 done; 1 a fault found (--fail-on), problems, or below --min; 2 usage or unreadable input; 3 our own failure.\n";

/** All commands with all options. */
export function overview(): string {
  const commands = Object.values(HELP).flatMap(({ calls, says, options }) => [
    ...calls.map((call) => `  firstfault ${call}`),
    `      ${says}`,
    ...(options.length > 0 ? [`      ${options.map(([option]) => option).join("  ")}`] : []),
    "",
  ]);
  return [
    "firstfault: which rank failed first, what only followed, and the way to the fix",
    "",
    ...commands,
    "firstfault help COMMAND says what each option means.",
    EXIT,
  ].join("\n");
}

export function helpOn(name: string): string | undefined {
  const help = Object.hasOwn(HELP, name) ? HELP[name] : undefined;
  if (!help) return undefined;
  const width = Math.max(0, ...help.options.map(([option]) => option.length));
  return [
    ...help.calls.map((call) => `firstfault ${call}`),
    `  ${help.says}`,
    ...(help.options.length > 0
      ? ["", ...help.options.map(([option, says]) => `  ${option.padEnd(width)}  ${says}`)]
      : []),
    ...(help.examples.length > 0 ? ["", ...help.examples.map((example) => `  $ ${example}`)] : []),
    "",
    EXIT,
  ].join("\n");
}
