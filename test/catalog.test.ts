import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { hashOf, PLAYBOOKS, readCatalog } from "../src/catalog.ts";
import { EXAMPLE } from "./playbook/example.ts";

const SOUND = (EXAMPLE["playbook.yaml"] ?? "").replace("hand-on: { hands: oom#where }", "hand-on: { ends: unknown }");
const WORDS = {
  "en.yaml": `${EXAMPLE["en.yaml"]}  hand-on: { say: Elsewhere. }\n`,
  "zh.yaml": `${EXAMPLE["zh.yaml"]}  hand-on: { say: 别处。 }\n`,
};

/** A catalog of the example with some of its files changed. */
async function catalogWith(changes: Record<string, string> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "firstfault-catalog-"));
  for (const [name, text] of Object.entries({ ...EXAMPLE, "playbook.yaml": SOUND, ...WORDS, ...changes })) {
    const file = join(dir, "link-lost", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readCatalog(dir);
}

const plain = await catalogWith();
const hash = plain.playbooks.get("link-lost")?.hash;

it("gives the signatures their playbook, label and literal, and the sentences their label", async () => {
  const { rules } = await catalogWith({
    "playbook.yaml": `${SOUND}chatter: chatter.txt\n`,
    "chatter.txt": "what is a link\n",
  });
  expect(rules.signatures).toMatchObject([
    { id: "link-lost", playbook: "link-lost", label: "other", literal: " lost on rank " },
  ]);
  expect(rules.words).toEqual([
    { label: "other", text: "our link died" },
    { label: "other", text: "链路断了" },
    { label: "none", text: "what is a link" },
  ]);
});

it("lets a label of its own speak before the label other, whatever the folders are called", async () => {
  const { signatures } = (await readCatalog(PLAYBOOKS)).rules;
  const labels = signatures.map(({ label }) => label);
  expect(labels.lastIndexOf("oom")).toBeLessThan(labels.indexOf("other"));
  expect(labels.slice(labels.indexOf("other"))).toEqual(Array(labels.length - labels.indexOf("other")).fill("other"));
});

it("leaves a broken playbook out, and says why", async () => {
  const { playbooks, rules, broken } = await catalogWith({
    "playbook.yaml": SOUND.replace("{ to: holds }", "{ to: gone }"),
  });
  expect([...playbooks.keys()]).toEqual([]);
  expect(rules.signatures).toEqual([]);
  expect(broken).toMatchObject([{ id: "link-lost", problems: [{ rule: "missing-step" }] }]);
});

it("takes another hash for another text, and the same for the same said in other lines", async () => {
  const retold = await catalogWith({ "en.yaml": WORDS["en.yaml"].replace("Fixed.", "Mended.") });
  expect(retold.playbooks.get("link-lost")?.hash).not.toBe(hash);
  const moved = await catalogWith({
    "playbook.yaml": SOUND.replace("version: 1\nstatus: draft\n", "# moved\nstatus: draft\nversion: 1\n"),
  });
  expect(moved.playbooks.get("link-lost")?.hash).toBe(hash);
});

it("takes another hash where choices change places, since the first that holds settles a step", async () => {
  const turned = await catalogWith({
    "playbook.yaml": SOUND.replace(
      "      comes-back: { to: which-rank }\n      first-time: { to: which-rank }",
      "      first-time: { to: which-rank }\n      comes-back: { to: which-rank }",
    ),
  });
  expect(turned.playbooks.get("link-lost")?.hash).not.toBe(hash);
});

it("keeps the version of the rules where only texts change, and takes another where a step or a sentence does", async () => {
  const retold = await catalogWith({ "en.yaml": WORDS["en.yaml"].replace("Fixed.", "Mended.") });
  expect(retold.rules.version).toBe(plain.rules.version);
  const reworded = await catalogWith({ "words.txt": "our link died\n" });
  expect(reworded.rules.version).not.toBe(plain.rules.version);
  const redirected = await catalogWith({
    "playbook.yaml": SOUND.replace("risk: changes-cluster", "risk: changes-run"),
  });
  expect(redirected.rules.version).not.toBe(plain.rules.version);
});

it("hashes the same value the same, whatever the order of its keys", () => {
  expect(hashOf({ a: 1, b: [1, { c: undefined, d: "x" }] })).toBe(hashOf({ b: [1, { d: "x" }], a: 1 }));
  expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: "1" }));
});
