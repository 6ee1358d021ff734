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
const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/** Tokens with their neighbours: "loss spike" and "spike loss" are different things to say. */
export function tokensOf(text: string): string[] {
  const singles: string[] = [];
  for (const match of text.toLowerCase().matchAll(JOIN)) {
    const word = match[0];
    if (/^\d/.test(word)) singles.push("#");
    else if (/^[\u4e00-\u9fff]/.test(word) && !JOINED.includes(word)) {
      for (const { segment } of segmenter.segment(word)) singles.push(segment);
    } else singles.push(stem(word));
  }
  const pairs = singles.slice(1).map((word, index) => `${singles[index]} ${word}`);
  return [...new Set([...singles, ...pairs])];
}

/** Enough of a stemmer for the field's words; a real one would fold "sharded" and "shared". */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, "") : word;
}

function train(rules: Rules): Trained {
  const found = trained.get(rules);
  if (found) return found;
  const quiet = new BayesClassifier();
  const label = new BayesClassifier();
  for (const sentence of rules.words) {
    const tokens = tokensOf(sentence.text);
    quiet.addDocument(tokens, sentence.label === "none" ? "quiet" : "report");
    if (sentence.label !== "none") label.addDocument(tokens, sentence.label);
  }
  quiet.train();
  label.train();
  const both = { quiet, label };
  trained.set(rules, both);
  return both;
}

/** Undefined where there is nothing to learn from or to read. Deterministic. */
export function readWords(text: string, rules: Rules): Words | undefined {
  if (rules.words.length === 0) return undefined;
  const tokens = tokensOf(text.slice(0, 4_000));
  if (tokens.length < 3) return undefined;
  const { quiet, label } = train(rules);
  const shares = label.getClassifications(tokens).map((one) => ({ label: asLabel(one.label), value: one.value }));
  const total = shares.reduce((sum, one) => sum + one.value, 0) || 1;
  const [best, second] = shares;
  return {
    report: shareOf(quiet.getClassifications(tokens), "report"),
    label: best?.label ?? "none",
    share: (best?.value ?? 0) / total,
    runnerUp: second?.label ?? "none",
  };
}

function shareOf(all: readonly { label: string; value: number }[], wanted: string): number {
  const total = all.reduce((sum, one) => sum + one.value, 0);
  const value = all.find((one) => one.label === wanted)?.value ?? 0;
  return total > 0 ? value / total : 0.5;
}

function asLabel(text: string): Label {
  return LABELS.find((label) => label === text) ?? "none";
}
