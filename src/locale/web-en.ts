// What only the web pages say, in English.

export const webEn = {
  htmlLang: "en",
  /** The name of this language in itself, for the link from the other one. */
  name: "English",
  skip: "Skip to the content",
  skipMap: "Skip the map",
  languages: "Language",
  allPlaybooks: "All playbooks",

  index: {
    title: "Playbooks for failed training runs",
    say: "From the symptom to a fix that holds: what to look at, what to run, what to change, and how to see that it worked.",
    filter: "Find a failure",
    filterHint: "Type a word of the failure, such as “ECC” or “NaN”.",
    /** The page's script puts the number in. */
    found: { one: "1 failure found", many: "{n} failures found" },
    kinds: "Kinds of this failure",
    whole: "Open the playbook",
    terminal: "With a log at hand, the program finds the playbook and the step itself:",
  },

  steps: (n: number): string => (n === 1 ? "1 step" : `${n} steps`),
  version: (n: number): string => `version ${n}`,
  draft: "draft, not yet proven on real logs",
  misses: "Not covered here:",
  places: {
    /** Around an example of a place. */
    before: "Marked words such as",
    after: "stand for what your log shows. A case in Slack or in the terminal fills them in.",
  },
  opens: "Start where the log points",
  opensSay: "What the log shows, and where the walk then begins.",
  begin: (n: number): string => `Without a log, begin at step ${n}`,
  terminal: "To walk it in a terminal:",

  map: {
    title: "Map",
    say: "Each box is a step, with its answers. A line leads to the next step. An arrow with a number jumps to the step of that number; a square ends the walk.",
    fit: "Fit to the width",
    legend: "What the marks mean",
    opens: "a log can open here",
    jump: "jumps to that step",
    end: "ends the walk",
    hands: "goes on in another playbook",
  },

  toc: "Steps",
  step: (n: number): string => `Step ${n}`,
  linkTo: (n: number): string => `Link to step ${n}`,
  linkToEnd: (name: string): string => `Link to the end “${name}”`,
  run: "Run",
  change: "Change or run",
  copy: "Copy",
  copyWhat: (n: number): string => `Copy the command of step ${n}`,
  copyScript: (name: string): string => `Copy ${name}`,
  copied: "Copied",
  notCopied: "Copy it by hand",
  fillIn: "Fill in",
  expect: "Expect",
  undo: "To undo",
  stop: "Stop when",
  call: "Call",
  commonly: "Commonly advised",
  script: (name: string): string => `The script ${name}`,
  choices: "Which answer fits?",
  from: "Reached from step",
  sources: "Sources:",

  ends: "Where it ends",
  goesOn: (title: string): string => `Goes on in “${title}”`,
  knows: "Lines of a log it knows",
  knowsSay:
    "Examples, as logs print them. One line is seldom the whole answer: which one came first, and on which rank, decides.",
  noKind: "Of no particular kind",
  role: { cause: "states the failure", consequence: "follows from a failure", context: "gives facts only" },
  against: "speaks against it",

  footer: (id: string, version: number): string => `Playbook ${id}, version ${version}. This page is read only.`,

  notFound: {
    title: "There is no such page",
    say: "The address may be cut off, or the playbook may have been renamed since the link was made. Choose one of these:",
    operator: "If a playbook is missing here, whoever runs this service sees why with “firstfault playbook check”.",
  },
};

export type WebWords = typeof webEn;
