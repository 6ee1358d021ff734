import { describe, expect, it } from "vitest";
import { addressOf } from "../../src/case/address.ts";

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
