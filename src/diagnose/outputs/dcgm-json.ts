// dcgmi diag -j: the same tests as a tree; version 3 and version 4 name its root differently.
import type { Diag, Test } from "./dcgm-diag.ts";
import type { OutputText } from "./output-text.ts";

const ROOT = /"DCGM (?:GPU )?Diagnostic"/;

type Tree = Record<string, unknown>;

/** null where the text is not that JSON, or is cut and no longer JSON. */
export function readDiagJson({ lines }: OutputText): Diag | null {
  const first = lines.findIndex(({ text }) => /^\s*\{/.test(text));
  if (first < 0 || !lines.some(({ text }) => ROOT.test(text))) return null;
  const rows = lines.slice(first);
  const last = rows.findLastIndex(({ text }) => /\}\s*$/.test(text));
  const tree = parse(
    rows
      .slice(0, last + 1)
      .map(({ text }) => text)
      .join("\n"),
  );
  const root = tree && (objectAt(tree, "DCGM GPU Diagnostic") ?? objectAt(tree, "DCGM Diagnostic"));
  if (!tree || !root) return null;
  const lineOf = (part: string): number => rows.find(({ text }) => text.includes(part))?.line ?? rows[0]?.line ?? 1;
  const warnings: Diag["warnings"] = [];
  const tests = listAt(root, "test_categories").flatMap((category) =>
    listAt(category, "tests").map((test): Test => {
      const name = String(test.name ?? "");
      const results = listAt(test, "results");
      for (const result of results) {
        const said = [result.warnings, result.warning]
          .flat()
          .flatMap((one) => (typeof one === "string" ? one : isTree(one) ? String(one.warning ?? "") : []));
        for (const text of said.filter((one) => one !== ""))
          warnings.push({ text, line: lineOf(JSON.stringify(text).slice(1, 40)) });
      }
      const of = (result: Tree): string => String(result.status ?? "").toLowerCase();
      const failed = results.filter((result) => of(result) === "fail");
      const gpus = (some: Tree[]): number[] => some.flatMap((result) => idsOf(result));
      const own = isTree(test.test_summary) ? of(test.test_summary) : "";
      const result =
        failed.length > 0 || own === "fail"
          ? "fail"
          : results.length > 0 && results.every((one) => of(one) === "skip")
            ? "skip"
            : "pass";
      return { name, result, failed: gpus(failed), gpus: gpus(results), line: lineOf(JSON.stringify(name)) };
    }),
  );
  const metadata = objectAt(root, "metadata") ?? objectAt(tree, "metadata") ?? root;
  const named = (pattern: RegExp) => {
    const [key, value] =
      Object.entries(metadata).find(([name, one]) => pattern.test(name) && typeof one === "string") ?? [];
    return key === undefined ? null : { value: String(value), line: lineOf(JSON.stringify(key)) };
  };
  return {
    dcgm: named(/^(?:DCGM )?version$/i),
    driver: named(/^Driver Version/i),
    devices: null,
    tests,
    warnings,
    lines: rows.filter(({ text }) => text.trim() !== "").map(({ line }) => line),
    cut: false,
  };
}

/** Version 3 writes gpu_id or gpu_ids ("0,1"), version 4 an entity_id within a GPU group. */
function idsOf(result: Tree): number[] {
  const id = result.gpu_id ?? result.gpu_ids ?? result.entity_id;
  return String(id ?? "")
    .split(",")
    .flatMap((one) => (/^\s*\d{1,3}\s*$/.test(one) ? Number(one) : []));
}

function parse(text: string): Tree | null {
  try {
    const value: unknown = JSON.parse(text);
    return isTree(value) ? value : null;
  } catch {
    return null;
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectAt(tree: Tree, key: string): Tree | null {
  const value = tree[key];
  return isTree(value) ? value : null;
}

function listAt(tree: Tree, key: string): Tree[] {
  const value = tree[key];
  return Array.isArray(value) ? value.filter(isTree) : [];
}
