// Text on a terminal: widths, breaks, and nothing a stranger's log could do to it.
import { describe, expect, it } from "vitest";
import { openingView } from "../../src/case/opening-view.ts";
import { safe } from "../../src/case/safe-text.ts";
import { render } from "../../src/cli/render.ts";
import { widthOf, wrap } from "../../src/cli/width.ts";
import { ask, end, playbook } from "../case/playbooks.ts";
import { verdict } from "../case/verdict.ts";

const OOM = playbook("oom", { steps: { where: ask("symptom", { gpu: "done" }), done: end("unknown") } });

function screen(quote: string, { columns = 80, color = false, language = "en" as "en" | "zh" } = {}): string {
  const quotes = [
    { at: { source: 0, line: 7 }, quote, rank: null, host: null, time: null, role: "root" as const, count: 1 },
  ];
  const playbooks = new Map([["oom", OOM]]);
  const of = { verdict: verdict({ quotes }), inputs: ["h"], rules: "r", playbooks, hash: () => "" };
  return render(openingView(of, language), { columns, color });
}

describe("width", () => {
  it("counts Chinese signs as two", () => {
    expect(widthOf("rank 显存")).toBe(9);
  });

  it("breaks between words, and between Chinese signs but not before a full stop", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrap("显存不足\u3002再试", 8)).toEqual(["显存不足\u3002", "再试"]);
  });

  it("leaves a word whole that is wider than the terminal", () => {
    expect(wrap("see /a/very/long/path now", 6)).toEqual(["see", "/a/very/long/path", "now"]);
  });

  it("takes every control sign and every turn of direction out", () => {
    expect(safe("a\u001b[31mb\u0007\u202ec\u009bd\r")).not.toMatch(/[\u001b\u0007\u202e\u009b\r]/);
  });
});

describe("a screen", () => {
  it("keeps within the terminal, whatever a log prints", () => {
    const text = screen(`${"显存 x".repeat(200)}\u001b[2J`, { columns: 60, language: "zh" });

    expect(Math.max(...text.split("\n").map(widthOf))).toBeLessThanOrEqual(60);
    expect(text).not.toContain("\u001b");
  });

  it("uses colour only where it is wanted", () => {
    expect(screen("x")).not.toContain("\u001b[");
    expect(screen("x", { color: true })).toContain("\u001b[1mRank 37");
  });

  it("says the answer first, and numbers the choices", () => {
    const text = screen("CUDA out of memory");

    expect(text).toMatch(/^Rank 37 \(node-014\) ran out of GPU memory\.\n/);
    expect(text).toMatch(/^ {2}1\) It is gpu$/m);
  });
});
