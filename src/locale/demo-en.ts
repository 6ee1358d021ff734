// What only the demo says, in English.

export const demoEn = {
  intro: (address: string): string[] => [
    "The real firstfault in a Slack of its own, on this machine only. Nothing leaves it, nothing is kept.",
    `Playbooks as web pages: ${address}`,
  ],
  pick: "Paste the log of a failed run, from as many ranks as you have, or pick one:",
  samples: {
    cascade: "256 ranks: 26 time-outs, and one rank that failed ten minutes before them",
    late: "16 ranks: a collective of tensor parallelism timed out, and nobody says why",
    shapes: "16 ranks: one cannot load the checkpoint, the others wait for it",
    experts: "Mixture of experts: slower and slower, then one rank out of memory",
    spike: "Megatron: the loss jumps at step 24 100 and ends in NaN",
  },
  sample: (about: string, n: number): string => `${about} (${n} lines)`,
  pasted: (n: number): string => `(pasted ${n === 1 ? "1 line" : `${n} lines`})`,
  moreLines: (n: number): string => `… ${n} more ${n === 1 ? "line" : "lines"}`,
  snippet: "Too long for a message, so Slack sends it as a snippet.",
  thread: (channel: string): string => `#${channel}, in the thread`,
  app: "APP",
  updated: "(updated)",
  onlyYou: "only visible to you",
  menu: "⋯",
  hint: {
    start: "Paste a log, or type 1 to 5. q: leave",
    step: "number: click   paste: evidence   m: ⋯ menu   p: whole message   q: leave",
    over: "The case is over. n: another log   p: whole message   q: leave",
    menu: "number: choose   Enter: back",
    sure: (yes: string, no: string): string => `y: ${yes}   n: ${no}`,
    silent: "Type @firstfault to ask all the same, or paste more. n: another log   q: leave",
  },
  noButton: (typed: string): string => `There is no button "${typed}" now.`,
  silent: "firstfault keeps quiet: in a channel it answers only a failure that it knows, so that nobody mutes it.",
  clicks: (who: string, label: string): string => `${who} clicks “${label}”`,
  chooses: (who: string, label: string): string => `${who} chooses “${label}”`,
  form: (title: string, fields: readonly string[]): string =>
    `Slack opens a form here, "${title}", which asks: ${fields.join("; ")}. This terminal shows no forms.`,
  failed: "Slack says: the app did not answer in time. Try again.",
  slow: "The bot is still at work.",
  left: "Left. To use it in your own Slack: docs/slack.md.",
  auto: "There is no terminal to type in, so this plays by itself. In a terminal you paste your own log.",
};

export type DemoWords = typeof demoEn;
