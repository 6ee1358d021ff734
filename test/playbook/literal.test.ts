import { describe, expect, it } from "vitest";
import { deriveLiteral, impliesLiteral } from "../../src/playbook/literal.ts";

describe("the literal of a pattern", () => {
  it.each([
    ["plain text", "Watchdog caught collective operation timeout", "Watchdog caught collective operation timeout"],
    ["the longest run between groups", "rank (?<rank>\\d+) ran out of memory", " ran out of memory"],
    ["escaped characters as they are", "WorkNCCL\\(SeqNum=(?<seq>\\d+)", "WorkNCCL(SeqNum="],
    ["across a group, since it touches what follows", "(?:CUDA )out of memory", "CUDA out of memory"],
    ["across a group of one way, in which a number stands", "Xid (?:\\(PCI:\\w+\\): )79", "Xid (PCI:"],
    ["without what is optional", "(?:torch\\.)?OutOfMemoryError", "OutOfMemoryError"],
    ["without what may be missing", "failed, x*NCCL error", "NCCL error"],
    ["up to a repeat, which happens at least once", "abort+ing", "abort"],
    ["around a class of two letters", "[Oo]ut of memory", "ut of memory"],
    ["what all ways share", "(?:send|recv) failed on channel", " failed on channel"],
    ["of a look-around nothing", "(?=nothing here)SIGTERM received", "SIGTERM received"],
    ["Chinese, which has three bytes a character", "显存不足", "显存不足"],
  ])("is %s", (_, pattern, literal) => {
    expect(deriveLiteral(pattern)).toBe(literal);
  });

  it("is one text for each way where the ways share none", () => {
    expect(deriveLiteral("No space left on device|Disk quota exceeded")).toEqual([
      "No space left on device",
      "Disk quota exceeded",
    ]);
    expect(deriveLiteral("(?:send|recv) to (?<peer>\\d+)")).toEqual(["send to ", "recv to "]);
  });

  it.each(["\\d+", "a|Disk quota exceeded", "(?:timeout)?", "[a-z]+", "abc", "x{0,3}", "(\\w+) \\1"])(
    "is not there for %s",
    (pattern) => {
      expect(deriveLiteral(pattern)).toBeUndefined();
    },
  );

  it.each(["(", "[", "a{", "\\", "(?<", "a**", "[\\", "x{1,99999999}", "(((((("])(
    "does not fall over %j",
    (pattern) => {
      expect(() => deriveLiteral(pattern)).not.toThrow();
    },
  );

  it("is in every match, whichever way the pattern matches", () => {
    for (const [pattern, texts] of MATCHES) {
      const literal = deriveLiteral(pattern);
      const literals = typeof literal === "string" ? [literal] : (literal ?? []);
      for (const text of texts) {
        expect(new RegExp(pattern).test(text), text).toBe(true);
        expect(
          literals.some((one) => text.includes(one)),
          `${text} holds none of ${literals}`,
        ).toBe(true);
      }
    }
  });
});

const MATCHES: [pattern: string, texts: string[]][] = [
  ["(?:ab|cd)?ef(?:gh)+ij{2,}k", ["abefghijjk", "efghghijjjk"]],
  ["rank(?:s)? [0-9]+(?:-[0-9]+)? (?:is|are) missing", ["rank 1 is missing", "ranks 1-3 are missing"]],
  [
    "(?:NCCL|RCCL|HCCL) (?:WARN|INFO) (?:timeout|abort(?:ed)?)",
    ["NCCL WARN timeout", "HCCL INFO aborted", "RCCL WARN abort"],
  ],
  ["(?:one two|three)(?: four)? (?:five|six) seven", ["one two four five seven", "three six seven"]],
];

describe("a literal given by hand", () => {
  it("is taken where every match holds it", () => {
    expect(impliesLiteral("rank \\d+ ran out of memory", "out of memory")).toBe(true);
    expect(impliesLiteral("[Oo]ut of memory", ["Out of", "out of"])).toBe(true);
    expect(impliesLiteral("(?:send|recv) failed", ["send", "recv"])).toBe(true);
    expect(impliesLiteral("Disk quota exceeded|No space left", ["quota", "space left"])).toBe(true);
    expect(impliesLiteral("Call to (?:ibv_reg\\w*|ibv_create_qp) failed", "Call to ibv_")).toBe(true);
    expect(
      impliesLiteral("[Ff]ailed to (?:load|save)(?: (?:the|from))* ?(?:checkpoint|ckpt)|加载 ?失败", [
        "ailed to load",
        "ailed to save",
        "失败",
      ]),
    ).toBe(true);
    expect(impliesLiteral("(?:a\\d+ )?(?:read|write \\d+) error", ["read error", " error"])).toBe(true);
  });

  it("is refused where a match could do without it", () => {
    expect(impliesLiteral("(?:CUDA )?out of memory", "CUDA out of memory")).toBe(false);
    expect(impliesLiteral("[Oo]ut of memory", "Out of")).toBe(false);
    expect(impliesLiteral("(?:send|recv) failed", ["send"])).toBe(false);
    expect(impliesLiteral("rank \\d+ failed", "rank 3 failed")).toBe(false);
    expect(impliesLiteral("Call to (?:ibv_\\w*|mlx5_\\w*) failed", "Call to ibv_")).toBe(false);
    expect(impliesLiteral("Disk quota exceeded|No space left", ["quota"])).toBe(false);
  });
});
