// Tokens per expert, or per expert-parallel rank: which one is hot, how far above its fair share, how many get nothing.
//   tokens_per_expert: tensor([  344,   217,   191,     0,   393, …, 9730, …], device='cuda:0')
//   rank   host         tokens     expert_ms
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, digits, said } from "./said.ts";
import { type ExpertCounts, type TokenCounts, tokenCountsOf } from "./token-counts.ts";

/** Above these, load counts as uneven: per expert over the mean of its layer, per rank over the mean of all. */
const EXPERT_RATIO = 1.5;
const RANK_RATIO = 1.1;
/** With less than this share of the mean, an expert gets nothing to speak of. */
const DEAD = 0.01;

export const expertTokens: OutputReader = {
  id: "expert-tokens",
  command: "python tokens_per_expert.py",
  owns: (line) => /tokens?_per_expert|expert_tokens/.test(line),
  knows: (text) => {
    const { experts, ranks, cut, shares } = tokenCountsOf(text);
    const lines = [...experts.flatMap((layer) => layer.lines), ...(ranks?.lines ?? [])];
    if (lines.length > 0) return [...new Set(lines)];
    return [cut, shares].flatMap((line) => line ?? []);
  },
  read,
};

interface Judged extends ExpertCounts {
  mean: number;
  max: number;
  ratio: number;
  hottest: number;
  dead: number;
}

function read(text: OutputText): ToolReading {
  const found = tokenCountsOf(text);
  const facts = createFacts();
  const layers = found.experts
    .map(judge)
    .filter(({ mean }) => mean > 0)
    .sort((a, b) => b.ratio - a.ratio);
  const [worst] = layers;
  if (worst) {
    facts.add("experts", worst.counts.length, worst.lines);
    facts.add("layer", worst.layer, worst.lines);
    facts.add("expert", worst.hottest, worst.lines);
    facts.add("max_tokens", worst.max, worst.lines);
    facts.add("mean_tokens", worst.mean, worst.lines);
    facts.add("max_over_mean", worst.ratio, worst.lines);
    facts.add("dead_experts", worst.dead, worst.lines);
  }
  const byRank = rankLoad(found);
  if (byRank) {
    facts.add("ranks", byRank.count, byRank.lines);
    facts.add("rank", byRank.hottest, [byRank.line]);
    facts.add("rank_max_over_mean", byRank.ratio, [byRank.line]);
  }
  const even = (worst === undefined || worst.ratio < EXPERT_RATIO) && (byRank === null || byRank.ratio < RANK_RATIO);
  if (worst || byRank) facts.add("balanced", even, worst?.lines ?? byRank?.lines ?? []);
  if (!worst && !byRank) return incomplete(found);
  const finding = worst ? sayExperts(worst, layers.length) : byRank ? sayRanks(byRank) : said("", "");
  if (found.cut === null) return { status: "read", finding, facts: facts.facts };
  return {
    status: "partial",
    finding,
    facts: facts.facts,
    problems: [{ line: found.cut, say: "a list is cut here; print it whole, without ..." }],
  };
}

function judge(layer: ExpertCounts): Judged {
  const { counts } = layer;
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  const max = Math.max(...counts);
  return {
    ...layer,
    mean,
    max,
    ratio: max / mean,
    hottest: counts.indexOf(max),
    dead: counts.filter((n) => n < DEAD * mean).length,
  };
}

interface RankLoad {
  count: number;
  hottest: number;
  max: number;
  mean: number;
  ratio: number;
  line: number;
  lines: number[];
}

function rankLoad({ ranks }: TokenCounts): RankLoad | null {
  if (!ranks) return null;
  const mean = ranks.tokens.reduce((sum, n) => sum + n, 0) / ranks.tokens.length;
  const max = Math.max(...ranks.tokens);
  const at = ranks.tokens.indexOf(max);
  if (!(mean > 0)) return null;
  return {
    count: new Set(ranks.ranks).size,
    hottest: ranks.ranks[at] ?? 0,
    max,
    mean,
    ratio: max / mean,
    line: ranks.lines[at] ?? 1,
    lines: ranks.lines,
  };
}

function incomplete({ cut, shares }: TokenCounts): ToolReading {
  const facts = {};
  if (cut !== null) {
    return {
      status: "partial",
      finding: said(
        "A list of token counts that is cut, so no expert can be compared.",
        "token 计数列表不完整，无法比较各专家。",
      ),
      facts,
      problems: [{ line: cut, say: "the list is cut here; print it whole: torch.set_printoptions(threshold=100000)" }],
    };
  }
  return {
    status: "partial",
    finding: said(
      "Shares or probabilities, not token counts: how many tokens an expert got cannot be read.",
      "这是占比或概率，不是 token 计数，读不出各专家收到的 token 数。",
    ),
    facts,
    problems: [{ line: shares ?? 1, say: "print the counts of tokens, not shares" }],
  };
}

function sayExperts({ layer, hottest, max, mean, ratio, counts, dead }: Judged, layers: number) {
  const where = layer === null ? { en: "", zh: "" } : { en: `Layer ${layer}: `, zh: `第 ${layer} 层：` };
  const of =
    layers > 1 ? { en: ` (worst of ${layers} layers)`, zh: `（${layers} 层中最不均的一层）` } : { en: "", zh: "" };
  const idle =
    dead > 0
      ? {
          en: `; ${dead} of ${counts.length} experts are dead`,
          zh: `；${counts.length} 个专家中有 ${dead} 个几乎没有 token`,
        }
      : { en: `; none of ${counts.length} is dead`, zh: `；${counts.length} 个专家都有 token` };
  if (ratio < EXPERT_RATIO)
    return said(
      `${where.en}load is even over ${counts.length} experts: the hottest, ${hottest}, has ${max} tokens, ${digits(ratio)} x the mean${idle.en}${of.en}.`,
      `${where.zh}${counts.length} 个专家负载均衡：最热的 ${hottest} 号为 ${max} 个 token，是均值的 ${digits(ratio)} 倍${idle.zh}${of.zh}。`,
    );
  return said(
    `${where.en}expert ${hottest} got ${max} tokens, ${digits(ratio)} x the mean of ${digits(mean)}${idle.en}${of.en}.`,
    `${where.zh}${hottest} 号专家收到 ${max} 个 token，是均值 ${digits(mean)} 的 ${digits(ratio)} 倍${idle.zh}${of.zh}。`,
  );
}

function sayRanks({ count, hottest, max, ratio }: RankLoad) {
  const times = ratio.toFixed(ratio < 1.1 ? 3 : 2);
  if (ratio < RANK_RATIO)
    return said(
      `Tokens are even over ${count} ranks: the most, on rank ${hottest}, are ${times} x the mean.`,
      `${count} 个 rank 的 token 数均衡：最多的 ${hottest} 号 rank 为均值的 ${times} 倍。`,
    );
  return said(
    `Rank ${hottest} got ${max} tokens, ${times} x the mean of ${count} ranks.`,
    `${hottest} 号 rank 收到 ${max} 个 token，是 ${count} 个 rank 均值的 ${times} 倍。`,
  );
}
