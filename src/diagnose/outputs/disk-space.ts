// df: how full the file systems are, in bytes and in inodes.
//   Filesystem                             Size  Used Avail Use% Mounted on
//   10.60.0.11@o2ib:10.60.0.12@o2ib:/lfs2  512T  512T   38G 100% /mnt/ckpt
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputLine, OutputText } from "./output-text.ts";
import { count, createFacts, digits, gib, said, some, someZh } from "./said.ts";

const HEADER =
  /^Filesystem\s+(?:Type\s+)?(?:(?<size>Size|1K-blocks|1024-blocks|1M-blocks|1G-blocks|\d+-blocks)\s+Used\s+Avail(?:able)?\s+(?:Use%|Capacity)|(?<inodes>Inodes)\s+IUsed\s+IFree\s+IUse%)\s+Mounted\s+on$/;
/** A long device name stands on a line of its own; its row goes on below. */
const ROW =
  /^(?:(?<device>\S+)\s+)?(?:(?<type>[a-z][\w.]*)\s+)?(?<size>\d\S*|-)\s+(?<used>\d\S*|-)\s+(?<free>\d\S*|-)\s+(?<pct>\d{1,3}%|-)\s+(?<mount>\/.*)$/;
const GONE =
  /^df: ['‘]?(?<mount>[^'’]{1,300}?)['’]?: (?<error>Stale file handle|Transport endpoint is not connected|Input\/output error)$/;
/** File systems in memory and images are always full or nobody's concern, unless someone asked for them. */
const NO_DISK = /^(?:tmpfs|devtmpfs|overlay|squashfs|none|udev|shm|\/dev\/loop\d+)$/;
/** At this share a save of any size may fail; root's reserve makes free space 0 from here on. */
const FULL_PCT = 95;

interface Mount {
  line: number;
  mount: string;
  pct: number;
  freeGib: number | null;
  inodes: boolean;
}

export const diskSpace: OutputReader = {
  id: "disk-space",
  command: "df -h DIR",
  owns: (line) => /^df(?:\s|$)|^df: /.test(line),
  knows: (text) =>
    text.lines.filter(({ text: row }) => HEADER.test(row) || GONE.test(row)).flatMap((line) => around(text, line)),
  read,
};

/** The header and the rows below it. */
function around(text: OutputText, header: OutputLine): number[] {
  const rows: number[] = [header.line];
  for (const line of text.lines.slice(header.line)) {
    if (!ROW.test(line.text)) break;
    rows.push(line.line);
  }
  return rows;
}

function read(text: OutputText): ToolReading {
  const gone = text.lines.flatMap((line) => {
    const found = GONE.exec(line.text)?.groups;
    return found ? [{ line: line.line, mount: found.mount ?? "", error: found.error ?? "" }] : [];
  });
  const facts = createFacts();
  facts.addHost(text);
  const [lost] = gone;
  if (lost) {
    facts.add("path", lost.mount, [lost.line]);
    facts.add("error", lost.error, [lost.line]);
    return {
      status: "read",
      finding: said(`${lost.mount} does not answer: ${lost.error}.`, `${lost.mount} 无响应：${lost.error}。`),
      facts: facts.facts,
    };
  }
  const mounts = mountsOf(text);
  const space = worst(mounts.filter(({ inodes }) => !inodes));
  const inode = worst(mounts.filter(({ inodes }) => inodes));
  const first = mounts[0];
  if (!first || !(space ?? inode)) {
    return {
      status: "partial",
      finding: said("The header of df without a row.", "只有 df 的表头，没有数据行。"),
      facts: facts.facts,
      problems: [{ line: text.lines.length, say: "no row below the header; paste the whole output of df -h DIR" }],
    };
  }
  const full = mounts.filter(({ inodes, pct }) => !inodes && pct >= FULL_PCT);
  const inodeFull = mounts.filter(({ inodes, pct }) => inodes && pct >= FULL_PCT);
  const worse = inode && (!space || inode.pct > space.pct) ? inode : space;
  facts.add("path", worse?.mount, worse ? [worse.line] : []);
  if (space) {
    facts.add("disk_use_pct", space.pct, [space.line]);
    facts.add("disk_free_gib", space.freeGib, [space.line]);
    facts.add(
      "full_mounts",
      full.map(({ mount }) => mount),
      full.length > 0 ? full.map(({ line }) => line) : [space.line],
    );
  }
  if (inode) {
    facts.add("inode_use_pct", inode.pct, [inode.line]);
    facts.add(
      "inode_full_mounts",
      inodeFull.map(({ mount }) => mount),
      inodeFull.length > 0 ? inodeFull.map(({ line }) => line) : [inode.line],
    );
  }
  return { status: "read", finding: sayMounts(mounts, full, inodeFull), facts: facts.facts };
}

function sayMounts(mounts: readonly Mount[], full: readonly Mount[], inodeFull: readonly Mount[]) {
  const names = (all: readonly Mount[]): string[] => all.map(({ mount }) => mount);
  const [one] = full;
  if (one && full.length === 1) {
    const free = one.freeGib === null ? null : digits(one.freeGib);
    return said(
      `${one.mount} is ${one.pct} % full${free === null ? "" : ` (${free} GiB free)`}; ${count(mounts.length, "file system")} looked at.`,
      `${one.mount} 已用 ${one.pct}%${free === null ? "" : `（剩 ${free} GiB）`}；共查看 ${mounts.length} 个文件系统。`,
    );
  }
  if (full.length > 1)
    return said(
      `${full.length} of ${mounts.length} file systems are full: ${some(names(full))}.`,
      `${mounts.length} 个文件系统中 ${full.length} 个已满：${someZh(names(full))}。`,
    );
  const [few] = inodeFull;
  if (few) return said(`${few.mount} has used ${few.pct} % of its inodes.`, `${few.mount} 的 inode 已用 ${few.pct}%。`);
  const top = worst(mounts);
  return said(
    `No full file system among ${mounts.length}; the fullest is ${top?.mount} at ${top?.pct} %.`,
    `${mounts.length} 个文件系统都没有满；最满的是 ${top?.mount}，${top?.pct}%。`,
  );
}

function worst(mounts: readonly Mount[]): Mount | undefined {
  return [...mounts].sort((a, b) => b.pct - a.pct || (a.freeGib ?? Infinity) - (b.freeGib ?? Infinity))[0];
}

function mountsOf(text: OutputText): Mount[] {
  const typed = text.lines.filter(({ command }) => command).map((line) => line.text);
  const all: Mount[] = [];
  let header: { inodes: boolean; unit: "K" | "M" | "G" } | null = null;
  let device: string | null = null;
  for (const line of text.lines) {
    const head = HEADER.exec(line.text)?.groups;
    if (head) {
      const unit = /M/.test(head.size ?? "") ? "M" : /^1G/.test(head.size ?? "") ? "G" : "K";
      [header, device] = [{ inodes: head.inodes !== undefined, unit }, null];
      continue;
    }
    if (!header || line.command) continue;
    const row = ROW.exec(line.text)?.groups;
    if (!row) {
      device = /^\S+$/.test(line.text) ? line.text : null;
      continue;
    }
    const from = row.device ?? device ?? "";
    device = null;
    const mount = row.mount ?? "";
    if (row.pct === "-" || row.pct === undefined) continue;
    const asked = typed.some((one) => one.split(/\s+/).includes(mount));
    if ((NO_DISK.test(from) || NO_DISK.test(row.type ?? "")) && mount !== "/dev/shm" && !asked) continue;
    const freeGib = header.inodes ? null : gib(row.free ?? "", header.unit);
    all.push({ line: line.line, mount, pct: Number.parseInt(row.pct, 10), freeGib, inodes: header.inodes });
  }
  return all;
}
