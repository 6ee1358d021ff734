// Who only followed, and whether the time between proves it.
import type { Facts } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import { gapOf, isBefore } from "./clocks.ts";
import type { Line } from "./lines.ts";
import type { Cascade } from "./verdict-type.ts";
import type { Waiting } from "./waiting.ts";
import { whyOf } from "./why.ts";

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
    why: whyOf({ root, ranks: victims.length, seconds, facts, late, missing, waiting }),
  };
}

function latest(lines: readonly Line[]): Line | undefined {
  return lines.reduce<Line | undefined>((last, line) => (!last || isBefore(last, line) ? line : last), undefined);
}
