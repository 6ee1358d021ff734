import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { isProse } from "../../src/diagnose/quiet.ts";
import { rules } from "./rules.ts";

const ARGUMENTS = Array.from({ length: 40 }, (_, at) => `  moe_option_${at} ${".".repeat(20)} ${at}`);

describe("a dump of arguments", () => {
  it("is a configuration", () => {
    expect(diagnose(ARGUMENTS.join("\n"), rules).label).toBe("none");
  });

  it("is the head of a log where an exception follows", () => {
    const raised = ["[rank0]: Traceback (most recent call last):", "[rank0]: ValueError: micro batch size is 0"];

    expect(diagnose([...ARGUMENTS, ...raised].join("\n"), rules).label).toBe("other");
  });
});

describe("a line that a person wrote", () => {
  it.each([
    'nit: instead of matching on the string "Watchdog caught collective operation timeout" could we check the type?',
    "question: is the loss supposed to be nan for the first steps?",
  ])("is prose: %j", (line) => {
    expect(isProse(line)).toBe(true);
    expect(diagnose(line, rules).label).toBe("none");
  });

  it.each([
    "2m11s   Warning   Evicted   pod/worker-3   The node was low on resource: ephemeral-storage. It was using 4Gi.",
    "torchrun: error: the following arguments are required: training_script",
  ])("is not: %j", (line) => {
    expect(isProse(line)).toBe(false);
  });

  it("explains an exit code, and reports none", () => {
    const text = "Exit code 137 means that the container got SIGKILL, usually by the OOM killer. See the runbook.";

    expect(diagnose(text, rules).label).toBe("none");
  });
});
