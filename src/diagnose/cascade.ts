// Who only followed: which ranks waited for whom, who is missing from the text, and whether the gap proves it.
import type { Facts } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import { gapOf, isBefore } from "./clocks.ts";
import type { Finds, Hit } from "./finds.ts";
import type { Line } from "./lines.ts";
import type { Cascade } from "./verdict-type.ts";

export interface Waiting {
  /** Global ranks that printed a time-out. */
  reporting: number[];
  late: number[];
  missing: number[];
}

/** A group's own number for a rank is the global one only in the default group, or where no group is named. */
export function reporterOf(hit: Hit): number | null {
  if (hit.line.rank !== null) return hit.line.rank;
  const group = hit.groups.process_group ?? hit.groups.process_group__2;
  const id = hit.groups.pg_id ?? hit.groups.pg_id__2;
  const isDefault = (group === undefined || group === "default_pg") && (id === undefined || id === "0");
  const printed = hit.groups.group_rank ?? hit.groups.group_rank__2 ?? hit.groups.rank;
  return isDefault && printed !== undefined ? Number(printed) : null;
}

export function whoWaits(finds: Finds, facts: Facts): Waiting {
  const timedOut = finds
    .kept()
    .filter(
      (kept) => kept.rule.label === "nccl-timeout" && kept.rule.role === "consequence" && kept.rule.weight === "strong",
    );
  const reporting = new Set<number>();
  const enqueued = new Map<number, { seq: number; enqueued: number; group: string }>();
  for (const kept of timedOut) {
    for (const hit of kept.hits) {
      const rank = reporterOf(hit);
      // Who was told of the time-out by another did not time out itself.
      if (rank === null || hit.line.text.includes("Received a dump signal")) continue;
      reporting.add(rank);
    }
  }
  for (const kept of finds.kept()) {
    for (const hit of kept.hits) {
      const rank = reporterOf(hit);
      const last = hit.groups.last_enqueued ?? hit.groups.last_enqueued__2;
      const seq = hit.groups.seq ?? hit.groups.seq__2;
      if (rank === null || last === undefined || seq === undefined) continue;
      enqueued.set(rank, {
        seq: Number(seq),
        enqueued: Number(last),
        // Groups of one name stand beside each other; only their GUID tells them apart.
        group: hit.groups.pg_guid ?? hit.groups.process_group ?? hit.groups.pg_id ?? "",
      });
    }
  }
  const named = facts.suspect_ranks?.value ?? facts.missing_ranks?.value;
  const late = new Set<number>(Array.isArray(named) ? named.map(Number) : []);
  // A rank that never enqueued what the others wait for never joined.
  const waitedFor = mostFrequent([...enqueued.values()].map((one) => `${one.group} ${one.seq}`));
  for (const [rank, one] of enqueued) {
    const seq = Number(waitedFor?.split(" ").at(-1));
    if (waitedFor?.startsWith(`${one.group} `) && enqueued.size >= 3 && one.enqueued < seq) late.add(rank);
  }
  // A rank that was told of the time-out, and did not join itself, does not report it.
  for (const rank of late) reporting.delete(rank);
  return { reporting: ranked(reporting), late: ranked(late), missing: missingFrom(reporting, finds.ranks, facts) };
}

/** Silent where all others speak: only where the number of ranks is known, or one or two holes stand in a full row. */
function missingFrom(reporting: Set<number>, seen: Set<number>, facts: Facts): number[] {
  if (reporting.size < 3) return [];
  const top = Math.max(...reporting, ...seen);
  const world = typeof facts.world_size?.value === "number" ? facts.world_size.value : top + 1;
  if (world > 65_536 || reporting.size < world * 0.5) return [];
  const holes: number[] = [];
  for (let rank = 0; rank < world; rank += 1) if (!reporting.has(rank)) holes.push(rank);
  return holes.length <= Math.max(2, world * 0.1) ? holes : [];
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

export function ranked(ranks: Iterable<number>): number[] {
  return [...ranks].sort((a, b) => a - b);
}

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
    why: whyOf(root, victims.length || lines.length, seconds, facts, late, missing),
  };
}

function latest(lines: readonly Line[]): Line | undefined {
  return lines.reduce<Line | undefined>((last, line) => (!last || isBefore(last, line) ? line : last), undefined);
}

function whyOf(
  root: Claim,
  victims: number,
  seconds: number | null,
  facts: Facts,
  late: number[],
  missing: number[],
): Cascade["why"] {
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
  if (missing.length > 0) {
    return {
      en: `${victims} ${plural(victims)} report a time-out; ${list(missing)} printed nothing here, so its log would tell.`,
      zh: `${victims} 个 rank 报超时；${list(missing)} 号 rank 在这段文本中没有输出，它的日志才能说明原因。`,
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
