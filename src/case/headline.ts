// The answer in one line: who, what, and that the loud part only followed. What is not certain is said to be not certain.
import type { Fact, Facts, FactValue } from "../facts/fact.ts";
import type { Words } from "../locale/en.ts";
import { fillText } from "../playbook/fill.ts";
import type { Playbook, Texts } from "../playbook/schema.ts";
import type { StoredVerdict } from "./entry.ts";

export interface Told {
  verdict: StoredVerdict;
  facts: Facts;
  /** Texts of the verdict's playbook, in the language told. */
  texts: Texts | null;
  status: Playbook["status"];
  words: Words;
  language: "en" | "zh";
}

export function headline(told: Told): string {
  const { verdict, words } = told;
  if (verdict.label === "none") return words.sentence(words.headline.none);
  const what = words.sentence(whatHappened(told));
  return words.tidy(words.join([hedged(told, what), ...followed(told), ...whatWouldTell(told)]));
}

function hedged({ verdict, status, texts, words }: Told, what: string): string {
  if (verdict.label === "other" && verdict.subcause === null) return what;
  if (verdict.root === null) return words.headline.words(words.sentence(texts?.title ?? words.label[verdict.label]));
  if (verdict.status === "unclear" || verdict.status === "unknown") return words.headline.probably(what);
  return status === "draft" ? words.headline.maybe(what) : what;
}

function whatHappened(told: Told): string {
  switch (told.verdict.label) {
    case "oom":
      return memory(told);
    case "nccl-timeout":
      return timeout(told);
    case "expert-imbalance":
      return experts(told);
    case "loss-spike":
      return loss(told);
    case "checkpoint-mismatch":
      return checkpoint(told);
    default:
      return other(told);
  }
}

/** Who failed: the culprit that the facts name, else whoever printed a cause. A victim's rank names nobody. */
export function who(told: Told): string | null {
  const { facts, verdict, words } = told;
  const { root } = verdict;
  const ranks = list(facts.ranks);
  if (ranks.length > 1) return words.who.ranks(ranks);
  const rank = number(facts.rank) ?? ranks[0] ?? (root?.role === "cause" ? root.rank : null) ?? null;
  const host = text(facts.host) ?? (root?.role === "cause" ? root.host : null);
  const gpu = number(facts.gpu);
  if (rank === null) return root?.role === "cause" && host !== null ? words.who.host(host) : null;
  const name = words.who.rank(rank);
  if (host !== null && gpu !== null) return words.who.at(name, host, gpu);
  if (host !== null) return words.who.on(name, host);
  return gpu === null ? name : words.who.gpu(name, gpu);
}

function memoryKind(facts: Facts): "gpu" | "host" | null {
  const kind = text(facts.memory_kind);
  if (kind === "gpu" || kind === "host") return kind;
  return facts.tried_alloc_gib || facts.tried_alloc_mib ? "gpu" : null;
}

function memory(told: Told): string {
  const { words, facts } = told;
  const kind = kindName(told);
  const which = memoryKind(facts);
  if (kind && which === null) return words.headline.other(who(told), kind);
  const ran = words.headline.oom(who(told) ?? words.who.somebody, which);
  return kind ? words.headline.namely(ran, kind) : ran;
}

function timeout(told: Told): string {
  const { facts, verdict, words } = told;
  const kind = kindName(told);
  const name = text(facts.collective);
  const seq = number(facts.seq);
  const what = name ? (seq === null ? name : `${name} ${seq}`) : words.headline.aCollective;
  const ms = number(facts.timeout_ms);
  const seconds = ms === null ? null : shown(ms / 1000);
  const culprit = who(told);
  const rank = number(facts.rank) ?? list(facts.ranks)[0];
  if (culprit !== null && rank !== undefined && rank !== null) {
    const how = verdict.cascade?.missing.includes(rank)
      ? "missing"
      : verdict.cascade?.late.includes(rank)
        ? "late"
        : "held";
    return words.headline.timeoutBy(culprit, how, what, seconds === null ? "" : words.headline.waited(seconds));
  }
  const timedOut = words.headline.timeout(what, seconds === null ? "" : words.headline.after(seconds));
  // A cause that was printed comes before what it led to.
  const cause = kind && (!name || verdict.root?.role === "cause") ? words.headline.other(culprit, kind) : null;
  if (cause === null) return timedOut;
  return name ? words.headline.ledTo(cause, timedOut) : cause;
}

const NOT_ONE_EXPERT = new Set(["zero-token-expert", "dead-experts", "router-config"]);

function experts(told: Told): string {
  const { facts, words } = told;
  const expert = number(facts.expert);
  if (expert === null) return kindName(told) ?? words.headline.experts;
  const kind = kindName(told);
  // Too few tokens, or too many in all: the number of an expert says nothing about who got more.
  if (kind && NOT_ONE_EXPERT.has(told.verdict.subcause ?? "")) return words.headline.other(who(told), kind);
  const most = number(facts.max_tokens);
  const mean = number(facts.mean_tokens);
  const ratio = most !== null && mean ? shown(most / mean) : null;
  return words.headline.expert(expert, who(told), most === null ? null : shown(most), ratio);
}

function loss(told: Told): string {
  const { facts, words } = told;
  const step = asText(facts.step);
  const before = asText(facts.loss_before);
  const peak = asText(facts.loss_peak);
  switch (text(facts.loss_fault) ?? told.verdict.subcause) {
    case "nan": {
      const kind = told.verdict.subcause === "nan-loss" ? null : kindName(told);
      return kind ? words.headline.namely(words.headline.nan(step), kind) : words.headline.nan(step);
    }
    case "divergence":
      return words.headline.divergence(step, before, peak);
    case "scale-collapse":
      return words.headline.scale(asText(facts.loss_scale));
    case "resume-jump":
      return words.headline.resumeJump(before, asText(facts.loss_after));
    default:
      return (step === null && peak === null && kindName(told)) || words.headline.spike(step, before, peak);
  }
}

function checkpoint(told: Told): string {
  const { facts, words } = told;
  const saved = facts.ckpt_shape && asText(facts.ckpt_shape);
  const model = facts.model_shape && asText(facts.model_shape);
  if (saved && model) return words.headline.shapes(text(facts.param), `[${saved}]`, `[${model}]`);
  const kind = kindName(told);
  if (kind) return kind;
  const failure = text(facts.load_failure);
  if (failure === "silent") return words.headline.silent;
  return failure === "drifts" ? words.headline.drifts : words.headline.raises;
}

function other(told: Told): string {
  const kind = kindName(told);
  const error = text(told.facts.error);
  if (kind) {
    const exact = error !== null && told.verdict.subcause === "python-exception";
    return told.words.headline.other(who(told), exact ? told.words.headline.namely(kind, error) : kind);
  }
  return error ? told.words.headline.error(who(told), error) : told.words.headline.unknown;
}

/** The kind of failure as its playbook names it, without a full stop. */
export function kindName({ verdict, texts }: Told): string | null {
  const name = verdict.subcause === null ? undefined : texts?.subcauses?.[verdict.subcause];
  return name === undefined ? null : name.trim().replace(/[.。]$/, "");
}

/** What is loud in the log and only followed, or stands beside. */
function followed({ verdict, words }: Told): string[] {
  return verdict.secondary.flatMap(({ label }) => {
    if (label === verdict.label || label === "none" || label === "other") return [];
    if (label === "nccl-timeout" && verdict.root?.role === "cause")
      return [words.follows.timeouts(verdict.cascade?.victims ?? 0)];
    if (label === "oom" && verdict.label === "expert-imbalance") return [words.follows.oom];
    if (label === "loss-spike" && verdict.label === "checkpoint-mismatch") return [words.follows["loss-spike"]];
    return [words.follows.beside(words.label[label])];
  });
}

/** Where it cannot be told, the first line says so and names the one log that would tell. */
function whatWouldTell(told: Told): string[] {
  const { verdict, words, language } = told;
  if (!verdict.would_tell) return [];
  const what = verdict.would_tell[language];
  // A person's own words: then any log would tell, and the verdict says so in a sentence of its own.
  if (verdict.root === null) return [words.sentence(what)];
  const said = verdict.label === "nccl-timeout" && who(told) === null ? [words.headline.whoIsNotKnown] : [];
  return [...said, words.headline.wouldTell(what)].map(words.sentence);
}

export function number(fact: Fact | undefined): number | null {
  return typeof fact?.value === "number" ? fact.value : null;
}

export function text(fact: Fact | undefined): string | null {
  return typeof fact?.value === "string" ? fact.value : null;
}

function list(fact: Fact | undefined): number[] {
  return Array.isArray(fact?.value) ? fact.value.filter((one): one is number => typeof one === "number") : [];
}

export function asText(fact: Fact | undefined): string | null {
  return fact === undefined ? null : shown(fact.value);
}

/** A value as texts show it. */
export function shown(value: FactValue): string {
  return fillText("{{value}}", { value });
}
