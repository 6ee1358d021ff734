// The program's own words in English. Words about one fault are in its playbook; commands and names of facts in neither.

/** 1840 -> "1 840", as people read large numbers on both sides of the ocean. */
function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

function listed(items: readonly (string | number)[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** Few are named, many are counted. */
function some(items: readonly (string | number)[], one: string, many: string): string {
  if (items.length > 4) return `${items.slice(0, 3).join(", ")} and ${items.length - 3} other ${many}`;
  return `${items.length === 1 ? one : many} ${listed(items)}`;
}

/** Names of hosts and parameters stay as they are written. */
const capital = (text: string): string =>
  text.replace(/^[a-z]+(?=[,:]?(?:\s|$))/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** What a newer playbook makes of the steps that can still come; titles of steps. */
export interface NewerTold {
  changed: string[];
  added: string[];
  dropped: string[];
  /** Where the case would stand, where that is another step. */
  moved: string | null;
}

export const en = {
  sentence: (text: string): string => (/[.!?:]$/.test(text) ? capital(text) : `${capital(text)}.`),
  capital,
  join: (sentences: readonly string[]): string => sentences.join(" "),
  /** Texts are folded in YAML; a language may want no blanks where lines were joined. */
  tidy: (text: string): string => text,
  /** The bold line of a step. */
  heading: (phase: string, title: string): string => `${phase}: ${title}`,
  aside: (text: string): string => ` (${text})`,

  at: {
    lines: (numbers: readonly number[]): string =>
      numbers.length === 1 ? `line ${grouped(numbers[0] ?? 0)}` : `lines ${numbers.map(grouped).join(", ")}`,
    inFile: (file: string, line: number): string => `${file}:${line}`,
    inMessage: (line: number): string => `the message, line ${grouped(line)}`,
    thatPaste: "your paste",
    yourPaste: (lines: string): string => `your paste, ${lines}`,
    paste: (number: number, lines: string): string => `paste ${number}, ${lines}`,
    more: (where: string, n: number): string => `${where} and ${grouped(n)} more`,
    by: (name: string): string => `answered by ${name}`,
  },

  who: {
    rank: (rank: number): string => `rank ${rank}`,
    ranks: (ranks: readonly number[]): string => some(ranks, "rank", "ranks"),
    somebody: "a rank",
    on: (who: string, host: string): string => `${who} (${host})`,
    at: (who: string, host: string, gpu: number): string => `${who} (${host}, GPU ${gpu})`,
    gpu: (who: string, gpu: number): string => `${who} (GPU ${gpu})`,
    host: (host: string): string => host,
  },

  status: {
    confirmed: "confirmed",
    supported: "supported, not proven",
    unclear: "unclear",
    unknown: "unknown",
  },
  label: {
    "nccl-timeout": "NCCL time-out",
    oom: "out of memory",
    "expert-imbalance": "expert imbalance",
    "loss-spike": "loss spike",
    "checkpoint-mismatch": "checkpoint mismatch",
    other: "another fault",
    none: "no fault",
  },

  headline: {
    oom: (who: string, kind: "gpu" | "host" | null): string =>
      `${who} ran out of ${kind === "gpu" ? "GPU memory" : kind === "host" ? "host memory" : "memory"}`,
    namely: (what: string, kind: string): string => `${what}: ${kind}`,
    timeoutBy: (who: string, how: "missing" | "late" | "held", what: string, wait: string): string => {
      const did = { missing: "never joined", late: "did not come in time to", held: "held up" }[how];
      return `${who} ${did} ${what}; the others waited${wait}`;
    },
    timeout: (what: string, wait: string): string => `${what} timed out${wait}`,
    ledTo: (cause: string, what: string): string => `${cause}; ${what}`,
    aCollective: "a collective operation",
    waited: (seconds: string): string => ` ${seconds} s for it`,
    after: (seconds: string): string => ` after ${seconds} s`,
    expert: (expert: number, who: string | null, tokens: string | null, ratio: string | null): string =>
      `expert ${expert}${who ? ` on ${who}` : ""} got ${tokens ? `${tokens} tokens` : "far more tokens than the others"}${ratio ? `, ${ratio} times the mean` : ""}`,
    experts: "the router sends too many tokens to too few experts",
    nan: (step: string | null): string => `the loss became NaN or infinite${step ? ` at step ${step}` : ""}`,
    spike: (step: string | null, before: string | null, peak: string | null): string =>
      `the loss jumped${before && peak ? ` from ${before} to ${peak}` : peak ? ` to ${peak}` : ""}${step ? ` at step ${step}` : ""}`,
    divergence: (step: string | null, before: string | null, peak: string | null): string =>
      `the loss is climbing and not coming back${before && peak ? `: ${before} to ${peak}` : ""}${step ? ` since step ${step}` : ""}`,
    scale: (scale: string | null): string => `the loss scale collapsed${scale ? ` to ${scale}` : ""}`,
    resumeJump: (before: string | null, after: string | null): string =>
      `the loss jumped at the resume${before && after ? `: ${before} before, ${after} after` : ""}`,
    shapes: (param: string | null, saved: string, model: string): string =>
      `${param ?? "a parameter"} is ${saved} in the checkpoint and ${model} in the model`,
    silent: "the checkpoint loaded without an error, but not all of it arrived",
    drifts: "the checkpoint loaded, and training does not go on where it stopped",
    raises: "the checkpoint does not fit what loads it",
    other: (who: string | null, kind: string): string => (who ? `${who}: ${kind}` : kind),
    unknown: "something failed here, but no playbook knows what",
    error: (who: string | null, error: string): string =>
      `${who ?? "a process"} ended with ${error}; no playbook knows this one`,
    whoIsNotKnown: "which rank held it up cannot be told from this log",
    wouldTell: (what: string): string => `what would tell: ${what.replace(/^The /, "the ")}`,
    maybe: (headline: string): string => `This may be it: ${headline}`,
    probably: (headline: string): string => `Probably: ${headline}`,
    words: (label: string): string => `What you describe sounds like this: ${label}`,
    none: "no sign of a failure in this text",
  },

  follows: {
    timeouts: (n: number): string =>
      n > 1 ? `The ${grouped(n)} time-outs follow from it.` : "The time-out follows from it.",
    oom: "The memory failure follows from it.",
    "loss-spike": "The jump of the loss follows from it.",
    beside: (label: string): string => `Also in the log: ${label}.`,
  },

  story: {
    memory: (who: string, tried: string, free: string | null, total: string | null): string =>
      `${who} asked for ${tried}${free ? ` with ${free} free` : ""}${total ? ` of ${total}` : ""}`,
    gaveUp: (who: string, what: string, seconds: string): string => `${who} gave up on ${what} after ${seconds} s`,
  },

  notKnown: {
    rank: "which rank it was; without a prefix the log does not say",
    cause: "what made it happen",
    separate: (label: string, what: string): string =>
      `whether it is ${label} instead: ${what.replace(/^[A-Z](?=[a-z]* )/, (first) => first.toLowerCase())}`,
    say: (what: string): string => `Not known: ${what}`,
  },

  again: (n: number, last: string): string =>
    `The same fault was posted again ${n === 1 ? "once" : `${n} times`}, last at ${last}.`,

  phase: { symptom: "Symptom", locate: "Locate", fix: "Fix", verify: "Verify" },
  risk: {
    none: null,
    "changes-run": "changes the run",
    "changes-cluster": "changes the cluster",
    "loses-work": "loses work",
  },

  settled: (title: string, answer: string): string => `${title}${/[?.:]$/.test(title) ? "" : ":"} ${answer}`,
  reopen: (title: string): string => `Reopen: ${title}`,
  newer: {
    take: (version: number): string => `Go on with version ${version}`,
    say: (from: number, to: number, what: NewerTold): string => {
      const some = (titles: string[]): string =>
        titles
          .slice(0, 3)
          .map((title) => `"${title}"`)
          .join(", ") + (titles.length > 3 ? ` and ${titles.length - 3} more` : "");
      const told = [
        what.changed.length > 0 && `it changes ${some(what.changed)}`,
        what.added.length > 0 && `adds ${some(what.added)}`,
        what.dropped.length > 0 && `drops ${some(what.dropped)}`,
        what.moved !== null && `and the case would stand at "${what.moved}"`,
      ].filter(Boolean);
      const fromHere = told.length > 0 ? `From here ${told.join(", ")}.` : "From here it changes nothing.";
      return `This case runs version ${from} of its playbook; version ${to} is out. ${fromHere}`;
    },
  },
  problem: {
    contradicted: (title: string, answer: string, instead: string, at: string): string =>
      `"${title}" stands at "${answer}", but newer evidence says "${instead}" (${at}).`,
    "no-playbook": (playbook: string): string =>
      `The case goes on in the playbook ${playbook}, which is not loaded here. Whoever runs this service can see why with "firstfault playbook check".`,
    "handoff-loop": (playbook: string): string =>
      `The playbooks hand this case back and forth (next would be ${playbook}). That is a mistake in them; close the case by hand.`,
    reading: (finding: string): string => `Your paste changed nothing: ${finding}`,
    otherOutput: "That is the output of another command; this step still waits for the output of its own.",
  },

  outcome: {
    fixed: "Fixed",
    mitigated: "Running again; the cure is still owed",
    "handed-over": "With another team now",
    "not-a-fault": "Not a fault",
    unknown: "Ended without an answer",
  },
  ended: {
    was: (headline: string): string => `What it was: ${headline}`,
    fixedBy: (what: string): string => `What was done: ${what}`,
    held: (what: string): string => `How it was seen to hold: ${what}`,
    send: (text: string): string => `To send on: ${text}`,
  },

  escalation: {
    head: "For the team that takes over:",
    found: "Found so far",
    lines: "Lines",
    receipt: "Receipt",
  },

  terminal: {
    run: "Run this, and paste what it prints:",
    change: "What to change or run:",
    script: (path: string): string => `The script is ${path}, where firstfault is installed.`,
    expect: "Expect:",
    undo: "Undo:",
    stop: "Stop:",
    call: "Call:",
    walkOn: 'Answer it step by step with "firstfault walk" and the same log.',
    wrong: 'wrong? type "back"',
    prompt: 'Number of the answer, "paste", "back", "lines" or "quit": ',
    endPrompt: '"back" undoes the last answer, Enter ends: ',
    pasteNow: 'Paste now; a line with only "." ends it.',
    pasteLog: 'Paste the log; a line with only "." ends it.',
    notAChoice: (given: string, choices: number): string =>
      `"${given}" is not an answer here. Type ${choices > 0 ? `a number from 1 to ${choices}, or ` : ""}"paste", "back", "lines" or "quit".`,
    notRecorded: "Not recorded.",
    goingOn: (since: string): string => `Going on with the case of this log, opened ${since}.`,
    left: 'Left open. "firstfault walk" with the same log goes on from here.',
    leftUnkept: "Left open; this walk is not kept.",
    notKept: (why: string): string => `This walk cannot be kept and ends with this terminal: ${why}`,
    noTerminal: "There is no terminal to answer in, so this is the first screen only.",
    noLines: "No lines are kept for this case.",
    stale: "That step is over; here is where the case stands.",
    risky: (risk: string): string => `This ${risk}.`,
    sure: (label: string, risk: string): string => `This step ${risk}. Record "${label}"? "yes" records it: `,
  },
};

export type Words = typeof en;
