// Archives as tests need them: whole ones, and ones that lie.
import { crc32, deflateRawSync } from "node:zlib";

export interface Member {
  name: string;
  content: string | Uint8Array;
  /** Not packed. */
  stored?: boolean;
  encrypted?: boolean | "strongly";
  /** The size it claims. */
  claims?: number;
  method?: number;
}

/** A .zip with these members in this order. */
export function zip(members: readonly Member[]): Buffer {
  const pieces: Buffer[] = [];
  const listing: Buffer[] = [];
  let at = 0;
  for (const member of members) {
    const name = Buffer.from(member.name);
    const content = Buffer.from(member.content);
    const packed = member.stored ? content : deflateRawSync(content);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(0x800 | (member.encrypted ? 1 : 0) | (member.encrypted === "strongly" ? 0x40 : 0), 2);
    header.writeUInt16LE(member.method ?? (member.stored ? 0 : 8), 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(member.claims ?? content.length, 18);
    header.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), header, name, packed]);
    listing.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), header, place, name]));
    pieces.push(local);
    at += local.length;
  }
  const list = Buffer.concat(listing);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, list, end]);
}

export interface TarMember {
  name: string;
  content: string | Uint8Array;
  /** A file, unless said otherwise. */
  type?: string;
  /** The size it claims. */
  claims?: number;
}

/** A .tar as GNU tar writes it. */
export function tar(members: readonly TarMember[]): Buffer {
  const whole = (content: Buffer): Buffer =>
    Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
  const entry = (name: string, content: Buffer, type: string, size = content.length): Buffer => {
    const header = Buffer.alloc(512);
    header.write(name.slice(0, 100), 0, "latin1");
    header.write("0000644\0", 100);
    header.write(size.toString(8).padStart(11, "0"), 124);
    header.write("        ", 148);
    header.write(type, 156);
    header.write("ustar  ", 257);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return Buffer.concat([header, whole(content)]);
  };
  const all = members.flatMap(({ name, content, type = "0", claims }) => [
    ...(name.length > 100 ? [entry("././@LongLink", Buffer.from(`${name}\0`), "L")] : []),
    entry(name, Buffer.from(content), type, claims),
  ]);
  return Buffer.concat([...all, Buffer.alloc(1024)]);
}
