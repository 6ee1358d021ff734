// What kind of text this is, before any fault is looked for: a diff, green tests, a configuration, people talking, a log.
// Healthy text is the common case, and an answer to chatter is the worst mistake.
import { clean, parseLine } from "./lines.ts";
import type { Sample } from "./reader.ts";

export interface TextKind {
  /** A text of this kind reports no fault, whatever it quotes. */
  quiet: "diff" | "change" | "tests" | "config" | "code" | null;
  /** Lines that people wrote, by `source:line`. */
  prose: Set<string>;
  /** What people wrote, joined. */
  words: string;
  /** Share of lines that are a machine's. */
  machine: number;
  /** Lines by which a run says that it ended well, in order: source and line. */
  done: { source: number; line: number }[];
  /** The last lines warn of something that no signature knows. */
  alarmed: boolean;
  /** A line that says that something failed, though no signature knows it. */
  failed: { source: number; line: number; text: string } | null;
  language: "en" | "zh" | null;
}

const CJK = /[\u4e00-\u9fff]/g;
const PERSONAL =
  /\b(?:i|i'm|i've|we|we're|you|your|my|our|us|me|he|she|they|anyone|anybody|someone|somebody|what|why|how|which|does|should|could|would|can|please|thanks|hey|hi|lol|btw|imo|fyi|the|a|is|was|were|are|it|its|it's|this|that|these|those|there|and|but|so|then|when|after|before|if|not|no|has|have|had|with|for|same|just|any|ok|on|in|of|to|at|since|again|every|still|from|be|will)\b/gi;
const DIFF = /^(?:diff --git |index [0-9a-f]{7,}|@@ -\d|--- a\/|\+\+\+ b\/|--- \/dev\/null)/;
const PATCH = /^[+-](?![+-]).*[A-Za-z(){}]/;
/** The title of a change, as its author writes it, and the headings under which a change is explained. */
const TITLE =
  /^\s{0,3}(?:#{1,4} )?(?:\[[\w./ -]{1,30}\] ?){0,3}(?:fix|feat|chore|refactor|perf|revert|docs)(?:\([\w./, -]{1,40}\))?!?: [A-Za-z`]/i;
/** "docs: I followed them and it hangs" is a person's. */
const PERSON = /\b(?:I|i|I'm|we|We|my|our)\b|[?？]/;
const HEADING =
  /^#{1,4} (?:Motivation(?: and Context)?|Modifications|Proposed changes|Proposals?|Alternatives(?: considered)?|Non-goals|Test [Pp]lan|(?:Does|What does) this PR\b.{0,60}|How (?:has|was) this (?:been )?tested\??)\s*$/;
const RELEASE =
  /^\s{0,3}#{0,4} ?(?:(?:release notes|change ?log|what'?s (?:new|changed))\b|更新日志|发布说明)|^\s{0,3}(?:这次|本次)?(?:版本)?更新(?:日志|说明|内容)?[:：]/i;
/** What an article says of itself. */
const ARTICLE =
  /\b[Tt]his (?:guide|article|tutorial|blog ?post|post) (?:\w+ )?(?:provides?|explains?|covers?|shows?|describes?|walks|will)\b|本文(?:将|介绍|结合|分享|总结|从|主要)|踩坑(?:总结|记录|指南)|避坑指南/;
const WISH = /^\W{0,4}(?:Is your feature request related to a problem|Describe (?:the solution|alternatives) you)/;
const THIS_CHANGE =
  /\b[Tt]his (?:PR|pull request|MR|patch) (?:add|fix|make|remove|change|document|introduce|implement|improve|replace|move|enable|bump)/;
const GREEN =
  /\b\d+ passed\b|\bPASSED\b|^ok\s+\S+\s+[\d.]+s|^OK$|\bTests:\s+\d+ passed|^Ran \d+ tests? in|All checks passed|✓/;
const RED = /\b[1-9]\d* failed\b|\bFAILED\b|\b[1-9]\d* errors?\b|^FAIL\b|Tests failed/;
const DOTTED = /^\s{0,4}[\w/-]+ \.{4,} ?\S*/;
const SETTING =
  /^\s{0,12}(?:["']?[\w.-]{1,48}["']?\s?[:=]\s?["']?[^"'()]{0,80}["']?,?|--?[\w-]+(?:[ =]\S+)? ?\\?|[[\]{}],?|#.*|export \w+=\S*|- \S+)\s*$/;
const CODE =
  /^\s*(?:import |from \S+ import|def |class |return\b|if .*:$|for .*:$|elif |else:|with .*:$|@\w+|raise \w+\(|try:|except\b.*:|const |let |function |#include|assert |print\()/;
const MACHINE =
  /Traceback \(most recent|^\s*File "|^E[A-Z]\d{4}: \[PID|\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|CRITICAL)\b|NCCL (?:INFO|WARN)|^\s*[\w.]*(?:Error|Exception): |\bat 0x[0-9a-f]+|^frame #\d+|\d{1,3}%\||^(?:srun|slurmstepd|sbatch|mpirun|kubelet): /;
const DONE =
  /[Tt]raining (?:completed?|finished|done|is complete)|exits? successfully|[Ff]inished training|'train_runtime'|"train_runtime"|end of training|[Ss]uccessfully (?:completed|finished)|peak memory consumption|Job (?:finished|completed) successfully|\bstate=COMPLETED\b|训练(?:完成|结束)/;
const FAILED =
  /\b(?:[Ee]xit(?:ed|ing)?(?:code| code| with (?:code|status|error))\s?[:=]?\s*:?\s*-?[1-9]\d*|core dumped|Segmentation fault|Aborted|FATAL|[Ff]atal error|panic:|terminated (?:unexpectedly|abnormally)|[Uu]nhandled|crashed|^(?:LAUNCH )?(?:ERROR|CRITICAL)[:\] ]|trainer process with rank=\S{1,40} was aborted)|Error:/;
/** A line of the level of errors tells of a failure where its words do; a program says a lot at that level. */
const LEVEL = /(?:\[(?:error|ERROR)\]| - ERROR - )(.{0,400})/;
const FAILS =
  /\b(?:[Ee]rrors?|[Ee]xceptions?|[Ff]ail(?:ed|ure|s|ing)?|FAILED|[Aa]bort(?:ed|ing)?|[Cc]rash(?:ed)?|[Tt]erminat(?:ed|ing)|[Kk]illed|[Uu]nable|[Cc]an(?:not|'t| not)|[Cc]ould(?:n't| not)|[Tt]imed? ?-?out|[Rr]efused|[Dd]enied|[Uu]nreachable|[Ee]xits? with|[Nn]o such|[Ii]nvalid|[Cc]orrupt(?:ed)?|[Oo]ut of memory|died)\b/;
/** It goes on all the same. */
const GOES_ON =
  /\b(?:retry(?:ing)?|retries|try(?:ing)? again|ignor(?:ed|ing)|skipp(?:ed|ing)|continu(?:e|es|ing)|fall(?:ing)? ?back|recovered|non-fatal|0 errors?|no errors?)\b/i;
/** What a settings dump never prints: a run that was started with these settings did. */
const RAISED = /Traceback \(most recent|^\s*(?:\[rank\d+\]:? ?)?[\w.]*(?:Error|Exception): |Watchdog caught collective/;
/** Loaders print whole sentences, without a prefix and full of a person's words. */
const SENTENCES =
  /^(?:\d+:\s+)?(?:size mismatch for \S+: copying a param|(?:Missing|Unexpected) key\(s\)|Some weights of \w+|- \S+: found shape torch\.Size|You should probably TRAIN this model|- This IS (?:NOT )?expected if you are initializing|There were missing keys in the checkpoint|Unable to (?:load|find) \w+ (?:state )?(?:from checkpoint|file at)|could not load the checkpoint)/;
/** `kubectl get events`: age, type, reason and object in columns, then a sentence. */
const EVENT = /^(?:\d{1,4}[smhdy]){0,3} {0,12}(?:Warning|Normal) +[A-Z][A-Za-z]{3,40} +\(?[a-z][a-z0-9.-]{0,60}\/\S/;
/** What a program says it has done: a verb, and a number or a path at the end. A person who writes so tells of trouble. */
const PROGRESS =
  /^(?:Sav(?:ed|ing)|Load(?:ed|ing)|Restor(?:ed|ing)|Better|Best|New best|Running|Start(?:ed|ing)|Finished|Creat(?:ed|ing)|Writ(?:ing|ten)|Using|Build(?:ing)?|Found|Initiali[sz]\w{1,5}|Evaluating|Epoch)\b[^?!]{0,160}[:=/ ]["']?[\w./-]{0,120}\d[\w./%-]{0,40}["']?\.?$/;
const TROUBLED = /fail|hang|hung|crash|die[sd]?\b|stuck|error|oom|memory|nan\b|slow|wrong|stop|kill|time/i;
/** Python's warnings: the file, the line in it, the kind, then a sentence. */
const WARNED = /^\S{1,300}\.py:\d{1,6}: \w{0,40}Warning: /;
/** "nit: ...", "question: ...": what people put in front of a sentence looks like a program's name. */
const ADDRESSED =
  /^(?:nits?|fyi|psa|ps|re|qq?|question|update|tl;?dr|edit|context|reminder|todo|wip|fix|feat|docs|chore|refactor|minor|suggestion|idea|thought)(?:\([\w-]{1,30}\))?!?: /i;
/** A level below an error, or a line that passes on what others print. */
const NO_FAILURE = /NCCL INFO|severity=Corrected|\b(?:INFO|WARN(?:ING)?|DEBUG|Warning|warning)\b/;

/** So many lines at the end tell how a run stood when its log ends. */
const LAST = 4;
const ALARM =
  /\b(?:ERROR|FATAL|CRITICAL|[Ee]rror|[Ff]ail(?:ed|ure|ing)?|[Tt]ime[d-]?\s?out|[Ss]till waiting|[Hh]eartbeat|[Uu]nreachable|[Dd]isconnect|[Ll]ost|[Aa]bort|[Kk]illed|[Rr]efused|[Cc]orrupt|nan|NaN)\b/;
/** Counters of errors that count none, and settings named after errors. */
const NO_ALARM =
  /\b(?:errors?|failures?|failed|lost|nan|skipped)\b[^,|;]{0,20}[:= ]\s{0,8}0\b|\b0 (?:errors?|fail|lost)|NCCL INFO|Stack trace of the failed collective|loss/i;

/** Says that something is wrong, whether or not a signature knows it. */
export function isAlarm(text: string): boolean {
  return ALARM.test(text) && !NO_ALARM.test(text);
}

export function kindOf(sample: Sample): TextKind {
  const prose = new Set<string>();
  const said: string[] = [];
  const done: TextKind["done"] = [];
  let failed: TextKind["failed"] = null;
  /** What the last few lines of a machine say, and where the last one stands. */
  const last: string[] = [];
  let end: { source: number; line: number } | null = null;
  const counts = {
    lines: 0,
    diff: 0,
    patch: 0,
    change: 0,
    heading: 0,
    prefixed: 0,
    green: 0,
    red: 0,
    dotted: 0,
    setting: 0,
    code: 0,
    machine: 0,
    raised: 0,
  };
  for (const { source, line, text } of sample.lines) {
    const cleaned = clean(text.slice(0, 2_000)).replace(/^```\w*|```$/g, "");
    if (cleaned.trim() === "") continue;
    counts.lines += 1;
    if (DIFF.test(cleaned)) counts.diff += 1;
    if (PATCH.test(cleaned)) counts.patch += 1;
    const titled = counts.lines <= 2 && TITLE.test(cleaned) && !PERSON.test(cleaned);
    if (
      HEADING.test(cleaned) ||
      WISH.test(cleaned) ||
      ARTICLE.test(cleaned) ||
      (counts.lines <= 2 && RELEASE.test(cleaned))
    )
      counts.heading += 1;
    else if (titled || THIS_CHANGE.test(cleaned)) counts.change += 1;
    if (GREEN.test(cleaned)) counts.green += 1;
    if (RED.test(cleaned)) counts.red += 1;
    if (DONE.test(cleaned) && done.length < 1_000) done.push({ source, line });
    if (isProse(cleaned)) {
      prose.add(`${source}:${line}`);
      if (said.length < 200) said.push(cleaned);
      continue;
    }
    if (DOTTED.test(cleaned)) counts.dotted += 1;
    else if (CODE.test(cleaned)) counts.code += 1;
    else if (SETTING.test(cleaned)) counts.setting += 1;
    const prefixed = isPrefixed(cleaned);
    if (prefixed) counts.prefixed += 1;
    if (prefixed || MACHINE.test(cleaned)) counts.machine += 1;
    end = { source, line };
    last.push(cleaned);
    if (last.length > LAST) last.shift();
    if (RAISED.test(cleaned)) counts.raised += 1;
    if (!failed && isFailure(cleaned)) failed = { source, line, text: cleaned };
  }
  const stopped = last.at(-1);
  // Whatever an error says that nothing came after, it is where the log ends.
  if (!failed && end && stopped !== undefined && LEVEL.test(stopped) && !GOES_ON.test(stopped))
    failed = { ...end, text: stopped };
  const words = said.join("\n");
  return {
    quiet: quietKind(counts),
    prose,
    words,
    machine: counts.lines === 0 ? 0 : counts.machine / counts.lines,
    done,
    alarmed: done.length === 0 && last.some(isAlarm),
    failed,
    language: words === "" ? null : (words.match(CJK)?.length ?? 0) >= 4 ? "zh" : "en",
  };
}

function quietKind(counts: Record<string, number>): TextKind["quiet"] {
  const of = (name: string): number => counts[name] ?? 0;
  const lines = of("lines");
  if (lines === 0) return null;
  if (of("diff") >= 2 || (of("diff") >= 1 && of("patch") >= 1)) return "diff";
  // What a change mends is quoted under its headings; a title alone may stand above an error, and both above a log.
  const explained = of("heading") >= 1 || (of("change") >= 1 && of("raised") === 0);
  if (explained && of("prefixed") === 0 && of("machine") * 4 <= lines) return "change";
  if (of("green") >= 1 && of("red") === 0 && (of("green") >= 2 || of("green") * 4 >= lines)) return "tests";
  if (of("raised") === 0 && of("dotted") >= 8 && of("dotted") * 10 >= lines * 6) return "config";
  const settings = of("setting") + of("dotted");
  if (settings >= 4 && settings * 10 >= lines * 8 && of("machine") === 0) return "config";
  if (of("code") >= 3 && of("machine") === 0 && (of("code") + settings) * 10 >= lines * 5) return "code";
  return null;
}

/** Whoever started a process tells, at any level, that it ended badly: no reason, and no failure besides another one. */
const ENDED =
  /spawn\.ProcessRaisedException\b|errors\.ChildFailedError\b|\b[Ww]orker (?:process )?(?:\d{1,6} )?(?:has )?died\b(?!.{0,80}(?:restart|respawn|replac))|\bexits with return code = -?[1-9]|\btrainer process with rank=\S{1,40} was aborted|\bPod: \S{1,200} exited with code [1-9]|\bError pod \S{1,200} container \S{1,80} exitCode: [1-9]/;

/** Does a line only say that a process ended badly? */
export function isEnding(text: string): boolean {
  return ENDED.test(text);
}

function isFailure(text: string): boolean {
  if (isEnding(text)) return true;
  if (NO_FAILURE.test(text)) return false;
  if (FAILED.test(text)) return true;
  const said = LEVEL.exec(text)?.[1];
  return said !== undefined && FAILS.test(said) && !GOES_ON.test(said);
}

/** A rank, a host, a time or a process in front. */
function isPrefixed(text: string): boolean {
  const parsed = parseLine(0, 0, text);
  return parsed.text.length !== parsed.raw.length;
}

/** A line that a person typed: words that only people use, no prefix, no time, few signs. */
export function isProse(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length < 4 || trimmed.length > 3_000 || /\d%\||^(?:srun|slurmstepd|sbatch|mpirun): /.test(trimmed))
    return false;
  if (
    /^(?:Traceback|ABORT!!! |\s*File "|E[A-Z]\d{4}: |[[({│╭╰]|[|+=#*-]{2}|# |:::|"[\w.-]{1,60}": )/.test(trimmed) &&
    !/^\[?[A-Z]{0,3}\]? ?[a-z]+ [a-z]+ [a-z]+/.test(trimmed)
  )
    return false;
  const cjk = trimmed.match(CJK)?.length ?? 0;
  const parsed = parseLine(0, 0, trimmed);
  const prefixed = parsed.rank !== null || parsed.host !== null || Object.keys(parsed.times).length > 0;
  if (prefixed) return false;
  if (
    !ADDRESSED.test(trimmed) &&
    /^(?:\d+:\s+)?[\w.]*(?:Error|Exception|Warning)\b|^[\w-]+: (?:error: |\w+ )|\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG)\b[ :\]|]/.test(
      trimmed,
    )
  )
    return false;
  if (SENTENCES.test(trimmed) || EVENT.test(trimmed) || WARNED.test(trimmed)) return false;
  if (PROGRESS.test(trimmed) && !TROUBLED.test(trimmed)) return false;
  if (cjk >= 4 && cjk * 6 >= trimmed.length) return true;
  const words = trimmed.match(/[A-Za-z']+/g)?.length ?? 0;
  const personal = trimmed.match(PERSONAL)?.length ?? 0;
  const signs = trimmed.match(/[=|<>{}[\]_\\/]/g)?.length ?? 0;
  if (words < 3) return false;
  return personal >= 2 && personal * 8 >= words && signs * 12 <= trimmed.length;
}
