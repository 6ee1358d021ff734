// Walks in which what people paste back answers, and in which they first paste the wrong thing: from the command line and
// through Slack, in both languages, to the same end.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadCatalog } from "../src/catalog.ts";
import { run } from "../src/cli/run.ts";
import { buttons, textOf } from "../src/demo/fake/slack.ts";
import { fakeIo } from "./cli/io.ts";
import { openWorkplace } from "./slack/workplace.ts";

const PLAYBOOKS = join(import.meta.dirname, "..", "playbooks");
const catalog = await loadCatalog();

type Entry = { paste: string } | { answer: string };

interface WalkOfPastes {
  name: string;
  playbook: string;
  log: string;
  entries: Entry[];
  end: string;
  outcome: string | null;
}

const walks: WalkOfPastes[] = readdirSync(PLAYBOOKS).flatMap((playbook) => {
  const folder = join(PLAYBOOKS, playbook, "walks");
  return readdirSync(folder)
    .filter((file) => /^(?:pasted|refused)-/.test(file))
    .map((file) => {
      const { log, entries, expect: expected } = parse(readFileSync(join(folder, file), "utf8"));
      const last: string = expected.steps.at(-1);
      const end = last.includes("#") ? last : `${playbook}#${last}`;
      return {
        name: `${playbook}/${file}`,
        playbook,
        log: join(folder, log),
        entries,
        end,
        outcome: expected.outcome,
      };
    });
});

interface State {
  step: string;
  because: string;
  lines?: { entry: number }[];
}

async function script(walk: WalkOfPastes) {
  const file = join(mkdtempSync(join(tmpdir(), "firstfault-")), "entries.jsonl");
  writeFileSync(file, walk.entries.map((entry) => JSON.stringify(entry)).join("\n"));
  const io = fakeIo();
  const code = await run(["walk", "--script", file, "--json", walk.log], io, () => catalog);
  const { states, readings } = JSON.parse(io.printed) as {
    states: State[];
    readings: { entry: number; reader: string | null; status: string }[];
  };
  return { code, states, readings };
}

it("has one of each kind for every playbook but `other`", () => {
  const ids = [...catalog.playbooks.keys()].filter((id) => id !== "other").sort();
  const having = (kind: string): string[] =>
    [...new Set(walks.filter(({ name }) => name.includes(`/${kind}-`)).map(({ playbook }) => playbook))].sort();
  expect(having("pasted")).toEqual(ids);
  expect(having("refused")).toEqual(ids);
});

describe.each(walks.filter(({ name }) => name.includes("/pasted-")))("$name", (walk) => {
  it("has three steps at least that a paste answered", async () => {
    const { code, states } = await script(walk);
    const pasted = states.filter(({ lines }) => lines?.some(({ entry }) => entry > 0));
    expect(code).toBe(0);
    expect(states.at(-1)?.step).toBe(walk.end);
    expect(pasted.length).toBeGreaterThanOrEqual(3);
  });
});

/** What is wrong is followed by another try. */
function firstWrong({ name, entries }: WalkOfPastes): number {
  if (!name.includes("/refused-")) return -1;
  return entries.findIndex((entry, index) => "paste" in entry && "paste" in (entries[index + 1] ?? {}));
}

describe.each(walks.filter(({ name }) => name.includes("/refused-")))("$name", (walk) => {
  it("says what was pasted, stays where it is, and goes on with the right output", async () => {
    const { code, states, readings } = await script(walk);
    const wrong = firstWrong(walk);
    const before = await script({ ...walk, entries: walk.entries.slice(0, wrong) });
    const after = await script({ ...walk, entries: walk.entries.slice(0, wrong + 1) });
    expect(code).toBe(0);
    expect(after.states.at(-1)?.step).toBe(before.states.at(-1)?.step);
    expect(readings.some(({ entry }) => entry === wrong + 1)).toBe(true);
    expect(states.at(-1)?.step).toBe(walk.end);
  });
});

const OTHER_OUTPUT = {
  en: /That is the output of another command|Your paste changed nothing/,
  zh: /这是另一条命令的输出|没有改变什么/,
};
const WORDS = { en: "please have a look:", zh: "帮忙看一下：" };

describe.each(["en", "zh"] as const)("through Slack (%s)", (language) => {
  it.each(walks)("$name comes to the same end", async (walk) => {
    const at = await openWorkplace({ editPauseMs: 0 });
    const message = () => at.slack.posted()[0];
    const now = (): Record<string, unknown> => message()?.metadata?.event_payload ?? {};

    const log = readFileSync(walk.log, "utf8");
    const thread = await at.slack.say(`@firstfault ${WORDS[language]}\n\`\`\`${log}\`\`\``, { whole: true });
    await at.settled();
    for (const [index, entry] of walk.entries.entries()) {
      if ("paste" in entry) {
        await at.slack.say(`\`\`\`${entry.paste}\`\`\``, { thread, whole: true });
      } else {
        const wanted = buttons(message()).find(({ action_id }) => action_id === `answer:${entry.answer}`);
        expect(wanted, `${entry.answer} at ${now().step}`).toBeDefined();
        await at.slack.click(message(), wanted ?? {});
      }
      await at.settled();
      if (index === firstWrong(walk)) expect(textOf(message())).toMatch(OTHER_OUTPUT[language]);
    }

    expect(now()).toMatchObject({ step: walk.end, outcome: walk.outcome ?? "" });
    expect(/[一-鿿]{4}/.test(textOf(message()))).toBe(language === "zh");
    expect(at.slack.posted().filter((one) => !one.files)).toHaveLength(1);
    expect(at.slack.refusals).toEqual([]);
    await at.close();
  });
});
