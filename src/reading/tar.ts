// What a tar archive holds, as it streams by. Only whole files are told of; links, folders and devices are passed over.

export interface Member {
  name: string;
  size: number;
  /** Read to its end, or left, before the next member is asked for. */
  bytes: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** A longer name is nobody's. */
const MOST_NAME = 65_536;

/** The first bytes are those of a tar archive: what it says of its first member adds up. */
export function isTar(head: Uint8Array): boolean {
  return head.length >= BLOCK && readHeader(Buffer.from(head.subarray(0, BLOCK))) !== null;
}

/** Ends where the archive does; calls `torn` where it ends in the middle, or goes on as something else. */
export async function* untar(bytes: AsyncIterable<Uint8Array>, torn: () => void): AsyncIterable<Member> {
  const source = createSource(bytes);
  let longName: string | null = null;
  let longSize: number | null = null;
  try {
    for (;;) {
      const block = await source.take(BLOCK);
      if (block.length === 0 || block.every((byte) => byte === 0)) return;
      const header = block.length === BLOCK ? readHeader(block) : null;
      if (!header) return torn();
      const size = longSize ?? header.size;
      const padding = (BLOCK - (size % BLOCK)) % BLOCK;
      if (header.type === "L" || header.type === "x") {
        if (header.size > MOST_NAME) return torn();
        const said = (await source.take(header.size)).toString("utf8");
        await source.take(padding);
        if (header.type === "L") longName = said.replace(/\0.*$/s, "");
        else ({ name: longName = longName, size: longSize = longSize } = readPax(said));
        continue;
      }
      const member = source.upTo(size);
      if (/^[07\0]$/.test(header.type)) yield { name: longName ?? header.name, size, bytes: member };
      longName = null;
      longSize = null;
      // What was not read of it.
      for await (const _ of member);
      if (source.left() > 0) return torn();
      await source.take(padding);
    }
  } finally {
    await source.close();
  }
}

interface Header {
  name: string;
  size: number;
  type: string;
}

/** null where the block is no header: its sum is wrong. */
function readHeader(block: Buffer): Header | null {
  const text = (from: number, length: number): string =>
    block.toString("utf8", from, from + length).replace(/\0.*$/s, "");
  const sum = Number.parseInt(text(148, 8), 8);
  const real = block.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  const size = Number.parseInt(text(124, 12) || "0", 8);
  if (sum !== real || !Number.isSafeInteger(size) || size < 0) return null;
  const prefix = text(257, 5) === "ustar" && block[263] === 0x30 ? text(345, 155) : "";
  return {
    name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100),
    size,
    type: String.fromCharCode(block[156] ?? 0),
  };
}

/** Lines of "27 path=logs/rank_37.log", each with its own length. */
function readPax(said: string): { name?: string; size?: number } {
  const found: { name?: string; size?: number } = {};
  for (const line of said.split("\n")) {
    const [, key, value = ""] = /^\d{1,10} ([a-z]{1,40})=(.*)$/.exec(line) ?? [];
    if (key === "path") found.name = value;
    if (key === "size" && /^\d{1,15}$/.test(value)) found.size = Number(value);
  }
  return found;
}

/** Bytes by their number. */
function createSource(bytes: AsyncIterable<Uint8Array>) {
  const iterator = bytes[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);
  let left = 0;

  async function more(): Promise<boolean> {
    const { done, value } = await iterator.next();
    if (done) return false;
    held = value;
    return true;
  }

  async function* pieces(): AsyncIterable<Uint8Array> {
    while (left > 0 && (held.length > 0 || (await more()))) {
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  return {
    /** Fewer where the end comes first. */
    async take(size: number): Promise<Buffer> {
      left = size;
      const found: Uint8Array[] = [];
      for await (const piece of pieces()) found.push(Uint8Array.from(piece));
      return Buffer.concat(found);
    },
    /** Goes on where an earlier reader of the same bytes stopped. */
    upTo(size: number): AsyncIterable<Uint8Array> {
      left = size;
      return { [Symbol.asyncIterator]: () => pieces()[Symbol.asyncIterator]() };
    },
    left: () => left,
    close: async () => iterator.return?.(),
  };
}
