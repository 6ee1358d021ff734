// The thread that reads big pastes gives what reading them here gives; needs the built program.
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../src/catalog.ts";
import { createRead, read } from "../src/reading.ts";
import { CASCADE } from "./slack/logs.ts";

describe("a paste", () => {
  it("is redacted before it is read, and known by the hash of that", async () => {
    const { rules } = await loadCatalog();

    const given = await createRead(rules)(`${CASCADE}\nAWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE`, "100.1");

    expect(given.text).not.toContain("AKIAIOSFODNN7EXAMPLE");
    expect(given.message).toBe("100.1");
    expect(given.verdict.label).toBe("oom");
  });

  it("of a megabyte comes to the same verdict", async () => {
    const { rules } = await loadCatalog();
    const big = `${CASCADE}\n${"step 1 | loss 2.31\n".repeat(55_000)}`;

    const { verdict } = read(big, rules);

    expect([verdict.label, verdict.root?.at.line]).toEqual(["oom", 3]);
  });
});
