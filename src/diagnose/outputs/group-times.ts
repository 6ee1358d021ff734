// All-to-all times of each expert group, step by step: the group that slows down before it times out.
//   step,ep_group,all_to_all_ms                          step,ep0,ep1,ep2,ep3
//   step 5200 ep_group 3 all_to_all 41.2 ms              {"step": 5200, "ep_group": 3, "a2a_ms": 41.2}
import { type GroupSeries, groupSeriesOf } from "./group-series.ts";
import type { OutputReader, Said, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, median, said } from "./said.ts";

/** So many times its own beginning, and the other groups: the link of a group is wearing out. Practice: 80 % of its rate. */
const SLOWER = 1.25;
/** A step counts as part of the rise from here on. */
const RISING = 1.1;
/** Fewer points of a group say nothing about a trend. */
const FEW = 6;

export const groupTimes: OutputReader = {
  id: "group-times",
  command: "python sample_all_to_all.py",
  owns: (line) => /sample_all_to_all/.test(line),
  knows: (text) => groupSeriesOf(text)?.lines ?? [],
  read,
};

interface Judged {
  name: string;
  /** Milliseconds: the median of its first third, and of its last fifth. */
  base: number;
  last: number;
  /** The same, over the median of all groups at the same step; null where there is one group only. */
  relative: { base: number; last: number } | null;
  state: "healthy" | "degrading" | "slow";
  /** The first step of the rise. */
  since: number | null;
  lines: number[];
}

function read(text: OutputText): ToolReading {
  const found = groupSeriesOf(text) as { groups: GroupSeries[]; lines: number[] };
  const facts = createFacts();
  const steps = found.groups.flatMap(({ points }) => points.map(({ step }) => step));
  facts.add("a2a_groups", found.groups.length, found.lines);
  facts.add("step_first", Math.min(...steps), found.lines);
  facts.add("step_last", Math.max(...steps), found.lines.slice(-1));
  const long = found.groups.filter(({ points }) => points.length >= FEW);
  if (long.length === 0) {
    return {
      status: "partial",
      finding: said(
        `All-to-all times of ${count(found.groups.length, "group")}, but fewer than ${FEW} steps of each: no trend can be told.`,
        `${found.groups.length} 个组的 all-to-all 耗时，但每组不到 ${FEW} 个 step，看不出趋势。`,
      ),
      facts: facts.facts,
      problems: [{ line: found.lines[0] ?? 1, say: `paste ${FEW} steps of each group at least, better 200` }],
    };
  }
  const middles = middlesOf(long);
  const judged = long.map((group) => judge(group, middles));
  const worst = judged
    .filter(({ state }) => state !== "healthy")
    .sort((a, b) => (b.relative?.last ?? b.last / b.base) - (a.relative?.last ?? a.last / a.base));
  const peers = median(judged.filter((one) => !worst.includes(one)).map(({ last }) => last));
  const [first] = worst;
  const allBase = median(judged.map(({ base }) => base));
  const allLast = median(judged.map(({ last }) => last));
  const allSlower = judged.length > 1 && first?.state !== "degrading" && allLast >= SLOWER * allBase;
  const state = first?.state === "degrading" ? "degrading" : allSlower ? "all-slower" : (first?.state ?? "healthy");
  facts.add("a2a_state", state, first?.lines ?? found.lines);
  facts.add("slow_groups", state === "all-slower" ? [] : worst.map(({ name }) => name), first?.lines ?? found.lines);
  if (first && state !== "all-slower") {
    facts.add("a2a_base_ms", first.base, first.lines);
    facts.add("a2a_last_ms", first.last, first.lines);
    facts.add("a2a_since_step", first.since, first.lines);
  } else {
    facts.add("a2a_base_ms", allBase, found.lines);
    facts.add("a2a_last_ms", allLast, found.lines);
  }
  if (judged.length > worst.length) facts.add("a2a_peers_ms", peers, found.lines);
  return { status: "read", finding: say(state, { first, worst, judged, peers, allBase, allLast }), facts: facts.facts };
}

/** At each step the median over the groups: what makes all of them slower says nothing about one. */
function middlesOf(groups: readonly GroupSeries[]): Map<number, number> {
  const byStep = new Map<number, number[]>();
  for (const { points } of groups)
    for (const { step, ms } of points) byStep.set(step, [...(byStep.get(step) ?? []), ms]);
  return new Map([...byStep].map(([step, all]) => [step, median(all)]));
}

function judge({ name, points }: GroupSeries, middles: ReadonlyMap<number, number>): Judged {
  const alone = points.every(({ step, ms }) => middles.get(step) === ms);
  const times = points.map(({ ms }) => ms);
  const ratios = points.map(({ step, ms }) => ms / (middles.get(step) || ms));
  const own = ends(times);
  const relative = ends(ratios);
  const rose = own.last >= SLOWER * own.base;
  const apart = alone || relative.last >= SLOWER * Math.max(relative.base, 1);
  const state =
    rose && apart ? "degrading" : !alone && relative.base >= SLOWER && relative.last >= SLOWER ? "slow" : "healthy";
  const lines = points.slice(-Math.max(3, points.length / 5)).map(({ line }) => line);
  return {
    name,
    base: own.base,
    last: own.last,
    relative: alone ? null : relative,
    state,
    since:
      state === "degrading"
        ? riseOf(
            points.map(({ step }) => step),
            alone ? times : ratios,
          )
        : null,
    lines,
  };
}

/** The median of the first third and of the last fifth: single steps are noise. */
function ends(values: readonly number[]): { base: number; last: number } {
  const third = Math.max(3, Math.floor(values.length / 3));
  const fifth = Math.max(3, Math.floor(values.length / 5));
  return { base: median(values.slice(0, third)), last: median(values.slice(-fifth)) };
}

/** The step after the last one that was still as in the beginning. */
function riseOf(steps: readonly number[], values: readonly number[]): number | null {
  const { base } = ends(values);
  const calm = values.findLastIndex((value) => value < RISING * base);
  return steps[calm + 1] ?? null;
}

interface Told {
  first: Judged | undefined;
  worst: readonly Judged[];
  judged: readonly Judged[];
  peers: number;
  allBase: number;
  allLast: number;
}

function say(state: string, { first, worst, judged, peers, allBase, allLast }: Told): Said {
  const [ms, was] = [digits(first?.last ?? allLast), digits(first?.base ?? allBase)];
  if (state === "all-slower") {
    return said(
      `All ${judged.length} groups got slower together: ${digits(allBase)} to ${digits(allLast)} ms; none stands out.`,
      `${judged.length} 个组一起变慢：从 ${digits(allBase)} 到 ${digits(allLast)} ms，没有哪一组突出。`,
    );
  }
  if (!first) {
    return said(
      `All-to-all times of ${count(judged.length, "group")} are steady, the last around ${digits(allLast)} ms; none stands out.`,
      `${judged.length} 个组的 all-to-all 耗时平稳，最近约 ${digits(allLast)} ms，没有哪一组突出。`,
    );
  }
  const others = judged.length - worst.length;
  const beside = others > 0 ? `; the other ${count(others, "group")} take ${digits(peers)} ms` : "";
  const besideZh = others > 0 ? `；其余 ${others} 组为 ${digits(peers)} ms` : "";
  const more = worst.length > 1 ? ` (and ${count(worst.length - 1, "more group")})` : "";
  const moreZh = worst.length > 1 ? `（另有 ${worst.length - 1} 组）` : "";
  if (state === "slow") {
    return said(
      `Group ${first.name}${more} is slow from the beginning: ${ms} ms${beside}.`,
      `组 ${first.name}${moreZh}从一开始就慢：${ms} ms${besideZh}。`,
    );
  }
  const since = first.since === null ? "" : ` since step ${first.since}`;
  const sinceZh = first.since === null ? "" : `从第 ${first.since} 步起`;
  return said(
    `Group ${first.name}${more} gets slower${since}: ${was} to ${ms} ms${beside}.`,
    `组 ${first.name}${moreZh}${sinceZh}变慢：${was} 到 ${ms} ms${besideZh}。`,
  );
}
