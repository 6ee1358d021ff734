// `walk` through the one door, over a catalog of one small playbook and one real signature.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Catalog } from "../../src/catalog.ts";
import { run } from "../../src/cli/run.ts";
import type { Rule } from "../../src/facts/signature.ts";
import { openDatabase } from "../../src/store/database.ts";
import { ask, end, is, known, playbook } from "../case/playbooks.ts";
import { type FakeIo, fakeIo } from "./io.ts";

const OOM = playbook("oom", {
  opens: { "gpu-alloc": "where" },
  steps: {
    seen: ask("symptom", { here: "where" }),
    where: ask("locate", { gpu: ["foreign", is("memory_kind", "gpu")], host: ["foreign", is("memory_kind", "host")] }),
    foreign: ask("locate", { yes: ["free-card", known("pid")], no: "to-other" }),
    "free-card": { ...ask("fix", { freed: "holds" }), risk: "changes-cluster", command: "kill {{pid}}" },
    holds: ask("verify", { held: "fixed" }),
    "to-other": { hands: "other" },
    fixed: end("fixed"),
  },
});
const OTHER = playbook("other", { steps: { unknown: ask("symptom", { asked: "given" }), given: end("handed-over") } });

const rule = (id: string, pattern: string, literal: string, more: Partial<Rule> = {}): Rule => ({
  id,
  pattern,
  literal,
  weight: "strong",
  role: "cause",
  seen: "",
  source: "",
  playbook: "oom",
  label: "oom",
  ...more,
});

const CATALOG: Catalog = {
  playbooks: new Map([OOM, OTHER].map((one) => [one.id, one])),
  rules: {
    version: "test",
    words: [],
    signatures: [
      rule(
        "cuda-oom",
        "CUDA out of memory\\. Tried to allocate (?<tried_alloc_size>[\\d.]+ \\w+)",
        "CUDA out of memory",
        {
          subcause: "gpu-alloc",
          implies: { memory_kind: "gpu" },
        },
      ),
      rule("host-oom", "Killed process (?<pid>\\d+)", "Killed process", { implies: { memory_kind: "host" } }),
      rule("pid", "^GPU \\d+ is held by pid (?<pid>\\d+)", "is held by pid"),
    ],
  },
  broken: [],
};

const LOG = "step 1 loss 2.0\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.\n";

function file(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "firstfault-")), name);
  writeFileSync(path, text);
  return path;
}

const log = (): string => file("train.log", LOG);
const script = (...lines: unknown[]): string =>
  file("entries.jsonl", lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));

async function walk(args: string[], io: FakeIo = fakeIo()) {
  const code = await run(["walk", ...args], io, () => CATALOG);
  return { code, out: io.printed, err: io.complained };
}

async function scripted(args: string[], ...lines: unknown[]) {
  const done = await walk(["--script", script(...lines), "--json", ...args]);
  return { ...done, json: done.out === "" ? undefined : JSON.parse(done.out) };
}

describe("walk --script", () => {
  it("says where the log alone leads, and how each step was settled", async () => {
    const { code, json } = await scripted([log()]);

    expect(code).toBe(0);
    expect(json).toMatchObject({
      schema: "firstfault/walk/v1",
      playbook: "oom",
      step: "oom#foreign",
      outcome: null,
      readings: [],
      problems: [],
    });
    expect(json.states).toEqual([
      {
        step: "oom#where",
        because: "answered by evidence lines 2",
        answer: "gpu",
        lines: [{ entry: 0, line: 2 }],
        choices: ["gpu", "host"],
      },
      { step: "oom#foreign", because: "open", choices: ["yes", "no"] },
    ]);
    expect(json.facts.tried_alloc_gib).toEqual({ value: 3.5, lines: [2], entry: 0 });
  });

  it("begins at the start without a log", async () => {
    const { json } = await scripted(["--playbook", "oom"]);

    expect(json.states).toEqual([{ step: "oom#seen", because: "start", choices: ["here"] }]);
  });

  it("counts entries by the lines that are not blank, and says which paste settled a step", async () => {
    const { json } = await scripted(["--playbook", "oom"], { answer: "here" }, "", { paste: LOG }, { paste: "hello" });

    expect(json.states[0]).toEqual({ step: "oom#seen", because: "answered", answer: "here", choices: ["here"] });
    expect(json.states[1]).toMatchObject({
      because: "answered by evidence lines 2 (entry 2)",
      lines: [{ entry: 2, line: 2 }],
    });
    expect(json.facts.memory_kind.entry).toBe(2);
    expect(json.readings.map(({ entry, status }: { entry: number; status: string }) => [entry, status])).toEqual([
      [2, "read"],
      [3, "unrecognised"],
    ]);
  });

  it("hands over with the facts, and ends", async () => {
    const { json } = await scripted([log()], { answer: "no" }, { answer: "asked" });

    expect(json).toMatchObject({ playbook: "other", step: "other#given", outcome: "handed-over" });
    expect(json.states.map((state: { because: string }) => state.because)).toEqual([
      "answered by evidence lines 2",
      "answered",
      "answered",
      "answered",
      "end",
    ]);
    expect(json.states.at(-1).choices).toEqual([]);
    expect(json.facts.memory_kind.value).toBe("gpu");
  });

  it("names a contradiction, and reopens on demand", async () => {
    const killed = { paste: "[rank3]: Out of memory: Killed process 77 (python)" };

    const before = await scripted([log()], killed);
    const after = await scripted([log()], killed, { answer: "reopen:oom#where" });

    expect(before.json.states.at(-1).choices).toContain("reopen:oom#where");
    expect(JSON.stringify(before.json.problems)).toContain("oom#where");
    expect(after.json.states[0]).toMatchObject({ step: "oom#where", answer: "host" });
    expect(after.json.problems).toEqual([]);
  });

  it("undoes with `back`", async () => {
    const { json } = await scripted([log()], { back: true }, { back: true });

    expect(json.states).toEqual([{ step: "oom#where", because: "start", choices: ["gpu", "host"] }]);
    expect(json.facts.memory_kind.value).toBe("gpu");
  });

  it("names the file of a line where there are several", async () => {
    const folder = mkdtempSync(join(tmpdir(), "firstfault-"));
    writeFileSync(join(folder, "rank0.log"), "step 1 loss 2.0\n");
    writeFileSync(join(folder, "rank3.log"), LOG);

    const { json } = await scripted([folder]);

    expect(json.states[0]).toMatchObject({
      because: "answered by evidence lines rank3.log:2",
      lines: [{ entry: 0, file: "rank3.log", line: 2 }],
    });
  });

  it("stops at an answer that is no choice, with nothing on stdout", async () => {
    expect(await scripted([log()], { answer: "fine" })).toMatchObject({
      code: 2,
      out: "",
      err: 'answer "fine" is not a choice of oom#foreign; choices: yes, no\n',
    });
  });

  it.each(["{", "[]", "{}", '{"answer":3}', '{"back":false}', '{"paste":"a","answer":"b"}', "null"])(
    "refuses the line %s with its number",
    async (line) => {
      const { code, out, err } = await scripted([log()], { back: true }, "", line);

      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("line 3 ");
    },
  );

  it("asks for a playbook where the log shows no failure", async () => {
    const { code, err } = await scripted([file("fine.log", "step 1 loss 2.0\nstep 2 loss 1.9\n")]);

    expect(code).toBe(2);
    expect(err).toContain("--playbook: oom, other");
  });

  it("walks the playbook it is told to, whatever the log says", async () => {
    expect((await scripted([log(), "--playbook", "other"])).json.step).toBe("other#unknown");
  });

  it.each([
    [["--script", "/nowhere.jsonl", "--json"], "--playbook"],
    [["--playbook", "nope"], 'no playbook "nope"'],
    [["--json"], "--script"],
    [["a", "b"], "one file or one folder"],
    [["--try", "a"], "nothing else"],
    [["--no-such"], "--no-such"],
  ])("says what is wrong with %j", async (args, says) => {
    const { code, err } = await walk(args);

    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});

describe("walk by a person", () => {
  it("shows the answer and takes numbers, ids and pastes", async () => {
    const { code, out } = await walk(
      [log()],
      fakeIo({ stdin: "paste\nGPU 5 is held by pid 88214\n.\n1\nyes\nheld\n" }),
    );

    expect(code).toBe(0);
    expect(out).toContain("Rank 3 ran out of GPU memory");
    expect(out).toContain("your paste, line 1");
    expect(out).toContain("kill 88214");
    expect(out).toContain("This step changes the cluster.");
    expect(out).toContain("What was done: free-card? It is freed");
  });

  it("does not record a risky answer that is not meant", async () => {
    const { out } = await walk([log()], fakeIo({ stdin: "paste\nGPU 5 is held by pid 88214\n.\nfreed\nno\n" }));

    expect(out).not.toContain("holds?");
  });

  it("says what the answers are where something else is typed", async () => {
    const { out } = await walk([log()], fakeIo({ stdin: "perhaps\u001b[2J\n9\nlines\n" }));

    expect(out).toContain("Type a number from 1 to 2, or");
    expect(out).toContain("line 2: ");
    expect(out).not.toContain("\u001b");
  });

  it("goes on with the open case of the same log, and begins anew after its end", async () => {
    const path = log();
    const { data } = fakeIo();
    await walk([path], fakeIo({ data, stdin: "no\nquit\n" }));

    const second = await walk([path], fakeIo({ data, stdin: "asked\n" }));
    const third = await walk([path], fakeIo({ data }));

    expect(second.out).toContain("Going on with the case of this log");
    expect(second.out).toContain("With another team now");
    expect(third.out).not.toContain("Going on");
    expect(third.out).toContain("foreign?");
  });

  it("helps even where nothing can be kept", async () => {
    const { code, out, err } = await walk([log()], fakeIo({ data: "/proc/firstfault", stdin: "no\n" }));

    expect(code).toBe(0);
    expect(err).toContain("cannot be kept");
    expect(out).toContain("this walk is not kept");
  });

  it("helps even where the file takes nothing more, as on a full disk", async () => {
    const data = mkdtempSync(join(tmpdir(), "firstfault-"));
    const database = await openDatabase({ file: join(data, "walks.db") });
    await sql`drop table entries`.execute(database.kysely);
    await database.close();

    const { code, out, err } = await walk([log()], fakeIo({ data, stdin: "no\n" }));

    expect(code).toBe(0);
    expect(err).toContain("cannot be kept");
    expect(out).toContain("this walk is not kept");
  });

  it("takes a log pasted into it", async () => {
    const { out } = await walk([], fakeIo({ stdin: `${LOG}.\nback\n` }));

    expect(out).toContain("ran out of GPU memory");
    expect(out).toContain("where?");
  });

  it("speaks Chinese", async () => {
    expect((await walk([log(), "--lang", "zh"])).out).toContain("3 号 rank 显存不足");
  });
});

describe("walk --try", () => {
  it("shows the first screen and ends where there is no terminal", async () => {
    const { code, out, err } = await walk(["--try"], fakeIo({ stdin: "1\n" }));

    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Rank 37 \(node-014\) ran out of GPU memory/);
    expect(out).toContain("There is no terminal");
  });
});
