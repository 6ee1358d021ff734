// What only the Slack bot says, in English.

export const slackEn = {
  wrongBack: "wrong? Back",
  run: "Run this, and paste here what it prints:",
  change: "What to change or run:",
  expect: "It should show: ",
  undo: "To undo: ",
  stop: "Stop when: ",
  call: "Call: ",
  commonly: "Commonly advised: ",
  owner: "With ",
  cut: '(cut here; "Show lines" has the rest)',
  commandCut: "This command is too long for a Slack message: firstfault playbook show",
  showLines: "Show lines",
  page: "This step on the page of its playbook",
  caseLink: "Link to this case",
  asOf: (at: string): string => `as of ${at}`,
  superseded: (now: string): string => `; since superseded by: ${now}`,
  more: {
    back: "Back one step",
    "hand-over": "Hand over to a person…",
    escalate: "Escalate to another team…",
    close: "Close the case…",
    wrong: "The diagnosis is wrong",
  },
  confirm: {
    title: "Before you go on",
    say: (risk: string, undo: string): string => `This step ${risk}. ${undo}Has it been done, and was it meant to be?`,
    yes: "Yes, go on",
    no: "Not yet",
  },
  stale: "That step is over. The message above shows where the case stands now.",
  taken: " was faster: that step is answered. The message above shows where the case stands now.",
  over: "This case is closed. A new log opens a new one.",
  gone: "This case is no longer kept. Paste the log again to open a new one.",
  noLines: "No lines are kept for this case any more.",
  nobodyFaster: "Someone",
  asks: {
    handOver: "Who takes this case?",
    handOverPick: "Choose a person",
    escalate: "This ends the case here as handed over, and writes the text for the other team into this thread.",
    escalateYes: "Escalate",
    close: "How did it end?",
  },
  outcome: {
    fixed: "Fixed, and seen to hold",
    mitigated: "Running again, cure owed",
    "handed-over": "With another team",
    "not-a-fault": "Not a fault",
    unknown: "Without an answer",
  },
  handedTo: (by: string): string =>
    ` this case is yours now; ${by} hands it over. Where it stands is in the message above.`,
  wrongNote: (label: string): string => `The diagnosis was marked as wrong; it was: ${label}.`,
  wrongThanks:
    "Noted on the case, and kept for whoever looks after the playbooks. A paste of the lines that show it is read here at once.",
  wrong: {
    title: "What was it?",
    label: "The right answer",
    words: "In your words",
    hint: "How could one have told? It is kept with the lines of the log in question, and a person looks at it.",
  },
  strangers: "Only people of the workspace that runs me can use these buttons.",
  off: "I am off in this channel. /firstfault settings changes that.",
  offShared:
    "Another company is in this channel, so I am off here until an admin of this workspace turns me on: /firstfault settings",
  settings: {
    title: "firstfault here",
    when: "When do I answer in this channel?",
    mode: {
      automatic: "A log that shows a failure I know, and whoever mentions me",
      mention: "Only whoever mentions me",
      off: "Nobody",
    },
    speaks: "In which language?",
    language: { own: "That of the person's own words", en: "English", zh: "简体中文" },
    saved: (mode: string): string => `Saved. In this channel I answer: ${mode}.`,
  },
  form: { send: "Send", save: "Save", cancel: "Cancel" },
  formLate: "Slack did not open the form in time. Please choose it once more.",
  nothing:
    "I see no failure in this text. Paste the lines of the log around the first error, from every rank if you can; a time-out alone is usually the victim's.",
  empty:
    "Paste the error of a training run here, as text: the lines around the first error, from every rank if you can.",
  /** A file that was not read, and what to do. */
  left: {
    "too-large": (name: string): string =>
      `${name} is too large: of one message I read 200 MB, unpacked. Send the part around the first error, from every rank if you can.`,
    empty: (name: string): string => `${name} is empty. Send what the job printed, stderr too.`,
    "not-text": (name: string): string =>
      `${name} is not text. Send the log as text, or packed as .gz, .zip or .tar.gz.`,
    broken: (name: string): string => `${name} could not be unpacked. Pack it again, or send the log as text.`,
    "zip-broken": (name: string): string =>
      `${name} could not be unpacked. Pack it again as a plain .zip, or send the logs one by one.`,
    "zip-encrypted": (name: string): string => `${name} is encrypted. Pack it again without a password.`,
    bomb: (name: string): string =>
      `${name} unpacks to far more than it holds, so I stopped. Send the part of the log around the first error.`,
    "too-many": (name: string): string =>
      `${name} holds more than 2,000 files. Pack the logs of the ranks that failed first, and a few others.`,
    "nothing-inside": (name: string): string => `${name} holds no log that I can read. Pack the logs as text.`,
    "some-left": (name: string): string =>
      `Some files in ${name} are not logs and were left out; the rest of it is read.`,
    cut: (name: string): string => `${name} ends in the middle; I read it as far as it goes.`,
    gone: (name: string): string => `${name} was deleted before I could read it. Send it again.`,
    "no-scope": (name: string): string =>
      `I may not read files here, so ${name} is unread. Whoever installed this app can reinstall it with the scope files:read; until then, paste the lines as text.`,
    elsewhere: (name: string): string =>
      `${name} does not lie in Slack itself, so I do not fetch it. Upload it here, or paste its lines.`,
    "not-fetched": (name: string): string =>
      `Slack did not give me ${name} just now. Send it again in a minute, or paste its lines.`,
  },
  pasteOrClick: "Paste output here and I read it, or answer with a button in the message above.",
  command: {
    help: '/firstfault diagnose TEXT opens a case for a text, here in the channel. /firstfault playbook ID shows a playbook and its first step. /firstfault settings sets when and in which language I answer here. Or paste a log into a channel that I am in, send it to me, or choose "Diagnose this" in the menu of any message.',
    usage: "I know /firstfault diagnose TEXT, /firstfault playbook ID, /firstfault settings and /firstfault help.",
    noPlaybook: (ids: readonly string[]): string => `Name one of these playbooks: ${ids.join(", ")}.`,
    asked: " asks what this is:",
    page: "The whole playbook on its page",
  },
  together: "I read this together with what you sent just before, as one case.",
  sameFault: "This fault has an open case in this channel already; it counts there as seen again.",
  sameFaultLink: "To the case",
  sameFaultNot: "It is another one: look at it here",
  mayLook: "This looks like a log, but I cannot tell what failed. Shall I look, and say in its thread what would tell?",
  mayLookYes: "Yes, look",
  messageGone: "That message is not there any more.",
  reading: "This takes a moment; the answer will stand in its thread.",
  readAlready: "This message is read already; the answer stands in its thread.",
  notHere:
    "I cannot write in this channel. Invite me with /invite @firstfault and try again, or send the log to me directly.",
  failed: (reference: string): string =>
    `Sorry, that failed on our side. Try again in a minute; if it stays, tell whoever runs this bot the reference ${reference}.`,
};

export type SlackWords = typeof slackEn;
