// What is written about the program agrees with it: paths exist, settings are all told, and nothing is left for later.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diagnose } from "../src/diagnose/diagnose.ts";
import { rules } from "./diagnose/rules.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** All files of the project that are no log, picture or lock. */
function ours(): string[] {
  // Without git (an unpacked archive) the folders say it.
  const tracked = existsSync(join(ROOT, ".git"))
    ? execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0")
    : ["src", "test", "docs", "playbooks", "bench"].flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
      );
  return tracked.filter(
    (name) => /\.(?:ts|md|ya?ml|json|sh|py)$|^\.env\.example$|^\.ci\/run$/.test(name) && name !== "package-lock.json",
  );
}

describe("a page", () => {
  it.each(PAGES)("names only files that exist: %s", (page) => {
    const text = read(page);
    const linked = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, to = ""]) =>
      /^(?:https?|mailto):/.test(to) ? [] : [join(dirname(page), to)],
    );
    const named = [...text.matchAll(/`((?:src|test|docs|playbooks|fixtures|bench)\/[\w./-]+)`/g)].map(
      ([, to = ""]) => to,
    );

    // A page on how to add a playbook names one that is still to be made.
    const missing = [...linked, ...named].filter((to) => !/gpu-off-bus|<id>/.test(to) && !existsSync(join(ROOT, to)));

    expect(missing).toEqual([]);
  });

  it.each(PAGES)("names only commands of npm that exist: %s", (page) => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => name);

    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it("drives every way into Slack that is written down by a test that exists", () => {
  const [, table = ""] = /## Ways in\n([\s\S]*?)\n## /.exec(read("docs/slack.md")) ?? [];
  const rows = [...table.matchAll(/^\| (.+) \| (.+) \| `(test\/[\w./-]+)`: (.+) \|$/gm)];
  const missing = rows.filter(
    ([, , , file = "", name = ""]) =>
      !read(file).includes(`  it("${name}", async`) && !read(file).includes(`\nit("${name}", async`),
  );

  expect(rows).toHaveLength(
    table
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("|")).length - 2,
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(missing.map(([row]) => row)).toEqual([]);
});

describe("the settings", () => {
  const names = (text: string, pattern: RegExp): string[] =>
    [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].sort();
  const example = names(read(".env.example"), /^#?([A-Z_]+)=/gm);

  it("are the same in .env.example and in docs/operating.md", () => {
    expect(names(read("docs/operating.md"), /^\| `([A-Z_]+)` \|/gm)).toEqual(example);
  });

  it("are the same in .env.example and in the program, but for what the system sets", () => {
    const system = ["LANG", "LC_ALL", "LC_MESSAGES", "LOGNAME", "NO_COLOR", "USER", "XDG_DATA_HOME"];
    const config = read("src/config.ts");
    const inCode = [...names(config, /get\("([A-Z_]+)"\)/g), ...names(config, /\benv\.([A-Z_]+)/g)];
    const inLists = names(config, /"((?:SLACK|FIRSTFAULT)_[A-Z_]+)"/g);

    expect([...new Set([...inCode, ...inLists])].filter((name) => !system.includes(name)).sort()).toEqual(example);
  });
});

describe("the tree", () => {
  // In pieces, so that this file does not hold what it looks for.
  const words = ["TO" + "DO", "FIX" + "ME", "XX" + "X:", "se" + "ed article"];

  it.each(words)("holds no %s", (word) => {
    expect(ours().filter((name) => existsSync(join(ROOT, name)) && read(name).includes(word))).toEqual([]);
  });
});

describe("an example of docs/verdict.md", () => {
  const examples = [...read("docs/verdict.md").matchAll(/^```log (\w+) ([\w-]+)\n([^`]+)^```$/gm)].map(
    ([, status = "", label = "", text = ""]) => ({ status, label, text }),
  );

  it("stands there for every status", () => {
    expect(examples.map(({ status }) => status)).toEqual(["confirmed", "supported", "unclear", "unknown"]);
  });

  it.each(examples)("is $status, $label", ({ status, label, text }) => {
    const files = text.split(/^==> (\S+) <==\n/m);
    const sources = files.slice(1).flatMap((name, at) => (at % 2 === 0 ? [{ name, text: files[at + 2] ?? "" }] : []));

    expect(diagnose(sources.length > 0 ? sources : text, rules)).toMatchObject({ status, label });
  });
});
