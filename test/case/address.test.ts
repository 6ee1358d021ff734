import { describe, expect, it } from "vitest";
import { addressOf, caseAddress, readAddress } from "../../src/case/address.ts";

describe("the address of a playbook or a step", () => {
  it.each([
    ["https://ff.example.org/", "oom", "https://ff.example.org/en/playbook/oom/"],
    ["https://ff.example.org", "oom#where", "https://ff.example.org/en/playbook/oom/#where"],
    [
      "https://tools.example.org/firstfault",
      "oom#where",
      "https://tools.example.org/firstfault/en/playbook/oom/#where",
    ],
    ["http://127.0.0.1:3000/", "other#unknown", "http://127.0.0.1:3000/en/playbook/other/#unknown"],
  ])("stands under the public address %s: %s", (base, at, address) => {
    expect(addressOf({ base, language: "en", at })).toBe(address);
  });

  it("speaks the language asked for", () => {
    expect(addressOf({ base: "https://ff.example.org", language: "zh", at: "oom" })).toContain("/zh/playbook/oom/");
  });
});

describe("an address of ours", () => {
  const base = "https://ff.example.org/pages";

  it.each([
    [
      addressOf({ base, language: "zh", at: "oom#where" }),
      { kind: "playbook", language: "zh", playbook: "oom", step: "where" },
    ],
    [addressOf({ base, language: "en", at: "oom" }), { kind: "playbook", language: "en", playbook: "oom", step: null }],
    [caseAddress({ base, id: "dbf94c8f-7d3a", seq: 12 }), { kind: "case", id: "dbf94c8f-7d3a", seq: 12 }],
  ])("is read back: %s", (address, leadsTo) => {
    expect(readAddress(address, base)).toEqual(leadsTo);
  });

  it.each([
    "https://elsewhere.example.org/pages/en/playbook/oom/",
    "http://ff.example.org/pages/en/playbook/oom/",
    "https://ff.example.org/en/playbook/oom/",
    "https://ff.example.org/pages/",
    "https://ff.example.org/pages/case/../case/x/1",
    "https://ff.example.org/pages/case/x/y",
    "https://ff.example.org/pages/fr/playbook/oom/",
    "nonsense",
  ])("is not %s", (address) => {
    const read = readAddress(address, base);

    expect(read === null || (read.kind === "case" && read.id === "x" && read.seq === 1)).toBe(true);
  });
});
