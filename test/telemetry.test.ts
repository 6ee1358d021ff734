import { describe, expect, it } from "vitest";
import { createTelemetry, type Happened } from "../src/telemetry.ts";

function recorded(level: string, ...happened: Happened[]): Record<string, unknown>[] {
  const lines: string[] = [];
  const { record } = createTelemetry(level, { write: (line: string) => void lines.push(line) });
  for (const one of happened) record(one);
  return lines.map((line) => JSON.parse(line));
}

describe("what happened is recorded", () => {
  it("as one JSON object a line, with a constant message and the details as fields", () => {
    const [line] = recorded("info", { kind: "case-opened", case: "c1", label: "oom", status: "confirmed", ms: 12 });

    expect(line).toMatchObject({ msg: "case-opened", case: "c1", label: "oom", ms: 12 });
  });

  it("with an error's own words and its cause, and none of the requests and answers it carries", () => {
    const cause = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    const error = Object.assign(new Error("posting failed", { cause }), { data: { text: "a paste" }, body: "a paste" });

    const [line] = recorded("info", { kind: "delivery-failed", id: "Ev1", reference: "ff-1", error });

    expect(line).toMatchObject({ error: { message: "posting failed", cause: { code: "ECONNRESET" } } });
    expect(JSON.stringify(line)).not.toContain("a paste");
  });

  it("only from the level asked for", () => {
    const silent: Happened = { kind: "stayed-silent", label: "none", status: "unknown", ms: 1 };

    expect(recorded("info", silent)).toEqual([]);
    expect(recorded("debug", silent)).toHaveLength(1);
  });
});
