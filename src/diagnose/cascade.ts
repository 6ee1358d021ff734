// Who only followed, and whether the time between proves it.
import type { Facts } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import { gapOf, isBefore } from "./clocks.ts";
import type { Line } from "./lines.ts";
import type { Cascade } from "./verdict-type.ts";
import type { Waiting } from "./waiting.ts";

/** Null where nothing followed. */
export function cascadeOf(root: Claim, claims: readonly Claim[], waiting: Waiting, facts: Facts): Cascade | null {
  const followed = claims.filter(
    (claim) => claim.role === "consequence" && claim !== root && claim.label === "nccl-timeout",
  );
  const lines = followed
    .flatMap((claim) => claim.lines)
    .filter((line) => root.role === "consequence" || !isBefore(line, root.line));
  const culprit = root.role === "cause" ? root.line.rank : null;
  const victims = waiting.reporting.filter((rank) => rank !== culprit);
  if (root.role === "cause" && lines.length === 0) return null;
  const several = victims.length > 1 || waiting.late.length > 0 || waiting.missing.length > 0;
  if (root.role === "consequence" && !several) return null;
  const last = latest(root.role === "cause" ? lines : [...root.lines, ...lines]);
  const gap = last ? gapOf(root.line, last) : undefined;
  const seconds = gap === undefined ? null : Math.round(gap / 100) / 10;
  const late = root.role === "cause" ? (culprit === null ? [] : [culprit]) : waiting.late;
  const missing = waiting.missing.filter((rank) => rank !== culprit && !late.includes(rank));
  return {
    victims: victims.length || lines.length,
    late,
    missing,
    first_to_last_s: seconds,
    why: whyOf({ root, victims: victims.length || lines.length, seconds, facts, late, missing, waiting }),
  };
}

function latest(lines: readonly Line[]): Line | undefined {
  return lines.reduce<Line | undefined>((last, line) => (!last || isBefore(last, line) ? line : last), undefined);
}

interface Why {
  root: Claim;
  victims: number;
  seconds: number | null;
  facts: Facts;
  late: number[];
  missing: number[];
  waiting: Waiting;
}

function whyOf({ root, victims, seconds, facts, late, missing, waiting }: Why): Cascade["why"] {
  const timeout = typeof facts.timeout_ms?.value === "number" ? facts.timeout_ms.value / 1000 : null;
  if (root.role === "cause") {
    const who =
      root.line.rank === null
        ? { en: "the first fault", zh: "首个故障" }
        : { en: `rank ${root.line.rank}`, zh: `${root.line.rank} 号 rank` };
    const fits = seconds !== null && timeout !== null && Math.abs(seconds - timeout) <= Math.max(30, 0.15 * timeout);
    if (fits) {
      return {
        en: `${victims} ${plural(victims)} gave up ${seconds} s after ${who.en} failed, which is the time-out they print (${timeout} s).`,
        zh: `${who.zh}出错 ${seconds} 秒后，${victims} 个 rank 超时，与其打印的超时时间（${timeout} 秒）一致。`,
      };
    }
    if (seconds !== null && seconds > 0) {
      return {
        en: `${victims} ${plural(victims)} gave up after ${who.en} failed; the last of these lines comes ${seconds} s later.`,
        zh: `${who.zh}先出错，${victims} 个 rank 随后放弃，最后一条晚 ${seconds} 秒。`,
      };
    }
    return {
      en: `Line ${root.line.line} states a fault of its own; a time-out only says that someone else did not come. No shared clock puts them in order.`,
      zh: `第 ${root.line.line} 行是故障本身；超时只说明有人没来。没有共同的时钟可以排出先后。`,
    };
  }
  if (late.length > 0) {
    return {
      en: `${victims} ${plural(victims)} waited; ${list(late)} never issued the operation they wait for.`,
      zh: `${victims} 个 rank 在等；${list(late)} 号 rank 没有发起它们等待的操作。`,
    };
  }
  if (waiting.unfinished.length > 0) {
    return {
      en: `${list(waiting.unfinished)} began an operation that the others finished, and did not finish it: it joined, and is stuck.`,
      zh: `${list(waiting.unfinished)} 号 rank 发起了其他 rank 已完成的操作却没有完成：它参加了，但卡住了。`,
    };
  }
  if (missing.length > 0) {
    return {
      en: `${victims} ${plural(victims)} report a time-out; ${list(missing)} printed nothing here, so its log would tell.`,
      zh: `${victims} 个 rank 报超时；${list(missing)} 号 rank 在这段文本中没有输出，它的日志才能说明原因。`,
    };
  }
  if (waiting.together) {
    const { ranks, seq } = waiting.together;
    return {
      en: `All ${ranks} ranks that report began operation ${seq} and none finished it: nobody is seen to be late.`,
      zh: `报超时的 ${ranks} 个 rank 都发起了操作 ${seq}，没有一个完成：看不出谁迟到。`,
    };
  }
  return {
    en: `${victims} ${plural(victims)} report a time-out and none is missing from the text: who was late cannot be told from it.`,
    zh: `${victims} 个 rank 报超时，文本中没有缺席者，仅凭它无法判断谁迟到。`,
  };
}

function plural(count: number): string {
  return count === 1 ? "rank" : "ranks";
}

function list(ranks: readonly number[]): string {
  return ranks.length > 5 ? `${ranks.slice(0, 5).join(", ")} …` : ranks.join(", ");
}
