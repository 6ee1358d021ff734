// dcgmi diag -r N: which tests failed, and on which GPUs. Versions 3 and 4 print two layouts of one table, and JSON.
//   | GPU Memory                | Fail - GPU: 6                                  |
//   |                           | GPU6: Fail                                     |

import { readDiagJson } from "./dcgm-json.ts";
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, said, some, someZh } from "./said.ts";

const COMMAND = "dcgmi diag -r 3";
const HEAD = /^\|\s*Diagnostic\s*\|\s*Result\s*\|$/;
const ROW = /^\|(?<name>[^|]{1,60})\|(?<result>[^|]{1,200})\|$/;
const RULE = /^[|+]?[-=+]{5,}|^\|?-----\s+\w/;
const RESULT = /^(?<result>Pass|Fail|Skip|Warn)\b(?: - (?<all>All|GPUs?: (?<gpus>[\d, ]+)))?/i;
const GPU_RESULT = /^GPU(?<gpu>\d{1,3}): (?<result>Pass|Fail|Skip|Warn)/i;
const SERVICE = /unable to establish a connection to the specified host|Unable to connect to host engine/i;
const METADATA = /^(?:DCGM Version|Driver Version Detected|GPU Device IDs Detected|Number of GPUs Detected)$/;

/** A test of the diagnostic as the table or the JSON tells of it. */
export interface Test {
  name: string;
  result: "pass" | "fail" | "skip" | "warn";
  failed: number[];
  /** GPUs it names with any result. */
  gpus: number[];
  line: number;
}

export interface Diag {
  dcgm: { value: string; line: number } | null;
  driver: { value: string; line: number } | null;
  devices: number | null;
  tests: Test[];
  warnings: { text: string; line: number }[];
  lines: number[];
  cut: boolean;
}

export const dcgmDiag: OutputReader = {
  id: "dcgm-diag",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?dcgmi\b/.test(line),
  knows: (text) => {
    const service = text.lines.filter(({ text: row }) => SERVICE.test(row)).map(({ line }) => line);
    return service.length > 0 ? service : (diagOf(text)?.lines ?? []);
  },
  read,
};

function read(text: OutputText): ToolReading {
  const service = text.lines.find(({ text: row }) => SERVICE.test(row));
  if (service) {
    return {
      status: "refused",
      refusal: "no-service",
      finding: said(
        `dcgmi reaches no host engine here. On the node, with nv-hostengine running: ${COMMAND}`,
        `dcgmi 连不上 host engine。请在该节点启动 nv-hostengine 后运行：${COMMAND}`,
      ),
      line: service.line,
    };
  }
  const diag = diagOf(text);
  if (!diag) throw new Error("dcgm-diag reads only what it knows");
  const { dcgm, driver, tests, warnings, lines } = diag;
  const facts = createFacts();
  facts.addHost(text);
  facts.add("dcgm_version", dcgm?.value, dcgm ? [dcgm.line] : []);
  facts.add("driver_version", driver?.value, driver ? [driver.line] : []);
  const failed = tests.filter(({ result }) => result === "fail");
  const skipped = tests.filter(({ result }) => result === "skip");
  const gpus = [...new Set(failed.flatMap((test) => test.failed))].sort((a, b) => a - b);
  const at = failed.length > 0 ? failed.map(({ line }) => line) : lines;
  const ran = tests.length > skipped.length;
  const cut = diag.cut || !ran;
  if (!cut || failed.length > 0) facts.add("diag_ok", failed.length === 0, at);
  facts.add(
    "failed_tests",
    failed.map(({ name }) => name),
    at,
  );
  facts.add("failed_gpus", gpus, at);
  if (skipped.length > 0)
    facts.add(
      "skipped_tests",
      skipped.map(({ name }) => name),
      skipped.map(({ line }) => line),
    );
  facts.add("warnings", warnings.length, warnings.length > 0 ? warnings.map(({ line }) => line) : lines);
  if (gpus.length === 1) facts.add("gpu", gpus[0], at);
  const finding = sayDiag(diag, failed, gpus);
  if (!cut) return { status: "read", finding, facts: facts.facts };
  const say = ran
    ? "the table is cut; paste it to its last line"
    : "every test was skipped; run it where no job holds the GPUs, with `-r 3`";
  return { status: "partial", finding, facts: facts.facts, problems: [{ line: lines.at(-1) ?? 1, say }] };
}

function sayDiag({ tests, warnings, devices }: Diag, failed: readonly Test[], gpus: readonly number[]) {
  const seen = devices ?? new Set(tests.flatMap((test) => test.gpus)).size;
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name);
    const why = warnings.find(
      ({ text }) => gpus.length === 0 || gpus.some((gpu) => new RegExp(`\\b${gpu}\\b`).test(text)),
    )?.text;
    const on = gpus.length > 0 ? { en: ` on GPU ${some(gpus)}`, zh: `${someZh(gpus)} 号 GPU 的 ` } : { en: "", zh: "" };
    return said(
      `${some(names)} failed${on.en}${why ? `: ${why.replace(/\s+/g, " ").slice(0, 90)}` : "."}`,
      `${on.zh}${someZh(names)} 测试失败${why ? `：${why.replace(/\s+/g, " ").slice(0, 80)}` : "。"}`,
    );
  }
  const ran = tests.filter(({ result }) => result !== "skip");
  if (ran.length === 0)
    return said(`All ${count(tests.length, "test")} were skipped.`, `${tests.length} 项测试全部跳过。`);
  const on = seen > 0 ? { en: ` on ${count(seen, "GPU")}`, zh: `（${seen} 个 GPU）` } : { en: "", zh: "" };
  return said(
    `${count(ran.length, "test")} passed${on.en}, ${count(warnings.length, "warning")}; a pass does not prove that the hardware is sound.`,
    `${ran.length} 项测试通过${on.zh}，警告 ${warnings.length} 条；通过不等于硬件没有问题。`,
  );
}

function diagOf(text: OutputText): Diag | null {
  return readDiagJson(text) ?? tableOf(text);
}

function tableOf({ lines }: OutputText): Diag | null {
  if (!lines.some(({ text }) => HEAD.test(text.trim()) || /^\|\s*DCGM Version\s*\|/.test(text))) return null;
  const diag: Diag = { dcgm: null, driver: null, devices: null, tests: [], warnings: [], lines: [], cut: true };
  let into: "test" | "warning" | null = null;
  for (const { line, text } of lines) {
    const row = text.trim();
    if (!/^[|+]/.test(row)) continue;
    diag.lines.push(line);
    if (RULE.test(row)) {
      // The table's last rule closes it.
      diag.cut = !(row.startsWith("+-") && !/[A-Za-z]/.test(row));
      into = null;
      continue;
    }
    diag.cut = true;
    const { name = "", result = "" } = ROW.exec(row)?.groups ?? {};
    const [title, said] = [name.trim(), result.trim()];
    if (METADATA.test(title)) {
      if (title === "DCGM Version") diag.dcgm = { value: said, line };
      else if (title === "Driver Version Detected") diag.driver = { value: said, line };
      else if (title === "Number of GPUs Detected") diag.devices = Number(said);
      else diag.devices = said.split(",").filter((id) => id.trim() !== "").length;
    } else if (/^(?:Warning|Error|Info)\b/i.test(title)) {
      into = /^Info/i.test(title) ? null : "warning";
      if (into) diag.warnings.push({ text: said, line });
    } else if (title === "" && into === "warning" && !RESULT.test(said)) {
      const last = diag.warnings.at(-1);
      // Wrapped at 45 characters; a word may be cut in two.
      if (last) last.text += ` ${said}`;
    } else if (title === "" || into === null || RESULT.test(said)) {
      if (RESULT.test(said) && title !== "")
        diag.tests.push({ name: title, result: "pass", failed: [], gpus: [], line });
      const test = diag.tests.at(-1);
      if (test) addResult(test, said, line);
      into = "test";
    }
  }
  return diag.tests.length > 0 || diag.dcgm ? diag : null;
}

function addResult(test: Test, said: string, line: number): void {
  const one = GPU_RESULT.exec(said)?.groups;
  const all = RESULT.exec(said)?.groups;
  const result = (one?.result ?? all?.result)?.toLowerCase() as Test["result"] | undefined;
  if (!result) return;
  const gpus = one
    ? [Number(one.gpu)]
    : (all?.gpus ?? "").split(",").flatMap((gpu) => (gpu.trim() === "" ? [] : Number(gpu)));
  test.gpus.push(...gpus);
  if (result === "fail") {
    if (test.result !== "fail" || gpus.length > 0) test.line = line;
    test.result = "fail";
    test.failed.push(...gpus);
  } else if (result === "skip" && test.gpus.length === gpus.length && test.result === "pass") test.result = "skip";
  else if (result === "pass" && test.result === "skip") test.result = "pass";
}
