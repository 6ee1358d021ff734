// A line of a log as a person would retell it: who, then what it says. The machine's own prefixes go, since the story says
// time and rank itself; the line as printed stays among the evidence.
import type { Quote } from "../diagnose/verdict-type.ts";
import type { Words } from "../locale/en.ts";

/** A line can be very long; the story shows its head. */
const LONGEST = 160;

/** What launchers, loggers and collectors put in front. Each is tried again until none fits. */
const PREFIXES: readonly RegExp[] = [
  /^\[\d+,(?:mpirank:)?\d+(?:,[\w.-]+)?\]<std(?:err|out)>: ?/,
  /^\[(?:rank|default)\d+\]: ?/,
  /^\((?:[\w.-]+ )?pid=\d+(?:, ip=[\d.:a-fA-F]+)?\) ?/,
  /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?:? ?/,
  /^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?: \d{4})?\] ?/,
  /^\[?[EWIF]\d{3,4} \d\d:\d\d:\d\d(?:\.\d+)?(?: +\d+)? [\w./-]+:\d+\] ?/,
  /^\[[EWIF] [\w./-]+:\d+\] ?/,
  /^\[PG (?:ID )?\d+[^\]]{0,200}\] ?/,
  /^\[Rank \d+\] ?/,
  /^(?:Process group|NCCL) watchdog thread terminated with exception: /,
  /^[\w.-]+:\d+:\d+ \[\d+\] [\w./-]+:\d+ (?:\(\w+\) )?(?=NCCL )/,
];

const GAVE_UP = /WorkNCCL\(SeqNum=(\d+), OpType=(\w+),.{0,200}?Timeout\(ms\)=(\d+)/;

/** Google's loggers put month and day in front as one number. */
const MONTH_DAY = /^\d{3,4} (?=\d\d:)/;

/** What a watchdog's line says; null for any other. */
export function gaveUp({ quote }: Quote): { what: string; seconds: string } | null {
  const [, seq, operation, ms] = GAVE_UP.exec(quote) ?? [];
  return operation === undefined ? null : { what: `${operation} ${seq}`, seconds: String(Number(ms) / 1000) };
}

export function plainLine(quote: Quote, words: Words): { time: string | null; say: string } {
  const { rank, host, time } = quote;
  const name = rank === null ? host : host === null ? words.who.rank(rank) : words.who.on(words.who.rank(rank), host);
  const waited = gaveUp(quote);
  if (waited)
    return {
      time: time === null ? null : time.replace(MONTH_DAY, ""),
      say: words.story.gaveUp(name ?? words.who.somebody, waited.what, waited.seconds),
    };
  const text = bare(quote);
  const named = rank === null ? host !== null && text.includes(host) : text.toLowerCase().includes(`rank ${rank}`);
  return { time: null, say: short(name === null || named ? text : words.heading(name, text)) };
}

function bare({ quote, rank, host }: Quote): string {
  let rest = quote.trim();
  for (let round = 0; round < 8; round++) {
    let next = rest;
    for (const prefix of PREFIXES) next = next.replace(prefix, "");
    if (host !== null && next.startsWith(`${host}: `)) next = next.slice(host.length + 2);
    if (rank !== null && next.startsWith(`${rank}: `)) next = next.slice(`${rank}: `.length);
    next = next.trim();
    // A line that is nothing but prefixes is shown as it is.
    if (next === "" || next === rest) break;
    rest = next;
  }
  return rest;
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
