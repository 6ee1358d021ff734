// `firstfault playbook` through the one door, over folders of its own.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Catalog, readCatalog } from "../../src/catalog.ts";
import { run } from "../../src/cli/run.ts";
import { EXAMPLE, type Files } from "../playbook/example.ts";
import { fakeIo } from "./io.ts";

/** A folder of playbooks: the example, handing over to a neighbour, and whatever else is given. */
function folderWith(more: Record<string, Files> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "firstfault-playbooks-"));
  const neighbour = renamed("cable");
  for (const [id, files] of Object.entries({ "link-lost": HANDS_OVER, neighbour, ...more })) {
    for (const [name, text] of Object.entries(files)) {
      const file = join(dir, id, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  return dir;
}

/** The example with another word in its signature and log, so that it wins its own log only. */
function renamed(word: string): Files {
  const say = (name: string): string => (EXAMPLE[name] ?? "").replaceAll(/link (mlx5_3|\(\?<hca)/g, `${word} $1`);
  return {
    ...EXAMPLE,
    "playbook.yaml": say("playbook.yaml").replace("oom#where", "link-lost"),
    "logs/hit-one.log": say("logs/hit-one.log"),
  };
}

const HANDS_OVER: Files = {
  ...EXAMPLE,
  "playbook.yaml": (EXAMPLE["playbook.yaml"] ?? "").replace("oom#where", "neighbour#which-rank"),
};

const UNREACHED: Files = {
  ...renamed("port"),
  "playbook.yaml": (renamed("port")["playbook.yaml"] ?? "").replace(
    "{ ends: fixed }",
    "{ ends: fixed }\n  lost: { hands: neighbour }",
  ),
};

async function playbook(args: string[], catalog: Catalog) {
  const io = fakeIo();
  const code = await run(["playbook", ...args], io, () => catalog);
  return { code, out: io.printed, err: io.complained };
}

const catalog = await readCatalog(folderWith());

describe("playbook list", () => {
  it("names what there is, as JSON as the contract says", async () => {
    const { code, out } = await playbook(["list", "--json"], catalog);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual([
      { id: "link-lost", version: 1, status: "draft", steps: 7, languages: ["en", "zh"] },
      { id: "neighbour", version: 1, status: "draft", steps: 7, languages: ["en", "zh"] },
    ]);
  });

  it("says the symptom in the language asked for", async () => {
    expect((await playbook(["list"], catalog)).out).toContain("link-lost    7 steps  draft   A rank lost its link.");
    expect((await playbook(["list", "--lang", "zh"], catalog)).out).toContain("某个 rank 的链路断了。");
  });

  it("names a playbook that was left out", async () => {
    const dir = folderWith({ "no-texts": { "playbook.yaml": EXAMPLE["playbook.yaml"] ?? "" } });
    const { code, err } = await playbook(["list"], await readCatalog(dir));
    expect(code).toBe(0);
    expect(err).toMatch(/^no-texts is left out: 2 mistakes/);
  });
});

describe("playbook show", () => {
  it("gives a whole playbook as JSON as the format says", async () => {
    const { out } = await playbook(["show", "link-lost", "--json"], catalog);
    const shown = JSON.parse(out);
    expect(Object.keys(shown)).toEqual([
      "id",
      "version",
      "hash",
      "status",
      "label",
      "start",
      "opens",
      "steps",
      "signatures",
    ]);
    expect(shown.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(shown.steps[1]).toMatchObject({
      id: "which-rank",
      phase: "locate",
      command: "ssh {{host}} ibstat {{hca}}",
      reads: ["ib-port"],
      script: null,
      risk: "none",
      hands: null,
      ends: null,
      choices: [
        { id: "one", to: "replace", when: { fact: "rank", known: true } },
        { id: "many", to: "hand-on", when: null },
      ],
      texts: { en: { say: "One rank points at its machine." }, zh: { expect: "状态为 Active。" } },
    });
    expect(shown.steps[2]).toMatchObject({ chains: ["5.1-F3"], corrections: ["1"], risk: "changes-cluster" });
  });

  it("gives one step", async () => {
    const { out } = await playbook(["show", "link-lost#replace"], catalog);
    expect(out).toMatchInlineSnapshot(`
      "link-lost#replace (fix · changes-cluster)
        Have the cable replaced.
        undo: Put the old cable back.
        stop: The machine does not answer.
        [replaced] Replaced -> holds
        [cannot] Not mine to replace -> handed-over
      "
    `);
    expect(JSON.parse((await playbook(["show", "link-lost#replace", "--json"], catalog)).out).id).toBe("replace");
  });

  it.each([
    [["show", "nothing"], 'there is no playbook "nothing"; there are: link-lost, neighbour'],
    [["show", "link-lost#nothing"], "it has: seen-before, which-rank"],
    [["show"], "it is called as: firstfault playbook show ID[#STEP]"],
    [["show", "a", "b"], "it is called as: firstfault playbook show ID[#STEP]"],
    [["check", "a", "b"], "check takes one folder"],
    [["check", "/no/such/folder"], "there is no folder /no/such/folder"],
    [["list", "oom"], '"list" takes no name'],
    [["graph", "link-lost", "--json"], '"graph" has no --json'],
    [["list", "--lang", "fr"], '--lang knows "en" and "zh", not "fr"'],
    [["new", "Bad_Name"], "use lower-case-with-dashes"],
    [["draw"], 'there is no "draw"'],
    [[], "say what to do: list, show"],
    [["list", "--colour"], "--colour"],
  ])("answers %j with exit code 2 and what to do", async (args, message) => {
    const { code, out, err } = await playbook(args, catalog);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });
});

describe("playbook check", () => {
  it("says that there is nothing to say", async () => {
    const { code, out } = await playbook(["check", folderWith()], catalog);
    expect(out).toBe("2 playbooks, no mistakes; walks pass 0 of 16 branches\n");
    expect(code).toBe(0);
  });

  it("names each mistake where it stands, and fails", async () => {
    const dir = folderWith({ unreached: UNREACHED });
    const { code, out } = await playbook(["check", dir], catalog);
    expect(code).toBe(1);
    expect(out).toContain(
      `${dir}/unreached/playbook.yaml:45:3: step "lost" is never reached; lead to it or delete it [unreached-step]\n`,
    );
    const json = JSON.parse((await playbook(["check", dir, "--json"], catalog)).out);
    expect(Object.keys(json)).toEqual(["problems", "branches"]);
    expect(Object.keys(json.problems[0])).toEqual(["file", "line", "col", "rule", "say"]);
    expect(json.branches).toEqual({ total: 24, tested: 0 });
  });

  it("checks one folder by itself, which may hand over to its neighbours", async () => {
    const { code, out } = await playbook(["check", join(folderWith(), "link-lost")], catalog);
    expect(out).toBe("1 playbook, no mistakes; walks pass 0 of 8 branches\n");
    expect(code).toBe(0);
  });

  it("says so where a folder holds no playbook", async () => {
    const { code, err } = await playbook(["check", mkdtempSync(join(tmpdir(), "firstfault-empty-"))], catalog);
    expect(code).toBe(2);
    expect(err).toContain("holds no playbook");
  });

  it("names a hit log that another playbook wins", async () => {
    const dir = folderWith({ unsure: { ...renamed("rail"), "logs/hit-one.log": EXAMPLE["logs/hit-one.log"] ?? "" } });
    const { code, out } = await playbook(["check", dir], catalog);
    expect(code).toBe(1);
    expect(out).toMatch(/unsure\/logs\/hit-one\.log:1:1: is diagnosed as other .*, not as unsure; .* \[hit-log\]/);
  });
});

describe("playbook new", () => {
  it("writes a folder that is whole as a draft, once", async () => {
    const before = process.cwd();
    process.chdir(mkdtempSync(join(tmpdir(), "firstfault-new-")));
    try {
      const made = await playbook(["new", "gpu-off-bus"], catalog);
      expect(made.code).toBe(0);
      expect(made.out).toContain("playbooks/gpu-off-bus/playbook.yaml\n");
      expect(readdirSync("playbooks/gpu-off-bus").sort()).toEqual([
        "chatter.txt",
        "en.yaml",
        "logs",
        "playbook.yaml",
        "words.txt",
        "zh.yaml",
      ]);
      expect((await playbook(["check", "playbooks/gpu-off-bus"], catalog)).out).toContain("1 playbook, no mistakes");
      const again = await playbook(["new", "gpu-off-bus"], catalog);
      expect({ code: again.code, err: again.err }).toMatchObject({
        code: 2,
        err: expect.stringContaining("is there already"),
      });
    } finally {
      process.chdir(before);
    }
  });
});

it("draws the compiled machine", async () => {
  const { code, out } = await playbook(["graph", "link-lost"], catalog);
  expect(code).toBe(0);
  expect(out).toMatch(/^stateDiagram-v2\n/);
  expect(out).toContain("  holds --> fixed: yes\n");
});
