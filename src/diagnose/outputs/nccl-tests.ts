// nccl-tests: bandwidth of a collective by message size, for a group of hosts or for one pair of hosts after the other.
//   #  Rank  0 Group  0 Pid 4711 on gpu-a-01 device  0 [0000:18:00] NVIDIA H100 80GB HBM3
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
//     8589934592    2147483648     float     sum      -1    44182  194.42  364.54      0    44162  194.51  364.71      0
import { isPerfCommand, knownLines, NO_GPUS, type Row, type Run, runsOf, USAGE } from "./nccl-tests-runs.ts";
import type { OutputReader, ReadProblem, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, shortRows } from "./output-text.ts";
import { count, createFacts, type FactsBuilder, median, said, some, someZh } from "./said.ts";

/** Below this a message is over before the link is full. */
const JUDGED_FROM = 64 * 1024 ** 2;
/** A pair below this share of the middle of all pairs is slow. */
const SLOW_SHARE = 0.8;

export const ncclTests: OutputReader = {
  id: "nccl-tests",
  command: "mpirun -np 16 -N 8 -H A:8,B:8 ./build/all_reduce_perf -b 1G -e 8G -f 2 -g 1 -n 50",
  owns: isPerfCommand,
  knows: (text) => knownLines(shortRows(text)),
  read: (text) => read(shortRows(text)),
};

/** A run with rows, and its largest size. */
interface Measured {
  run: Run;
  top: Row;
}

function read(text: OutputText): ToolReading {
  const runs = runsOf(text);
  const [first] = runs;
  if (!first || runs.every(({ rows, cut, error }) => rows.length === 0 && cut === null && error === null))
    return refuse(text, first);
  const measured = runs.flatMap((run): Measured[] => {
    const top = run.rows.findLast(({ bytes }) => bytes === largestOf(run));
    return top ? [{ run, top }] : [];
  });
  const last = measured.at(-1);
  const facts = createFacts();
  const hosts = new Map(runs.flatMap((run) => [...run.hosts]));
  facts.add("hosts", hosts.size > 0 ? [...hosts.keys()].sort() : null, [...hosts.values()]);
  const { run } = last ?? { run: first };
  const tests = new Set((measured.length > 0 ? measured.map((one) => one.run) : runs).map(testOf));
  facts.add("test", tests.size === 1 ? testOf(run) : null, [run.line]);
  facts.add("test_ranks", run.ranks.size || run.asked, [...run.hosts.values(), run.line]);
  const failed = runs.find(({ error }) => error)?.error;
  if (failed) facts.add("error", failed.text, [failed.line]);
  const missing = runs.flatMap(missingOf);
  if (last) facts.add("size_max_bytes", last.top.bytes, [last.top.line]);
  if (last && last.top.bytes < JUDGED_FROM) {
    const small = size(last.top.bytes);
    missing.push({
      line: last.top.line,
      say: `${small} is too small to judge; run it with -b 64M -e 4G`,
      finding: { en: `Too small to judge: ${small} at most.`, zh: `最大只测到 ${small}，太小，无法判断。` },
    });
  }

  const rivals = rivalsOf(measured);
  const found = !last ? sayHeader(run) : rivals.length > 1 ? readRivals(rivals, facts) : readOne(last, facts);
  const failedOn = new Set(runs.flatMap((one) => [...one.failedOn]));
  if (failed && failedOn.size === 1 && !facts.facts.host) facts.add("host", [...failedOn][0], [failed.line]);
  const [one] = missing;
  if (!one) return { status: "read", finding: said(found.en, found.zh), facts: facts.facts };
  return {
    status: "partial",
    finding: said(`${found.en} ${one.finding.en}`, `${found.zh}${one.finding.zh}`),
    facts: facts.facts,
    problems: missing.map(({ line, say }) => ({ line, say })),
  };
}

/** Usage, too few GPUs, or a header that nothing stands below. */
function refuse({ lines }: OutputText, run: Run | undefined): ToolReading {
  const usage = lines.find(({ text }) => USAGE.test(text.trim()));
  const gpus = lines.find(({ text }) => NO_GPUS.test(text.trim()));
  const why = usage
    ? ({ refusal: "usage", en: "The test printed its usage", zh: "只打印了用法" } as const)
    : gpus
      ? ({ refusal: "no-device", en: gpus.text.trim(), zh: gpus.text.trim() } as const)
      : ({ refusal: "empty", en: "Only the header was pasted", zh: "只有表头" } as const);
  return {
    status: "refused",
    refusal: why.refusal,
    finding: said(
      `${why.en}; nothing was measured. Run: ${ncclTests.command}`,
      `${why.zh}，没有测量结果。请运行：${ncclTests.command}`,
    ),
    line: (usage ?? gpus)?.line ?? run?.header ?? run?.line ?? 1,
  };
}

/** What a run lacks: for the list of problems, and for the end of the finding. */
interface Missing extends ReadProblem {
  finding: Said;
}

function missingOf(run: Run): Missing[] {
  const top = largestOf(run);
  const line = run.rows.at(-1)?.line ?? run.header ?? run.line;
  const { error, maxBytes, cut } = run;
  if (error)
    return [
      {
        line: error.line,
        say: `aborted: ${error.text}`,
        finding: { en: `Aborted: ${error.text}.`, zh: `测试中止：${error.text}。` },
      },
    ];
  const missing: Missing[] = [];
  if (run.rows.length === 0)
    missing.push({
      line,
      say: "no row below the header; paste the whole output",
      finding: { en: "Only the header was pasted.", zh: "只粘贴了表头。" },
    });
  else if (!run.footer && maxBytes !== null && 1.9 * top < maxBytes)
    missing.push({
      line,
      say: `cut before the largest size, ${size(maxBytes)}; paste the whole output`,
      finding: { en: `Cut before ${size(maxBytes)}.`, zh: `缺少更大的消息（最大应到 ${size(maxBytes)}）。` },
    });
  if (cut !== null) missing.push({ line: cut, say: "row cut", finding: { en: "A row is cut.", zh: "有一行不完整。" } });
  return missing;
}

/** Runs to be compared: pairs of hosts, or else single hosts; of runs over the same hosts the last counts. */
function rivalsOf(measured: readonly Measured[]): Measured[] {
  const withHosts = (n: number): Measured[] => {
    const some = measured.filter(({ run }) => run.hosts.size === n);
    return [...new Map(some.map((one) => [nameOf(one), one])).values()];
  };
  const pairs = withHosts(2);
  return pairs.length > 1 ? pairs : withHosts(1);
}

function readOne({ run, top }: Measured, facts: FactsBuilder): Said {
  const peak = run.rows.reduce((best, row) => (row.busbw > best.busbw ? row : best), top);
  facts.add("busbw_gbs", top.busbw, [top.line]);
  facts.add("busbw_peak_gbs", peak.busbw, [peak.line]);
  const [host, other] = run.hosts;
  if (host && !other) facts.add("host", host[0], [host[1]]);
  const checked = run.rows.filter(({ wrong }) => wrong !== null);
  const bad = checked.filter(({ wrong }) => wrong);
  // The oldest layout prints the error's size, not how many values are wrong; there the footer counts them.
  const wrong = run.counted ? (checked.length > 0 ? wrongOf(checked) : null) : run.outOfBounds;
  facts.add(
    "wrong",
    wrong,
    (bad.length > 0 ? bad : run.rows).map(({ line }) => line),
  );
  const what = testOf(run) ?? "nccl-tests";
  const ranks = run.ranks.size || run.asked;
  const where = [ranks ? count(ranks, "rank") : "", run.hosts.size > 0 ? some([...run.hosts.keys()], 2) : ""].filter(
    Boolean,
  );
  const whereZh = [ranks ? `${ranks} 个 rank` : "", run.hosts.size > 0 ? someZh([...run.hosts.keys()], 2) : ""].filter(
    Boolean,
  );
  const measured = `busbw ${top.busbw} GB/s at ${size(top.bytes)}`;
  const en = `${what}${where.length > 0 ? ` on ${where.join(" of ")}` : ""}`;
  const zh = `${what}${whereZh.length > 0 ? `（${whereZh.join("，")}）` : ""}`;
  if (wrong)
    return {
      en: `${en}: ${count(wrong, "wrong value")} in ${bad.length || "some"} of ${run.rows.length} sizes; ${measured}.`,
      zh: `${zh}：${run.rows.length} 种大小中 ${bad.length || "有"} 种结果出错，共 ${wrong} 个错误值；${size(top.bytes)} 时 busbw ${top.busbw} GB/s。`,
    };
  const checkedEn = wrong === 0 ? `no wrong value in ${count(run.rows.length, "size")}` : "values not checked";
  return {
    en: `${en}: ${measured} (peak ${peak.busbw}); ${checkedEn}.`,
    zh: `${zh}：${size(top.bytes)} 时 busbw ${top.busbw} GB/s（峰值 ${peak.busbw}）；${wrong === 0 ? `${run.rows.length} 种大小的结果都正确` : "未校验结果"}。`,
  };
}

function readRivals(rivals: readonly Measured[], facts: FactsBuilder): Said {
  const pairs = rivals.every(({ run }) => run.hosts.size === 2);
  const middle = median(rivals.map(({ top }) => top.busbw));
  const slow = rivals.filter(({ top }) => top.busbw < SLOW_SHARE * middle);
  const lines = (some: readonly Measured[]): number[] => some.map(({ top }) => top.line);
  const wrong = rivals.flatMap(({ run }) => run.rows).filter((row) => row.wrong);
  const checked = rivals.some(({ run }) => run.rows.some((row) => row.wrong !== null));
  if (checked)
    facts.add(
      "wrong",
      wrong.reduce((sum, row) => sum + (row.wrong ?? 0), 0),
      wrong.length > 0 ? wrong.map(({ line }) => line) : lines(rivals),
    );
  if (pairs) {
    facts.add("pairs", rivals.length, lines(rivals));
    facts.add("pair_median_gbs", middle, lines(rivals));
    facts.add("slow_pairs", slow.map(nameOf).sort(), lines(slow.length > 0 ? slow : rivals));
  }
  const good = new Set(rivals.filter((one) => !slow.includes(one)).flatMap(({ run }) => [...run.hosts.keys()]));
  const guilty = [
    ...new Set(
      slow.flatMap(({ run }) => {
        const hosts = [...run.hosts.keys()];
        // Where nobody has seen its partner in a good pair either, both stay suspect.
        return hosts.filter((host) => !good.has(host) && hosts.every((other) => other === host || good.has(other)));
      }),
    ),
  ].sort();
  facts.add("slow_hosts", guilty, lines(slow.length > 0 ? slow : rivals));
  if (guilty.length === 1) facts.add("host", guilty[0], lines(slow));
  return sayRivals(rivals, slow, guilty, middle);
}

function sayRivals(
  rivals: readonly Measured[],
  slow: readonly Measured[],
  guilty: readonly string[],
  middle: number,
): Said {
  const pairs = rivals.every(({ run }) => run.hosts.size === 2);
  const numbers = (some: readonly Measured[]): number[] => some.map(({ top }) => top.busbw).sort((a, b) => a - b);
  const all = numbers(rivals);
  const at = size(rivals.at(-1)?.top.bytes ?? 0);
  const [thing, things] = pairs ? ["pair", "组配对"] : ["host", "台主机"];
  const mid = Number(middle.toFixed(2));
  if (slow.length === 0)
    return {
      en: `No slow ${thing} among ${rivals.length}: busbw ${all[0]} to ${all.at(-1)} GB/s at ${at}, median ${mid}.`,
      zh: `${rivals.length} ${things}中没有偏慢的：${at} 时 busbw 为 ${all[0]}～${all.at(-1)} GB/s，中位数 ${mid}。`,
    };
  const speeds = some(numbers(slow));
  const [host] = guilty;
  if (host && guilty.length === 1 && slow.length > 1)
    return {
      en: `${host} is slow in ${slow.length === 2 ? "both" : `all ${slow.length}`} of its pairs (${speeds} GB/s, median ${mid} GB/s).`,
      zh: `${host} 在${slow.length === 2 ? "两" : ` ${slow.length} `}组配对中都慢（${someZh(numbers(slow))} GB/s，中位数 ${mid} GB/s）。`,
    };
  const who = guilty.length > 0 ? guilty : slow.map(nameOf);
  const open = pairs && guilty.length === 0 ? " Which host of the pair is not told." : "";
  return {
    en: `${some(who)}: ${speeds} GB/s at ${at}, median of ${rivals.length} ${thing}s ${mid} GB/s.${open}`,
    zh: `${someZh(who)}：${at} 时 ${someZh(numbers(slow))} GB/s，${rivals.length} ${things}的中位数为 ${mid} GB/s。${open ? "还分不出是哪一台。" : ""}`,
  };
}

function sayHeader(run: Run): Said {
  const what = testOf(run) ?? "nccl-tests";
  const ranks = run.ranks.size || run.asked;
  return {
    en: `${what}${ranks ? ` on ${count(ranks, "rank")}` : ""}: no row was measured.`,
    zh: `${what}${ranks ? `（${ranks} 个 rank）` : ""}：没有任何测量结果。`,
  };
}

/** The test by its name, else by what the ratio of busbw to algbw gives away. */
function testOf(run: Run): string | null {
  const row = run.rows.at(-1);
  const n = run.ranks.size;
  if (run.test !== null || !row || n < 2 || row.redop === "") return run.test;
  const is = (factor: number): boolean => Math.abs(row.busbw / row.algbw / factor - 1) < 0.01;
  const reduces = row.redop !== "none";
  if (reduces && row.root < 0 && is((2 * (n - 1)) / n)) return "all_reduce";
  if (reduces && row.root < 0 && is((n - 1) / n)) return "reduce_scatter";
  if (reduces && row.root >= 0 && is(1)) return "reduce";
  return null;
}

function largestOf({ rows }: Run): number {
  return rows.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}

function wrongOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + (row.wrong ?? 0), 0);
}

function nameOf({ run }: Measured): string {
  return [...run.hosts.keys()].join("+");
}

function size(bytes: number): string {
  const [unit, by] = bytes >= 1024 ** 3 ? ["GiB", 1024 ** 3] : bytes >= 1024 ** 2 ? ["MiB", 1024 ** 2] : ["KiB", 1024];
  return `${Number((bytes / Number(by)).toPrecision(3))} ${unit}`;
}
