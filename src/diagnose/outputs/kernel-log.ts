// dmesg, journalctl -k: what the kernel saw of a GPU, of memory and of a network link before the run died.
//   [Sat Feb 21 02:11:37 2026] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
//   Memory cgroup out of memory: Killed process 1180102 (python3) total-vm:127528016kB, anon-rss:86489220kB, …
import {
  countEvents,
  type KernelEvents,
  kernelEvents,
  type LinkChange,
  type OomKill,
  type Xid,
} from "./kernel-events.ts";
import type { OutputReader, Refusal, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, shortRows } from "./output-text.ts";
import { createFacts, digits, type FactsBuilder, groupBy, said, some, someZh } from "./said.ts";

/** The most severe first; what is not listed stands between hardware and what programs do themselves. */
const SEVERITY = [79, 95, 64, 140, 48, 119, 120, 149, 145, 74, 94, 63];
const MILD = [31, 13];
/** These follow from something else, unless they stand alone; a recovery action is never the fault. */
const FOLLOWING = [43, 45];
const NEVER = [154];
const XIDS: Record<number, { en: string; zh: string }> = {
  13: { en: "a program's exception on the GPU", zh: "程序在 GPU 上触发异常" },
  31: { en: "a GPU memory page fault", zh: "GPU 显存缺页错误" },
  43: { en: "a channel was stopped after a program's error", zh: "程序出错后通道被停止" },
  45: { en: "a process was torn down", zh: "进程被清理" },
  48: { en: "an uncorrectable ECC error", zh: "不可纠正的 ECC 错误" },
  63: { en: "a row remap was recorded", zh: "已记录行重映射" },
  64: { en: "a row remap could not be recorded", zh: "行重映射记录失败" },
  74: { en: "an NVLink error", zh: "NVLink 错误" },
  79: { en: "the GPU fell off the bus", zh: "GPU 掉卡" },
  94: { en: "a contained ECC error", zh: "被隔离的 ECC 错误" },
  95: { en: "an uncontained ECC error", zh: "未能隔离的 ECC 错误" },
  119: { en: "the GPU's system processor (GSP) timed out", zh: "GSP 超时" },
  120: { en: "the GPU's system processor (GSP) failed", zh: "GSP 出错" },
  140: { en: "an unrecovered ECC error", zh: "无法恢复的 ECC 错误" },
  145: { en: "an NVLink error", zh: "NVLink 错误" },
  149: { en: "an NVLink error", zh: "NVLink 错误" },
};

const FAILURES: readonly { pattern: RegExp; refusal: Refusal; en: string; zh: string }[] = [
  {
    pattern:
      /^dmesg: (?:read kernel buffer failed|klogctl): (?:Operation not permitted|Permission denied)|^No journal files were opened due to insufficient permissions/,
    refusal: "permission",
    en: "Permission denied: the kernel log takes root",
    zh: "没有权限读取内核日志，需要 root",
  },
  {
    pattern: /^(?:dmesg|journalctl): (?:unrecognized|invalid|unknown) option/,
    refusal: "usage",
    en: "The tool does not know this option",
    zh: "该工具不支持这个选项",
  },
];
/** What kernels speak of in their first words; a log without any event must hold some of these to be known as a kernel's. */
const KERNEL_WORDS =
  /^(?:ACPI|audit|BIOS-e820|Bluetooth|Command line|cgroup|docker0|EDAC|EXT4-fs|INFO: task|IPv[46]|Kernel|Linux version|LNet|Lustre|NVRM|NFS|Memory|mce|MCE|nfs|nvidia|nvme|pci|pcieport|PM|perf|random|RAS|sd|scsi|SELinux|smpboot|systemd|TCP|usb|veth\w*|watchdog|workqueue|x86|XFS|\w{2,20}_core|br-\w+|cni0|overlayfs|device|eth\d|en[spo]\w+|ib\d|bond\d)\b/;

export const kernelLog: OutputReader = {
  id: "kernel-log",
  command: 'sudo dmesg -T | grep -iE "xid|oom-kill|killed process|mlx5|nvlink|link (up|down)"',
  owns: (line) => /^dmesg\b|^journalctl\b|(?:^|[\s|;&/])(?:dmesg|journalctl)\s+-|\bdmesg: /.test(line),
  knows: (text) => {
    const events = kernelEvents(shortRows(text));
    if (countEvents(events) > 0 || events.lines.some((line) => isNvrm(text, line)) || isKernels(text, events))
      return events.lines;
    return [...noEntries(text), ...failuresOf(text).map(({ line }) => line)];
  },
  read: (text) => read(shortRows(text)),
};

function isNvrm({ lines }: OutputText, line: number): boolean {
  return /\bNVRM: /.test(lines[line - 1]?.text ?? "");
}

/** Is it a kernel's log without any event? Below its own command, or where most lines are stamped and speak its words. */
function isKernels({ lines }: OutputText, events: KernelEvents): boolean {
  if (events.lines.length === 0) return false;
  if (lines.some(({ command, text }) => command && kernelLog.owns(text))) return true;
  const filled = lines.filter(({ text, command }) => !command && text.trim() !== "");
  const stamped = new Set(events.lines);
  const speaking = filled.filter(
    ({ line, text }) =>
      stamped.has(line) && (/ kernel: /.test(text) || KERNEL_WORDS.test(text.replace(/^[^\]]{0,60}\]\s*/, ""))),
  );
  return events.lines.length >= 0.8 * filled.length && speaking.length >= Math.max(2, filled.length / 2);
}

function noEntries({ lines }: OutputText): number[] {
  return lines.filter(({ text }) => /^-- No entries --$/.test(text.trim())).map(({ line }) => line);
}

function failuresOf({ lines }: OutputText) {
  return lines.flatMap(({ line, text }) => {
    const failure = FAILURES.find(({ pattern }) => pattern.test(text.trim()));
    return failure ? [{ line, ...failure }] : [];
  });
}

function read(text: OutputText): ToolReading {
  const events = kernelEvents(text);
  const [failure] = failuresOf(text);
  if (failure && countEvents(events) === 0) {
    const { line, refusal, en, zh } = failure;
    return {
      status: "refused",
      refusal,
      finding: said(`${en}. Run: ${kernelLog.command}`, `${zh}。请运行：${kernelLog.command}`),
      line,
    };
  }
  const facts = createFacts();
  const worst = worstOf(events.xids);
  const kill = events.ooms.find(({ pid }) => pid !== null) ?? events.ooms[0];
  const downs = downsOf(events.links);
  const nic = events.nics.find(({ text: said }) => !said.includes("insufficient power")) ?? events.nics[0];
  const lost = events.xids.length === 0 ? events.lost[0] : undefined;
  addXids(facts, events, worst);
  if (lost) facts.add("pci", lost.pci, [lost.line]);
  if (kill) addKill(facts, kill);
  addLinks(facts, events.links, downs);
  facts.add("nic_fault", nic?.text, nic ? [nic.line] : []);
  const first = worst ?? events.xids[0] ?? lost ?? kill ?? events.links.find(({ up }) => !up) ?? nic;
  facts.add("time", first?.time, first ? [first.line] : []);
  const faults = [
    ...events.xids,
    ...events.lost,
    ...events.ooms,
    ...events.links.filter(({ up }) => !up),
    ...events.nics,
  ];
  const hosts = new Set(faults.map(({ host }) => host));
  if (first?.host && hosts.size === 1) facts.add("host", first.host, [first.line]);
  else if (faults.length === 0) facts.addHost(text);

  const parts: Said[] = [];
  if (events.xids.length > 0) parts.push(sayXid(events, worst));
  if (lost)
    parts.push({
      en: `GPU ${lost.pci} has fallen off the bus${lost.time ? ` at ${lost.time}` : ""}; no Xid was printed.`,
      zh: `GPU ${lost.pci} 掉卡${lost.time ? `（${lost.time}）` : ""}，没有打印 Xid。`,
    });
  if (kill) parts.push(sayKill(kill, events.ooms.length));
  if (downs.length > 0) parts.push(sayLinks(events.links, downs));
  if (nic) parts.push({ en: `Network card: ${nic.text}.`, zh: `网卡：${nic.text}。` });
  if (parts.length === 0) {
    facts.add("xids", [], events.lines.slice(0, 1).concat(noEntries(text)).slice(0, 1));
    parts.push({
      en: `No fault found: no GPU, memory or link event in ${events.lines.length} lines of the kernel log.`,
      zh: `未发现异常：${events.lines.length} 行内核日志中没有 GPU、内存或链路事件。`,
    });
  }
  return {
    status: "read",
    finding: said(parts.map(({ en }) => en).join(" "), parts.map(({ zh }) => zh).join("")),
    facts: facts.facts,
  };
}

/** The most severe that is no consequence; of its repeats the first. */
function worstOf(xids: readonly Xid[]): Xid | null {
  const real = xids.filter(({ xid }) => !NEVER.includes(xid));
  const own = real.filter(({ xid, detail }) => !FOLLOWING.includes(xid) && !/caused by previous Xid/i.test(detail));
  const candidates = own.length > 0 ? own : real;
  const [worst] = [...candidates].sort((a, b) => severity(a.xid) - severity(b.xid) || a.line - b.line);
  return worst ?? null;
}

function severity(xid: number): number {
  const at = SEVERITY.indexOf(xid);
  if (at >= 0) return at;
  const mild = [...MILD, ...FOLLOWING].indexOf(xid);
  return mild >= 0 ? SEVERITY.length + 1 + mild : SEVERITY.length;
}

function addXids(facts: FactsBuilder, { xids }: KernelEvents, worst: Xid | null): void {
  if (xids.length === 0) return;
  const distinct = [...new Map(xids.map((one) => [one.xid, one.line])).keys()].sort((a, b) => a - b);
  facts.add(
    "xids",
    distinct,
    xids.map(({ line }) => line),
  );
  if (!worst) return;
  facts.add(
    "xid",
    worst.xid,
    xids.filter(({ xid }) => xid === worst.xid).map(({ line }) => line),
  );
  facts.add("pci", worst.pci, [worst.line]);
  facts.add("link", linkOf(worst), [worst.line]);
}

function linkOf({ detail }: Xid): string | null {
  const number = /\blink (?<n>\d{1,3})\b/i.exec(detail)?.groups?.n;
  return number === undefined ? null : `Link ${number}`;
}

function addKill(facts: FactsBuilder, { victim, pid, scope, rssKib, line }: OomKill): void {
  facts.add("oom_victim", victim, [line]);
  facts.add("pid", pid, [line]);
  facts.add("oom_scope", scope, [line]);
  facts.add("anon_rss_gib", rssKib === null ? null : rssKib / 1024 ** 2, [line]);
}

interface Down {
  device: string;
  times: number;
  /** Was it up again at the end? */
  up: boolean;
  lines: number[];
}

/** RoCE prints the InfiniBand port and the interface over it: of one card the kind that went down more often counts. */
function downsOf(links: readonly LinkChange[]): Down[] {
  const cards = groupBy(links, ({ host, pci }) => `${host} ${pci}`);
  return [...cards.values()].flatMap((card): Down[] => {
    const ib = card.filter((one) => one.ib && !one.up);
    const net = card.filter((one) => !one.ib && !one.up);
    const [most, name] = [ib.length >= net.length ? ib : net, (ib[0] ?? net[0])?.device];
    return most.length === 0 || !name
      ? []
      : [{ device: name, times: most.length, up: card.at(-1)?.up ?? false, lines: most.map(({ line }) => line) }];
  });
}

function addLinks(facts: FactsBuilder, links: readonly LinkChange[], downs: readonly Down[]): void {
  if (links.length === 0) return;
  const lines = downs.length > 0 ? downs.flatMap((one) => one.lines) : links.map(({ line }) => line);
  facts.add("links_down", [...new Set(downs.map(({ device }) => device))].sort(), lines);
  facts.add(
    "link_flaps",
    downs.reduce((sum, { times }) => sum + times, 0),
    lines,
  );
}

function sayXid({ xids }: KernelEvents, worst: Xid | null): Said {
  const others = [...new Set(xids.map(({ xid }) => xid))].filter((xid) => xid !== worst?.xid).sort((a, b) => a - b);
  if (!worst)
    return {
      en: `Only Xid ${others.join(", ")}: a recovery action, not the fault itself.`,
      zh: `只有 Xid ${others.join("、")}：这是恢复动作，不是故障本身。`,
    };
  const cards = new Set(xids.filter(({ xid }) => xid === worst.xid).map(({ pci }) => pci));
  const also = cards.size > 1 ? ` and ${cards.size - 1} more` : "";
  const alsoZh = cards.size > 1 ? ` 等 ${cards.size} 张卡` : "";
  const link = linkOf(worst);
  const what = XIDS[worst.xid] ?? {
    en: worst.detail.slice(0, 60) || "not described",
    zh: worst.detail.slice(0, 60) || "无说明",
  };
  const follow = others.filter((xid) => [...FOLLOWING, ...NEVER].includes(xid));
  const beside = others.filter((xid) => !follow.includes(xid));
  return {
    en: `Xid ${worst.xid} on PCI ${worst.pci}${also}${worst.time ? ` at ${worst.time}` : ""}: ${what.en}${link ? ` (${link})` : ""}${follow.length > 0 ? `; Xid ${some(follow)} ${follow.length === 1 ? "follows" : "follow"} from it` : ""}${beside.length > 0 ? `; also Xid ${some(beside)}` : ""}.`,
    zh: `PCI ${worst.pci}${alsoZh} 报 Xid ${worst.xid}${worst.time ? `（${worst.time}）` : ""}：${what.zh}${link ? `（${link}）` : ""}${follow.length > 0 ? `；Xid ${someZh(follow)} 是后果` : ""}${beside.length > 0 ? `；另有 Xid ${someZh(beside)}` : ""}。`,
  };
}

function sayKill({ victim, pid, scope, rssKib, time }: OomKill, kills: number): Said {
  const when = time ? ` at ${time}` : "";
  if (pid === null)
    return {
      en: `The oom-killer was called${when}; whom it killed was not pasted.`,
      zh: `触发了 oom-killer${time ? `（${time}）` : ""}，没有粘贴被杀的进程。`,
    };
  const rss = rssKib === null ? "" : ` with ${digits(rssKib / 1024 ** 2)} GiB resident`;
  const why =
    scope === "cgroup"
      ? "its container's limit was hit"
      : scope === "host"
        ? "the host ran out of memory"
        : "memory ran out";
  const whyZh = scope === "cgroup" ? "超出容器内存上限" : scope === "host" ? "主机内存耗尽" : "内存耗尽";
  return {
    en: `The kernel killed ${victim} (pid ${pid})${rss}${when}: ${why}${kills > 1 ? `; ${kills} kills in all` : ""}.`,
    zh: `内核杀掉了 ${victim}（pid ${pid}${rssKib === null ? "" : `，常驻内存 ${digits(rssKib / 1024 ** 2)} GiB`}）：${whyZh}${kills > 1 ? `；共 ${kills} 次` : ""}。`,
  };
}

function sayLinks(links: readonly LinkChange[], downs: readonly Down[]): Said {
  const total = downs.reduce((sum, { times }) => sum + times, 0);
  const devices = downs.map(({ device }) => device);
  const still = downs.filter(({ up }) => !up).map(({ device }) => device);
  const when = links.find(({ up }) => !up)?.time;
  return {
    en: `${some(devices)} went down ${total === 1 ? "once" : `${total} times`}${when ? `, first at ${when}` : ""}${still.length > 0 ? `; not up again: ${some(still)}` : "; up again at the end"}.`,
    zh: `${someZh(devices)} 链路断开 ${total} 次${when ? `（首次 ${when}）` : ""}${still.length > 0 ? `；未恢复：${someZh(still)}` : "；最后已恢复"}。`,
  };
}
