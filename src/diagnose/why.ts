// Why the others followed, in one sentence that a person can check: how many gave up, on what, and how that fits the fault.
import type { Facts } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import type { Cascade } from "./verdict-type.ts";
import type { Waiting } from "./waiting.ts";

export interface Why {
  root: Claim;
  /** Ranks that gave up; 0 where no line says which. */
  ranks: number;
  /** From the fault to the last that gave up, where one clock shows it. */
  seconds: number | null;
  facts: Facts;
  late: number[];
  missing: number[];
  waiting: Waiting;
}

interface Said {
  en: string;
  zh: string;
}

export function whyOf(why: Why): Cascade["why"] {
  return why.root.role === "cause" ? afterTheFault(why) : whoWaited(why);
}

function afterTheFault({ root, ranks, seconds, facts }: Why): Said {
  const limit = limitOf(facts);
  const some = counted(ranks);
  const gaveUp = { en: `${some.en} gave up${on(facts).en}`, zh: `${some.zh}放弃等待${on(facts).zh}` };
  const { line } = root;
  const after =
    line.rank === null
      ? { en: `line ${line.line}`, zh: `第 ${line.line} 行之后` }
      : { en: `rank ${line.rank} failed`, zh: `${line.rank} 号 rank 出错后` };
  if (seconds !== null && limit !== null && Math.abs(seconds - limit) <= Math.max(30, 0.15 * limit)) {
    return {
      en: `${capital(gaveUp.en)}, ${seconds} s after ${after.en}; the time-out they print is ${limit} s.`,
      zh: `${after.zh} ${seconds} 秒，${gaveUp.zh}，与它们打印的超时 ${limit} 秒相符。`,
    };
  }
  if (seconds !== null && seconds > 0) {
    return {
      en: `${capital(gaveUp.en)} after ${after.en}; the last of them ${seconds} s later.`,
      zh: `${after.zh}，${gaveUp.zh}，最后一个晚 ${seconds} 秒。`,
    };
  }
  return {
    en: `${capital(gaveUp.en)}${waited(limit).en}. No clock shows the order, but a time-out only waits for someone else.`,
    zh: `${gaveUp.zh}${waited(limit).zh}。没有共同的时钟可排先后，但超时只是在等别人。`,
  };
}

function whoWaited({ ranks, facts, late, missing, waiting }: Why): Said {
  const some = counted(ranks);
  const gaveUp = {
    en: `${capital(some.en)} gave up${on(facts).en}${waited(limitOf(facts)).en}`,
    zh: `${some.zh}放弃等待${on(facts).zh}${waited(limitOf(facts)).zh}`,
  };
  if (late.length > 0) {
    const culprit = named(late);
    const never = { en: `${culprit.en} never started`, zh: `${culprit.zh}一直没有发起` };
    const { en, zh } = operation(facts) ?? { en: "the operation", zh: "这次操作" };
    if (ranks === 0) return { en: `${capital(never.en)} ${en}.`, zh: `${never.zh} ${zh}。` };
    return { en: `${gaveUp.en}; ${never.en} it.`, zh: `${gaveUp.zh}；${never.zh}它。` };
  }
  if (waiting.unfinished.length > 0) {
    const culprit = named(waiting.unfinished);
    return {
      en: `${capital(culprit.en)} started an operation that the others finished, and did not finish it: joined, and stuck.`,
      zh: `${culprit.zh}发起了其他 rank 已完成的操作却没有完成：它参加了，但卡住了。`,
    };
  }
  if (missing.length > 0) {
    const culprit = named(missing);
    return {
      en: `${gaveUp.en}; ${culprit.en} printed nothing here.`,
      zh: `${gaveUp.zh}；${culprit.zh}在这里没有输出。`,
    };
  }
  if (waiting.together) {
    return {
      en: `${gaveUp.en}; ${ranks === 2 ? "both" : "all of them"} started it and none finished, so none is seen to be late.`,
      zh: `${gaveUp.zh}；它们都发起了，没有一个完成，看不出谁迟到。`,
    };
  }
  return { en: `${gaveUp.en}; none of them shows who was late.`, zh: `${gaveUp.zh}；从中看不出谁迟到。` };
}

/** "ALLTOALL_BASE 31462", as printed. */
function operation(facts: Facts): Said | null {
  const name = facts.collective?.value;
  if (typeof name !== "string") return null;
  const seq = facts.seq?.value;
  const what = typeof seq === "number" ? `${name} ${seq}` : name;
  return { en: what, zh: what };
}

function on(facts: Facts): Said {
  const what = operation(facts);
  return what === null ? { en: " waiting", zh: "" } : { en: ` on ${what.en}`, zh: ` ${what.zh}` };
}

function waited(limit: number | null): Said {
  return limit === null ? { en: "", zh: "" } : { en: ` after ${limit} s`, zh: `（${limit} 秒）` };
}

/** In seconds. */
function limitOf(facts: Facts): number | null {
  const ms = facts.timeout_ms?.value;
  return typeof ms === "number" ? ms / 1000 : null;
}

function counted(ranks: number): Said {
  if (ranks === 0) return { en: "others", zh: "其余 rank " };
  return { en: `${ranks} ${ranks === 1 ? "rank" : "ranks"}`, zh: `${ranks} 个 rank ` };
}

function named(ranks: readonly number[]): Said {
  const list = ranks.length > 5 ? `${ranks.slice(0, 5).join(", ")} …` : ranks.join(", ");
  return { en: `${ranks.length === 1 ? "rank" : "ranks"} ${list}`, zh: `${list.replaceAll(", ", "、")} 号 rank ` };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
