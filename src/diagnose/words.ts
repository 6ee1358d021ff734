// A person's own words -> which fault they describe, or none. The only importer of `natural`, by its deep path:
// the package's front door takes a second, 110 MB and the environment.
import BayesClassifier from "natural/lib/natural/classifiers/bayes_classifier.js";
import { LABELS, type Label } from "../facts/signature.ts";
import type { Rules } from "./rules.ts";

export interface Words {
  /** How much the text reads like a report of a fault that is there now, 0 to 1; the rest is chatter and questions. */
  report: number;
  /** Best label among the faults, with its share. */
  label: Label;
  share: number;
  runnerUp: Label;
}

interface Trained {
  quiet: BayesClassifier;
  label: BayesClassifier;
}

/** natural's own 1 would make a word that was never seen as likely as one seen once. */
const SMOOTHING = 0.1;

const trained = new WeakMap<Rules, Trained>();

/** Words of the field that Intl.Segmenter splits; joined before counting. */
const JOINED = [
  "掉卡",
  "显存",
  "爆显存",
  "卡死",
  "卡住",
  "超时",
  "续训",
  "断点",
  "专家",
  "负载",
  "均衡",
  "不均衡",
  "路由",
  "损失",
  "梯度",
  "爆炸",
  "尖峰",
  "发散",
  "检查点",
  "权重",
  "加载",
  "形状",
  "不匹配",
  "集合通信",
  "网卡",
  "降速",
  "死锁",
  "挂起",
  "退出",
  "重启",
  "复现",
  "训练",
  "机器",
  "节点",
  "单机",
  "多机",
  "两机",
  "求助",
  "请问",
  "大佬",
  "报错",
  "炸了",
  "崩了",
  "挂了",
  "跑飞",
  "接不上",
  "对不上",
  "飙升",
];
const JOIN = new RegExp(
  `${[...JOINED].sort((a, b) => b.length - a.length).join("|")}|[a-z][a-z0-9_+-]*|\\d+(?:\\.\\d+)?|[\\u4e00-\\u9fff]+|[?？!]`,
  "gi",
);
/** Made at the first use: it loads a dictionary. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return segmenter.segment(text);
}

/** What people mean by many words: one token each, so that a sentence about a hang is near every other sentence about one. */
const MEANINGS: [string, RegExp][] = [
  ["@hang", /hang|hung|stuck|freez|froze|stall|deadlock|卡住|卡死|卡了|不动|挂起|死锁|没反应|停住/],
  ["@timeout", /time-?d? ?out|watchdog|超时/],
  [
    "@collective",
    /nccl|rccl|hccl|all-?reduce|all-?gather|all-?to-?all|reduce-?scatter|broadcast|barrier|集合通信|通信/,
  ],
  [
    "@network",
    /infiniband|\bib\b|rdma|\broce|\bnics?\b|\bswitch|\blinks?\b|nvlink|\bports?\b|bandwidth|cable|网卡|网口|交换机|链路|带宽/,
  ],
  ["@nodes", /\bnodes?\b|machines?|multi-?node|hosts?\b|多机|两机|机器|节点|单机/],
  ["@idle", /\butil(?:i[sz]ation)?\b|watts?|\d ?w\b|power|功耗|利用率/],
  ["@memory", /oom|out of memory|memory|vram|gib\b|\d ?gb?\b|显存|内存|爆显存/],
  [
    "@full",
    /run(?:s|ning)? out|blow|explod|exceed|exhaust|\bfull\b(?! (?:load|speed|throttle|util|precision|fine|batch|epoch|run|log|trace|stack|attention|node|model|param|process|shard|state|config|\w+ load))|too much|爆了|爆显存|爆内存|内存爆|不够|不足|撑爆|打满/,
  ],
  ["@killed", /killed|kill -9|sigkill|137|oom-?killer|被杀|杀掉/],
  [
    "@slow",
    /\bslow(?!ly)|crawl|throughput (?:is |has )?(?:drop|half|halv|down)|half the (?:speed|throughput)|(?:吞吐|速度|步时).{0,8}(?:掉|降|慢|腰斩|一半|翻倍)|变慢|很慢|越来越慢/,
  ],
  ["@batch", /batch|micro|seq(?:uence)?[ _-]?len|longer seq|recompute|checkpointing|重计算|序列/],
  ["@expert", /expert|moe\b|router|routing|gate\b|ep ?rank|专家|路由/],
  ["@balance", /balanc|imbalanc|skew|uneven|\bhot\b|\bdead\b|\baux|max ?vio|drop rate|均衡|不均|偏科|热门|倾斜/],
  ["@loss", /\bloss\b|ppl|perplexity|损失/],
  [
    "@jump",
    /spik|jump|shot up|went up|blew up|climb|diverg|suddenly (?:became|becomes?|gets?|got|turned) (?:\w+ )?(?:large|huge|high|big)|explod|飙升|暴涨|尖峰|发散|跑飞|突然/,
  ],
  ["@nan", /\bnans?\b|\binf(?:inite|inity)?\b|overflow|loss scale/],
  ["@norm", /grad(?:ient)?[ _-]?norm|gnorm|梯度/],
  ["@checkpoint", /checkpoint|ckpt|state_?dict|safetensors|检查点|权重|断点|dcp/],
  ["@resume", /resum|restor|reload|restart|continu|续训|恢复|重启|接着训/],
  ["@load", /\bload|shape|mismatch|missing key|unexpected key|size|加载|形状|对不上|不匹配|接不上/],
  ["@layout", /\b[tpe]p ?=? ?\d|parallel|reshard|layout|world size|张量并行|流水|并行/],
];

/** How a text is meant: somebody's trouble now, or talk about things. */
const MANNERS: [string, RegExp][] = [
  [
    "~question",
    /[?？]|\b(?:how do|how does|what does|what is|which|why does|is it|does it|do we|should i|can i)\b|吗|请问|是不是|怎么理解|什么意思|区别/,
  ],
  [
    "~past",
    /last (?:week|month|year|quarter|night)|yesterday|remember|back then|used to|was fixed|turned out|solved|postmortem|retro|上周|上个月|昨天|之前那|当时|后来|已经(?:修|解决|好)|复盘/,
  ],
  [
    "~plan",
    /\b(?:will(?! (?:\w{1,10} ){0,2}(?:hang|stuck|freeze|fail|crash|die|stop|oom|throw|raise|report|show|occur|happen|compile|run out))|plan(?:ning)?|next week|tomorrow|before we|going to|want to(?! (?:ask|know))|proposal|roadmap|(?:change|code|deploy(?:ment)?|config) freeze|maintenance window|(?:from|until|on) \d{1,2} (?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?))\b|打算|计划|下周|明天|准备|封网|变更窗口/,
  ],
  [
    "~work",
    /\bprs?\b|review|\bmerge (?:request|conflict)|\bmerg(?:e[ds]?|ing) (?:it|this|that|into|in\b|to (?:main|master)|your|my|the (?:prs?|change|branch|patch|fix))|motivation|modifications|test plan|\bci\b|branch|ticket|wiki|docs?\b|dashboard|alert(?:s|ing)?\b|meeting|preprint|who owns|announce|new nodes?|维护|评审|合并|文档|监控|告警|周会|单测/,
  ],
  [
    "~paper",
    /\bpapers?\b|arxiv|\bfig(?:ure)?s?\b(?! out)|reading group|\bblog|\btalks?\b|\bsection|\bauthors?|appendix|论文|作者|文章|博客|公式/,
  ],
  ["~setting", /default|setting|config|flag|env(?:ironment)? var|option|template|参数|默认|配置项|环境变量/],
  [
    "~fine",
    /all good|healthy|looks? (?:fine|good|ok)|no issues?|(?:does ?n[o']t|did ?n[o']t|never) (?:cause[ds]?|hurt|matter|harm)|works (?:now|fine)|great\b(?! (?:work|job|project|library|repo|code))|went fine|\bflat\b|passed|cleaned up|training again|no (?:spikes?|restarts?|retries)|正常|没问题|挺好|稳定|顺利|很稳|很好|健康|没事|没再|清掉|完成|通过|对得上|不用动|instead of|small win|翻倍/,
  ],
  [
    "~now",
    /\bnow\b|just (?:died|crashed|hung|failed)|again|every (?:time|run|restart)|keeps?\b|since (?:last night|this morning|the)|today|现在|今天|刚刚|又|每次|一直|总是/,
  ],
  [
    "~trouble",
    /died|dies|crash|fail|broke|hang|hung|stuck|killed|no (?:error|traceback|idea)|won'?t\b|\bcan'?t\b|does ?n[o']t(?! (?:cause|hurt|matter|harm))|报错|失败|崩|挂了|炸|卡|不动|起不来|没有.{0,4}报错/,
  ],
  [
    "~help",
    /any ideas?|anyone (?:seen|else)|help|what (?:should|can|to)|where (?:to|should|do)|how (?:to|do i) (?:fix|debug|find)|求助|咋办|怎么办|怎么(?:查|定位|解决|避免)|遇到过|什么原因/,
  ],
  [
    "~ours",
    /\b(?:my|our) (?:job|run|training|cluster|model)|\bwe (?:are|'re|see|get|have|ran|run)|\bi (?:am|get|see|have|run|ran)|我们|我的|我这|咱/,
  ],
  ["~numbers", /\bstep \d|\d+ ?(?:nodes?|gpus?|ranks?|steps?)|\d+b\b|\d+ ?卡|第 ?\d+ ?步|\d+ ?步/],
];

/** Tokens with their neighbours: "loss spike" and "spike loss" are different things to say. */
export function tokensOf(text: string, senses: readonly [string, RegExp][]): string[] {
  const singles: string[] = [];
  const lower = text.toLowerCase();
  for (const match of lower.matchAll(JOIN)) {
    const word = match[0];
    if (/^\d/.test(word)) singles.push("#");
    else if (/^[\u4e00-\u9fff]/.test(word) && !JOINED.includes(word)) {
      for (const { segment } of segmentsOf(word)) singles.push(segment);
    } else singles.push(stem(word));
  }
  const pairs = singles.slice(1).map((word, index) => `${singles[index]} ${word}`);
  const meant = senses.filter(([, pattern]) => pattern.test(lower)).map(([name]) => name);
  const both = meant.flatMap((one, index) => meant.slice(index + 1).map((other) => `${one} ${other}`));
  return [...new Set([...singles, ...pairs, ...meant, ...both])];
}

/** Enough of a stemmer for the field's words; a real one would fold "sharded" and "shared". */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, "") : word;
}

function train(rules: Rules): Trained {
  const found = trained.get(rules);
  if (found) return found;
  const quiet = createClassifier();
  const label = createClassifier();
  for (const sentence of rules.words) {
    quiet.addDocument(tokensOf(sentence.text, MANNERS), sentence.label === "none" ? "quiet" : "report");
    if (sentence.label !== "none") label.addDocument(tokensOf(sentence.text, MEANINGS), sentence.label);
  }
  even(quiet, rules, (one) => (one === "none" ? "quiet" : "report"));
  even(label, rules, (one) => (one === "none" ? undefined : one));
  quiet.train();
  label.train();
  const both = { quiet, label };
  trained.set(rules, both);
  return both;
}

/** natural looks for every word it knows by walking the text; looking up the text's own words gives the same, much faster. */
function createClassifier(): BayesClassifier {
  const classifier = new BayesClassifier(undefined, SMOOTHING);
  let places: Map<string, number> | undefined;
  classifier.textToFeatures = (tokens) => {
    // All sentences are added before the first is learnt from.
    places ??= new Map(Object.keys(classifier.features).map((word, place) => [word, place]));
    const features = new Array<0 | 1>(places.size).fill(0);
    for (const token of tokens) {
      const place = places.get(token);
      if (place !== undefined) features[place] = 1;
    }
    return features;
  };
  return classifier;
}

/**
 * A word that a class never saw weighs one over the number of its sentences, so whoever wrote fewest would win every long text.
 * A word that nobody uses fills the smaller classes up.
 */
function even(classifier: BayesClassifier, rules: Rules, classOf: (label: Label) => string | undefined): void {
  const counts = new Map<string, number>();
  for (const { label } of rules.words) {
    const name = classOf(label);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  for (const [name, count] of counts) for (let at = count; at < most; at += 1) classifier.addDocument(["\u0000"], name);
}

/** Undefined where there is nothing to learn from or to read. Deterministic. */
export function readWords(text: string, rules: Rules): Words | undefined {
  if (rules.words.length === 0) return undefined;
  const said = plain(text);
  const tokens = tokensOf(said, MANNERS);
  if (tokens.length < 3) return undefined;
  const { quiet, label } = train(rules);
  const shares = label
    .getClassifications(tokensOf(said, MEANINGS))
    .map((one) => ({ label: asLabel(one.label), value: one.value }));
  const total = shares.reduce((sum, one) => sum + one.value, 0) || 1;
  const [best, second] = shares;
  const report = shareOf(quiet.getClassifications(tokens), "report");
  return {
    report: isNamed(said, report) && !asksOnly(said) && !isNobodys(said) ? report : Math.min(report, NO_TROUBLE),
    label: best?.label ?? "none",
    share: (best?.value ?? 0) / total,
    runnerUp: second?.label ?? "none",
  };
}

/** In a long text the one sentence that reports is lost among the setting, the thanks and the commands. */
const SENTENCE = /(?<=[.!?。？！；])\s{0,8}(?=\S)|\n/;
const MOST_SENTENCES = 40;
/** Talk about what is over, fine, planned or written elsewhere holds such sentences, too. */
const TALK = new Set(["~past", "~fine", "~work", "~paper", "~plan"]);
/** Release notes and descriptions of changes speak of faults in sentences that are nobody's. */
const OWN = /\b(?:i|i'm|i've|we|we're|we've|my|our|me|us)\b|我|咱|求助|请问|大佬/i;
/** Whether what is seen is as it should be is a question, however worried. */
const ASKS_NORMAL =
  /\b(?:is|are|does|do|look|looks|sound|sounds|seem|seems) (?:\w+ ){0,3}(?:normal|expected|reasonable|typical|plausible|okay|ok|alright)\b|\bshould i (?:be )?(?:concerned|worr(?:y|ied))|\b(?:reasonable|typical|normal|expected) (?:interval|range|value|speed|throughput|loss)|正常吗|合理吗|正常么|是否正常/i;
/** A text so long that is nobody's and asks nothing: what a program does now, or what a reader may do. */
const LONG = 240;
const DESCRIBES =
  /\bnow (?:\w{3,14}s)\b|\b[Tt]ested (?:live|on|with|locally)\b|\b(?:you|one) (?:can|should|often|might|may)\b|\bif you\b/;
const WISHES = /\bit would be (?:nice|good|great|useful|helpful)\b|\bi (?:would )?suggest\b|\bfeature request\b/i;
const OVER =
  /\bclos(?:ing|ed) (?:this|the (?:issue|ticket|thread))\b|\b(?:memory|hangs?|errors?|spikes?|problems?|issues?|time-?outs?|nans?|leaks?|loop|run)\b[^.?!]{0,60}\b(?:is|are) gone\b|\bwent away\b/i;
const HARMLESS = /\b(?:does ?n[o']t|did ?n[o']t|never) (?:seem to )?(?:cause[ds]?|hurt|matter|harm)\b/i;
/** So sure one sentence must be, and no surer is the whole. */
const SURE = 0.97;
const BY_A_SENTENCE = 0.93;

/** Nothing bad is told: whether it is as it should be is asked, or that it is is said. */
function asksOnly(text: string): boolean {
  const lower = plain(text).toLowerCase();
  return (
    [ASKS_NORMAL, HARMLESS, WISHES].some((one) => one.test(lower)) &&
    ![...MEANINGS, ...MANNERS].some(([name, one]) => BAD.has(name) && one.test(lower))
  );
}

/** Nobody's trouble, or no longer. */
function isNobodys(text: string): boolean {
  if (OVER.test(text) && !/[?？]/.test(text)) return true;
  return text.length >= LONG && DESCRIBES.test(text) && !OWN.test(text) && !/[?？\u4e00-\u9fff]/.test(text);
}

/** As `readWords`; where the whole is no report, its clearest sentence may be one. */
export function readReport(text: string, rules: Rules): Words | undefined {
  const whole = readWords(text, rules);
  if (!whole || whole.report >= BY_A_SENTENCE || isTalk(text) || asksOnly(text) || !OWN.test(text)) return whole;
  let best: Words | undefined;
  for (const sentence of text.slice(0, 4_000).split(SENTENCE).slice(0, MOST_SENTENCES)) {
    const one = readWords(sentence, rules);
    if (one && one.report >= SURE && one.report * one.share > (best ? best.report * best.share : 0)) best = one;
  }
  return best ? { ...best, report: BY_A_SENTENCE } : whole;
}

/** An address says nothing in words, and holds many. */
function plain(text: string): string {
  return text.slice(0, 4_000).replace(/https?:\/\/\S{1,400}/g, " ");
}

const MEETS =
  /\b(?:i|we)(?:'ve| am| are)? (?:\w{1,12} ){0,2}(?:get|got|met|meet|hit|see|saw|encounter(?:ed|ing)?|faced?|facing|ran into|received?|have|having)\b|\b(?:gives?|gave|throws?|threw|shows?|showed) (?:me|us) (?:the|this|an?|following)\b|\bwhen (?:i|we) (?:try to |tried to )?(?:run|use|train|execute|start|launch|resume)\b|\b(?:any|some) (?:idea|help|suggestion)|\b(?:do|does) (?:you|any(?:one|body)) know (?:why|what|how)|\bhow (?:can|do|to|should) .{0,40}(?:fix|solve|avoid|deal with)|\bencounter(?:ed|ing|s)? (?:the |an? |this |these |some |such )?(?:\w+ )?(?:errors?|problems?|issues?|exceptions?)\b|\b(?:errors?|exceptions?|problems?|asserts?) (?:occur|happen|appear|is raised|was raised)|\bends? up with\b|\bended up with\b|报错|请问|求助|遇到/i;

/** Does somebody say that he meets what he quotes? */
export function meetsIt(text: string): boolean {
  return MEETS.test(plain(text)) && !isTalk(text);
}

/** Does somebody tell of himself, or of what is his? */
export function isOwn(text: string): boolean {
  return OWN.test(plain(text));
}

/** Does somebody talk about things, rather than report his own? */
export function isTalk(text: string): boolean {
  const lower = plain(text).toLowerCase();
  const found = new Set(MANNERS.filter(([, pattern]) => pattern.test(lower)).map(([name]) => name));
  // "It fit last week, and now it dies every time" tells of today.
  if (found.has("~now")) found.delete("~past");
  return [...found].some((name) => TALK.has(name));
}

/**
 * Few sentences teach little: whatever the counts say, no trouble is reported by words that do not name its subject, and
 * words that name no trouble must leave hardly a doubt.
 */
const NO_TROUBLE = 0.4;
const HARDLY_A_DOUBT = 0.97;
const TROUBLE = new Set([
  "~trouble",
  "~help",
  "~now",
  "@hang",
  "@timeout",
  "@nan",
  "@jump",
  "@full",
  "@killed",
  "@slow",
]);
/** What is as it should be is none of these. */
const BAD = new Set(["~trouble", "@hang", "@timeout", "@nan", "@jump", "@full", "@killed"]);
const SUBJECT = MEANINGS.map(([name]) => name).filter((name) => name !== "@nodes" && name !== "@batch");

function isNamed(text: string, report: number): boolean {
  const lower = text.toLowerCase();
  const senses = new Set([...MEANINGS, ...MANNERS].filter(([, pattern]) => pattern.test(lower)).map(([name]) => name));
  const trouble = report >= HARDLY_A_DOUBT || [...TROUBLE].some((one) => senses.has(one));
  return trouble && SUBJECT.some((one) => senses.has(one));
}

function shareOf(all: readonly { label: string; value: number }[], wanted: string): number {
  const total = all.reduce((sum, one) => sum + one.value, 0);
  const value = all.find((one) => one.label === wanted)?.value ?? 0;
  return total > 0 ? value / total : 0.5;
}

function asLabel(text: string): Label {
  return LABELS.find((label) => label === text) ?? "none";
}
