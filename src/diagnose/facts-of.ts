// From groups of signatures, curves and prefixes to typed facts under the names of the catalogue, each with its lines.
import type { Facts, FactValue } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import type { Finds, Hit, Kept } from "./finds.ts";
import { readGroup } from "./groups.ts";
import type { Ending } from "./launcher.ts";
import type { Line } from "./lines.ts";
import { collapsedScale } from "./overflows.ts";
import { endingsOf, type Who } from "./whose-end.ts";

/** Lines between the first frame of a traceback and its end. */
const LONGEST_TRACEBACK = 120;
/** Lines from "The actor died" to the number of its process. */
const ACTOR_BELOW = 6;
/** An exception whose message goes on below: NCCL's last error, torch_npu's details, the library that did not load. */
const LONGEST_MESSAGE = 4;

export interface Found {
  facts: Facts;
  /** What is put first is not replaced; the same value again adds its line. */
  put(name: string, value: FactValue, line: Line): void;
}

/** What the root's own line says, and the exception it belongs to. */
export function rootFacts(finds: Finds, root: Claim | undefined): Found {
  const found = createFound();
  if (!root) return found;
  const collapsed = root.label === "loss-spike" ? collapsedScale(finds) : undefined;
  if (collapsed) found.put("loss_scale", collapsed.scale, collapsed.line);
  putCurve(root, found);
  for (const one of spoken(finds)) for (const hit of one.hits) if (isSame(hit.line, root.line)) fromHit(hit, found);
  const raised = root.raised ?? finds.raised().find((one) => isSame(one.line, root.line));
  if (raised) fromException(raised, found);
  if (root.load) putLoad(root, found);
  // "ValueError: rank 2: ...": who raised it says so, where no signature knows what the number counts.
  const rank = /^[Rr]ank (\d{1,6}): /.exec(root.raised?.message ?? "")?.[1];
  if (rank !== undefined) found.put("rank", Number(rank), root.line);
  if (root.line.host !== null) found.put("host", root.line.host, root.line);
  putGroup(root.line, found);
  putXidPid(root.line, found);
  const errno = /\[Errno (\d{1,3})\]/.exec(root.line.text)?.[1];
  if (errno !== undefined) found.put("errno", Number(errno), root.line);
  putWorker(finds, root.line, found);
  innermostFrame(finds, root.line, found);
  return found;
}

/** Everything else that the text holds, nearest first: how the process ended, the same fault elsewhere, the rest. */
export function moreFacts(found: Found, finds: Finds, root: Claim | undefined, claims: readonly Claim[] = []): Facts {
  if (root) putEnding(found, finds, root);
  else putCommonEnding(found, finds);
  if (root) putRaisedAbove(finds, root.line, found);
  if (root) putRaisedAfter(finds, root.line, found);
  // An exception says that the loss spiked; the numbers of the same fault say from where to where.
  for (const claim of claims) if (claim.label === root?.label) putCurve(claim, found);
  for (const one of spoken(finds)) fromHit(nearest(one, root?.line), found);
  for (const said of finds.setting.said()) found.put(said.name, said.value, said.line);
  putFolder(found);
  const address = found.facts.master_addr;
  if (address && !found.facts.ip && /^\d{1,3}(?:\.\d{1,3}){3}$/.test(String(address.value))) found.facts.ip = address;
  return found.facts;
}

/** The root is a line of the message of an exception that begins just above it. */
function putRaisedAbove(finds: Finds, root: Line, found: Found): void {
  if (found.facts.error) return;
  const above = finds
    .raised()
    .findLast(
      ({ line }) =>
        line.source === root.source &&
        line.rank === root.rank &&
        line.pid === root.pid &&
        line.line < root.line &&
        root.line - line.line <= LONGEST_MESSAGE,
    );
  if (above) found.put("error", above.type.split(".").at(-1) ?? above.type, above.line);
}

/** A file of a checkpoint, by its ending. */
const FILE_OF = /^(.+)\/[^/]*\.(?:pt|pth|bin|ckpt|distcp|safetensors|json|pkl|metadata|index|msgpack|npz|h5|txt)$/;

function putFolder(found: Found): void {
  const path = found.facts.path;
  if (typeof path?.value !== "string") return;
  found.facts.ckpt_dir = { value: FILE_OF.exec(path.value)?.[1] ?? path.value, lines: path.lines };
}

/** A library warns, and its caller on the same rank raises. */
function putRaisedAfter(finds: Finds, root: Line, found: Found): void {
  if (found.facts.error || found.facts.message) return;
  // Without a rank only what stands right below belongs to it.
  const reach = root.rank === null ? 8 : LONGEST_TRACEBACK;
  const next = finds
    .raised()
    .find(
      ({ line }) =>
        line.rank === root.rank &&
        (line.pid === root.pid || line.pid === null || root.pid === null) &&
        line.source === root.source &&
        line.line > root.line &&
        line.line - root.line < reach,
    );
  if (next) fromException(next, found);
}

function spoken(finds: Finds): Kept[] {
  return finds.kept().filter((one) => one.rule.weight !== "against");
}

function putCurve(claim: Claim, found: Found): void {
  for (const [name, fact] of Object.entries(claim.curve?.facts ?? {}))
    for (const line of fact.lines.slice(0, 1)) found.put(name, fact.value, line);
}

const GROUP =
  /\[PG (?:ID )?(?<id>\d{1,6})(?: PG GUID (?<guid>[^\s(\]]{1,80}))? ?(?:\((?<name>[\w.-]{1,80})\))? ?Rank (?<rank>\d{1,6})\]/;

/** "NVRM: Xid (PCI:0000:ab:00): 48, pid=210377, name=python": whose process the card was working for. */
function putXidPid(line: Line, found: Found): void {
  const pid = line.text.includes("NVRM: Xid") ? /\bpid='?(\d{1,8})\b/.exec(line.text)?.[1] : undefined;
  if (pid !== undefined) found.put("pid", Number(pid), line);
}

/** The process group that PyTorch puts in front of whatever it says. */
function putGroup(line: Line, found: Found): void {
  const groups = GROUP.exec(line.raw)?.groups;
  if (!groups) return;
  found.put("pg_id", Number(groups.id), line);
  if (groups.guid !== undefined) found.put("pg_guid", groups.guid, line);
  if (groups.name !== undefined) found.put("process_group", groups.name, line);
  found.put("group_rank", Number(groups.rank), line);
}

/**
 * Ray names the worker above the traceback that it passes on, and a dead actor below the words that say so; the line's own
 * prefix is whoever printed it.
 */
function putWorker(finds: Finds, root: Line, found: Found): void {
  const near = finds.setting
    .workers()
    .findLast(
      ({ line }) =>
        line.source === root.source &&
        line.line <= root.line + ACTOR_BELOW &&
        root.line - line.line < LONGEST_TRACEBACK,
    );
  if (!near) return;
  found.put("pid", near.pid, near.line);
  found.put("ip", near.ip, near.line);
}

/** A frame of a traceback, or the code below it. */
const FRAME_OR_CODE = /^\s*(?:[│|]\s*)?(?:File "|❱)|^\s{3,}\S/;

/** Of the frames above the root that say which part of the model it was, the last one is where it happened. */
function innermostFrame(finds: Finds, root: Line, found: Found): void {
  let inner: Hit | undefined;
  for (const one of spoken(finds)) {
    if (one.rule.implies?.where === undefined) continue;
    for (const hit of one.hits) {
      const { line } = hit;
      const above = line.source === root.source && line.line < root.line && root.line - line.line < LONGEST_TRACEBACK;
      if (!above || line.rank !== root.rank || !FRAME_OR_CODE.test(line.text)) continue;
      if (!inner || line.line > inner.line.line) inner = hit;
    }
  }
  if (inner) found.put("where", inner.rule.implies?.where as string, inner.line);
}

function putEnding(found: Found, finds: Finds, root: Claim): void {
  const { facts } = found;
  const { same, maybe } = endingsOf(finds.launchers.endings(), whoOf(facts, root));
  for (const ending of same) {
    const host = root.line.host ?? ending.host;
    putAll(found, { ...ending, host });
  }
  const unnamed = maybe.find((one) => one.rank === null && one.localRank === null && one.tasks.length === 0);
  if (same.length > 0) {
    if (unnamed) putAll(found, { ...unnamed, host: null, pid: null });
    return;
  }
  const any = finds.launchers.endings();
  // Whoever gave up waiting went down as the one did that the launcher tells of.
  if (maybe.length === 0 && root.role === "consequence" && any[0])
    putAll(found, { ...any[0], rank: null, host: null, pid: null, localRank: null });
  if (maybe.length === 0) return;
  // No entry can be put to the culprit. What all of them say holds for it, too; a single one is the best there is.
  const first = maybe[0] as Ending;
  if (maybe.length === 1 && root.line.rank === null) putAll(found, { ...first, rank: null, host: null });
  else putAll(found, { ...first, rank: null, host: null, pid: null, localRank: null });
}

/** Whoever began it, what all of them say holds for it. */
function putCommonEnding(found: Found, finds: Finds): void {
  const all = finds.launchers.endings();
  // "Exit code 1" below the entry says once more how it went.
  const [first, ...others] = all.filter((one, at) => at === 0 || !isBare(one) || one.exitcode !== all[0]?.exitcode);
  if (!first) return;
  const shared = <K extends "host" | "exitcode" | "signal">(name: K): Ending[K] | null =>
    others.every((one) => one[name] === first[name]) ? first[name] : null;
  const common = { host: shared("host"), exitcode: shared("exitcode"), signal: shared("signal") };
  const own = others.length === 0 ? {} : { rank: null, localRank: null, pid: null };
  putAll(found, { ...first, ...common, ...own });
}

function isBare(ending: Ending): boolean {
  return ending.rank === null && ending.localRank === null && ending.pid === null && ending.tasks.length === 0;
}

function putAll(found: Found, ending: Ending): void {
  const line = ending.lines[0];
  if (!line) return;
  const values = {
    exitcode: ending.exitcode,
    signal: ending.signal,
    host: ending.host,
    local_rank: ending.localRank,
    pid: ending.pid,
    rank: ending.rank,
  };
  for (const [name, value] of Object.entries(values))
    if (value !== null) found.put(name, value, lineOf(ending, String(value)) ?? line);
}

/** Of an entry's lines, the one that prints the value. */
function lineOf(ending: Ending, printed: string): Line | undefined {
  return (
    ending.lines.find((line) => line.text.includes(printed)) ?? ending.lines.find((line) => line.raw.includes(printed))
  );
}

function whoOf(facts: Facts, root: Claim): Who {
  const number = (name: string): number | null => {
    const value = facts[name]?.value;
    return typeof value === "number" ? value : null;
  };
  const { line } = root;
  return {
    rank: line.rank ?? number("rank"),
    localRank: line.localRank ?? number("local_rank"),
    host: line.host,
    pid: line.pid ?? number("pid"),
    line,
  };
}

function createFound(): Found {
  const facts: Facts = {};
  return {
    facts,
    put(name, value, line) {
      const at = { source: line.source, line: line.line };
      const there = facts[name];
      if (!there) facts[name] = { value, lines: [at] };
      else if (
        there.value === value &&
        there.lines.length < 50 &&
        !there.lines.some((one) => one.source === at.source && one.line === at.line)
      ) {
        there.lines.push(at);
      }
    },
  };
}

function isSame(a: Line, b: Line): boolean {
  return a.source === b.source && a.line === b.line;
}

/** Of many hits of one signature, the one on the root's rank, else the first. */
function nearest(kept: Kept, root: Line | undefined): Hit {
  const same = root?.rank != null ? kept.hits.find((hit) => hit.line.rank === root.rank) : undefined;
  return same ?? kept.first;
}

function fromHit(hit: Hit, found: Found): void {
  for (const [name, value] of Object.entries(hit.rule.implies ?? {})) found.put(name, value, hit.line);
  for (const [group, printed] of Object.entries(hit.groups)) {
    const read = readGroup(group, printed);
    if (read) found.put(read.name, read.value, hit.line);
  }
}

function putLoad({ load, line }: Claim, found: Found): void {
  if (load?.param) found.put("param", load.param, line);
  found.put("load_failure", "raises", line);
  found.put("run_phase", "load", line);
  found.put("where", "checkpoint-load", line);
}

function fromException(raised: { line: Line; type: string; message: string }, found: Found): void {
  found.put("error", raised.type.split(".").at(-1) ?? raised.type, raised.line);
  const errno = /^\[Errno (\d{1,3})\]/.exec(raised.message)?.[1];
  if (errno !== undefined) found.put("errno", Number(errno), raised.line);
  if (raised.message !== "") found.put("message", raised.message.trim(), raised.line);
}
