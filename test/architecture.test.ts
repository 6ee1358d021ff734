import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..", "src");

/** Who may take values from whom; each may always take from its own folder. Nothing takes from the files directly in src/. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  facts: [],
  diagnose: ["facts"],
  playbook: ["facts"],
  calc: ["facts"],
  locale: ["facts"],
  case: ["diagnose", "playbook", "calc", "facts", "locale"],
  // What comes in, as bytes, to what a case keeps of it.
  reading: ["case", "diagnose", "facts"],
  store: ["case", "facts"],
  slack: ["case", "reading", "locale", "facts"],
  // The command line writes the pages of the web as files.
  cli: ["case", "diagnose", "playbook", "calc", "facts", "locale", "reading", "store", "web"],
  web: ["case", "locale", "facts"],
  demo: ["cli", "locale", "facts"],
};

/** Whose types it may name besides: a type decides nothing. */
const MAY_NAME: Record<string, readonly string[]> = {
  store: ["diagnose", "playbook"],
  slack: ["diagnose", "playbook"],
  web: ["diagnose", "playbook"],
};

/** Folders in which nothing depends on anything but what was handed in. */
const PURE = ["facts", "diagnose", "playbook", "calc"];
const NOT_IN_PURE =
  /from "node:|import\("node:|\bprocess\.|\bconsole\.|\bDate\.now|new Date\(\)|\bMath\.random|\bfetch\(|\bawait |\bperformance\./;

interface Import {
  file: string;
  from: string;
  type: boolean;
  dynamic: boolean;
}

interface SourceFile {
  name: string;
  folder: string;
  text: string;
  imports: Import[];
}

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => readSourceFile(join(entry.parentPath, entry.name)));

function readSourceFile(path: string): SourceFile {
  const name = relative(SRC, path);
  const text = withoutComments(readFileSync(path, "utf8"));
  const folder = name.includes("/") ? (name.split("/")[0] ?? "") : "";
  const imports = [
    ...Array.from(text.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*{}\s,]+\sfrom\s+)?"([^"]+)";/gm), (found) => ({
      file: name,
      from: found[2] ?? "",
      type: found[1] !== undefined,
      dynamic: false,
    })),
    ...Array.from(text.matchAll(/\bimport\("([^"]+)"\)/g), ([, from = ""]) => ({
      file: name,
      from,
      type: false,
      dynamic: true,
    })),
  ];
  return { name, folder, text, imports };
}

/** Whole-line comments only: what stands behind code is short and names nothing. */
function withoutComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

const imports = files.flatMap((file) => file.imports);

/** The file in src/ that a relative import names. */
function targetOf({ file, from }: Import): string {
  return relative(SRC, join(SRC, dirname(file), from));
}

const all = (found: Import[]): string[] => found.map(({ file, from }) => `${file} imports ${from}`);

describe("the folders of src/", () => {
  it("import along the arrows only", () => {
    const wrong = imports.filter((one) => {
      if (!one.from.startsWith(".")) return false;
      const own = one.file.split("/")[0] ?? "";
      if (!one.file.includes("/")) return false;
      const target = targetOf(one);
      if (!target.includes("/")) return !(own === "cli" && target === "catalog.ts");
      const folder = target.split("/")[0] ?? "";
      const allowed = [own, ...(MAY_IMPORT[own] ?? []), ...(one.type ? (MAY_NAME[own] ?? []) : [])];
      return !allowed.includes(folder);
    });
    expect(all(wrong)).toEqual([]);
  });

  it("hold a fake workspace that knows nothing of ours: it is a second opinion on what we send", () => {
    const fake = imports.filter(({ file, from }) => file.startsWith("demo/fake/") && from.startsWith("."));
    expect(all(fake.filter((one) => !targetOf(one).startsWith("demo/fake/")))).toEqual([]);
  });

  it("are all known here", () => {
    const folders = new Set(files.map((file) => file.folder).filter(Boolean));
    expect([...folders].filter((folder) => !Object.hasOwn(MAY_IMPORT, folder))).toEqual([]);
  });

  it("write the ending of what they import", () => {
    expect(all(imports.filter(({ from }) => from.startsWith(".") && !from.endsWith(".ts")))).toEqual([]);
  });

  it("pass nothing on under another name", () => {
    expect(files.filter(({ name }) => name.endsWith("/index.ts")).map(({ name }) => name)).toEqual([]);
  });
});

describe("the pure folders", () => {
  it.each(PURE)("%s knows no clock, chance, disk, network, environment or console", (folder) => {
    const found = files
      .filter((file) => file.folder === folder)
      .flatMap(({ name, text }) => text.split("\n").map((line) => ({ name, line: withoutTexts(line) })))
      .filter(({ line }) => NOT_IN_PURE.test(line));
    expect(found).toEqual([]);
  });

  it("ask for few packages", () => {
    const packages = imports.filter(
      ({ file, from }) => PURE.includes(file.split("/")[0] ?? "") && !from.startsWith("."),
    );
    const names = new Set(packages.map(({ from }) => from));
    expect(
      [...names].filter((name) => !/^(?:zod|yaml|jsonc-parser|xstate|xstate\/graph|natural\/.*)$/.test(name)),
    ).toEqual([]);
  });
});

/** A sentence may say "process."; an import says where it comes from. */
function withoutTexts(line: string): string {
  return /^\s*(?:import|export|\} from)\b/.test(line)
    ? line
    : line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
}

describe("what loads slowly", () => {
  it("is not zod while a log is read: only the schema takes it, and only the checks take the schema", () => {
    const early = imports.filter(
      ({ file, from, type }) => from === "zod" && !type && PURE.includes(file.split("/")[0] ?? ""),
    );
    expect(early.map(({ file }) => file)).toEqual(["playbook/schema.ts"]);
    const authoring = ["playbook/check.ts", "case/check-logs.ts"];
    const takers = imports.filter(
      (one) => !one.type && one.from.startsWith(".") && targetOf(one) === "playbook/schema.ts",
    );
    expect(takers.filter(({ file }) => !authoring.includes(file)).map(({ file }) => file)).toEqual([]);
    // These are loaded where a command asks for them, never on the way to a verdict.
    const hasty = imports.filter(
      (one) => !one.type && !one.dynamic && one.from.startsWith(".") && authoring.includes(targetOf(one)),
    );
    expect(all(hasty)).toEqual([]);
  });

  it("is not all of natural: deep paths only, in one file", () => {
    const natural = imports.filter(({ from, type }) => !type && /^natural(?:\/|$)/.test(from));
    expect(natural.filter(({ from, file }) => from === "natural" || file !== "diagnose/words.ts")).toEqual([]);
  });

  it("is one database driver in one file", () => {
    const drivers = imports.filter(({ from, type }) => !type && /^(?:libsql|pg)$/.test(from));
    expect(drivers.filter(({ file }) => file !== "store/database.ts")).toEqual([]);
  });
});

describe("the process", () => {
  it("is never ended from within", () => {
    expect(files.filter(({ text }) => /process\.exit\(/.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it("shows its environment to config.ts only", () => {
    const readers = files.filter(({ text }) => /process\.env\b/.test(text)).map(({ name }) => name);
    expect(readers.filter((name) => name !== "config.ts")).toEqual([]);
  });
});
