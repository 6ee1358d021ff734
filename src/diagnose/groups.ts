// What a named group of a pattern holds: a number, a list, a size with its unit, a text.
import { FACTS } from "../facts/catalogue.ts";
import type { FactValue } from "../facts/fact.ts";

const GIB = 1_073_741_824;
const MIB = 1_048_576;
const BYTES: Record<string, number> = { "": 1, b: 1, k: 1024, m: MIB, g: GIB, t: GIB * 1024 };

/** `tried_alloc_size` "3.50 GiB" -> tried_alloc_gib 3.5; lists read all their numbers; `seq__2` is seq. */
export function readGroup(group: string, printed: string): { name: string; value: FactValue } | undefined {
  const name = group.replace(/__\d+$/, "");
  if (name.endsWith("_size")) return readSize(name.slice(0, -5), printed);
  const kind = FACTS[name];
  if (!kind) return undefined;
  const text = printed.trim();
  // torch.Size([]) is a shape: that of a scalar.
  if (text === "" && name.endsWith("_shape")) return { name, value: [] };
  if (text === "") return undefined;
  switch (kind.type) {
    case "number": {
      const value = Number(text.replaceAll(",", ""));
      return Number.isFinite(value) ? { name, value } : undefined;
    }
    case "numbers": {
      const value = numbersIn(text);
      return value.length > 0 ? { name, value } : undefined;
    }
    case "texts":
      return { name, value: text.split(/[\s,;]+/).filter(Boolean) };
    case "flag":
      return { name, value: /^(?:true|yes|1|ok)$/i.test(text) };
    default:
      return { name, value: text };
  }
}

/** "{2, 5}" -> [2, 5]; "0-3" -> [0, 1, 2, 3]. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  for (const match of text.matchAll(/(\d+)(?:\s?-\s?(\d+))?/g)) {
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    for (let value = from; value <= to && numbers.length < 4_096; value += 1) numbers.push(value);
  }
  return numbers;
}

function readSize(name: string, printed: string): { name: string; value: FactValue } | undefined {
  const match = /^([\d.,]+)\s*([KMGT]?)(?:i?B)?(?:ytes)?$/i.exec(printed.trim());
  if (!match?.[1]) return undefined;
  const unit = (match[2] ?? "").toLowerCase();
  const value = Number(match[1].replaceAll(",", ""));
  if (!Number.isFinite(value)) return undefined;
  const gib = `${name}_gib`;
  const mib = `${name}_mib`;
  if ((unit === "m" || unit === "k" || unit === "") && FACTS[mib]) {
    return { name: mib, value: unit === "m" ? value : (value * (BYTES[unit] ?? 1)) / MIB };
  }
  if (!FACTS[gib]) return undefined;
  return { name: gib, value: unit === "g" ? value : round((value * (BYTES[unit] ?? 1)) / GIB) };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
