import { describe, expect, it } from "vitest";
import { ncclRas } from "../../../src/diagnose/outputs/nccl-ras.ts";
import { toOutputText } from "../../../src/diagnose/outputs/output-text.ts";
import { readOutput, readOutputs } from "../../../src/diagnose/outputs/read-output.ts";

const DF = "Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 1.8T 212G 1.5T 13% /ckpt\n";

describe("a pasted output", () => {
  it.each([
    ["a prompt", `root@node-07:~# df -h /ckpt\n${DF}`],
    ["pdsh", DF.replace(/^(?=.)/gm, "node-07: ")],
    ["a header", `=== node-07 ===\n${DF}`],
    ["clush -b", `---------------\nnode-07\n---------------\n${DF}`],
    ["a pod's name", DF.replace(/^(?=.)/gm, "[pod/node-07/main] ")],
  ])("is read through %s, which names the host", (_, text) => {
    const { status, facts } = readOutput(text);

    expect(status).toBe("read");
    expect(facts.host?.value).toBe("node-07");
    expect(facts.disk_use_pct?.value).toBe(13);
  });

  it.each([
    ["a code fence and colours", `\`\`\`\n\x1b[1m${DF}\`\`\``],
    ["tabs for blanks", DF.replaceAll(" ", "\t")],
    ["Windows line ends", DF.replaceAll("\n", "\r\n")],
  ])("is read in spite of %s", (_, text) => {
    expect(readOutput(text).facts.disk_use_pct?.value).toBe(13);
  });

  it("keeps the host of each block where several hosts answer", () => {
    const { lines, host } = toOutputText("=== a1 ===\nx\n=== b2 ===\ny");

    expect(lines.map((line) => line.host)).toEqual(["a1", "a1", "b2", "b2"]);
    expect(host).toBeNull();
  });

  it("does not take the head of a dump for a host", () => {
    expect(toOutputText("-------- arguments --------\n  tp .... 1").host).toBeNull();
  });

  it("does not take a table's first column for hosts", () => {
    const { lines } = toOutputText("State: Active\nRate: 400\nBase lid: 3\n0: 812\n1: 9\n2: 31");

    expect(lines.map((line) => line.host)).toEqual([null, null, null, null, null, null]);
    expect(lines.at(-1)?.text).toBe("2: 31");
  });

  it("knows the hosts that answer with one line each", () => {
    const { lines } = toOutputText("pdsh@mgmt: n4: ssh exited with exit code 255\nn1: up\nn2: up\nn3: up");

    expect(lines.map(({ host }) => host)).toEqual([null, "n1", "n2", "n3"]);
  });

  it("takes no name of a reading for a host", () => {
    expect(toOutputText("=== before ===\nx\n=== after ===\ny").lines.map(({ host }) => host)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it.each([
    ["links", "GPU0: NV18\nGPU1: SYS\nGPU2: NV18\n"],
    ["counters read twice", "SymbolErrorCounter:....0\nPortRcvErrors:....1\n".repeat(2)],
    ["counters read twice whose dots are blanks", "rx_errors_phy: 5\ntx_errors_phy: 0\n".repeat(3)],
    ["kernel messages", "NVRM: loading module\n".repeat(4)],
  ])("does not take the names of %s for hosts", (_, text) => {
    expect(toOutputText(text).host).toBeNull();
  });

  it.each([
    ["bash: df: command not found", "not-found"],
    ["sh: 1: df: not found", "not-found"],
    ["zsh: command not found: df", "not-found"],
    ["df: /mnt/ckpt: No such file or directory", "not-found"],
    ["df: /mnt/ckpt: Permission denied", "permission"],
    ["$ sudo df -h\nsudo: a password is required", "permission"],
    ["$ kubectl exec trainer-0 -- df -h\nbash: df: command not found", "not-found"],
  ])("that the shell refused is refused: %s", (text, refusal) => {
    const { reader, status, facts } = readOutput(text);

    expect([reader, status, facts.refusal?.value]).toEqual(["disk-space", "refused", refusal]);
  });

  it("of more lines than a call takes arguments is read like any other", () => {
    const text = toOutputText(`{\n"communicators_count": 1,\n"communicators": [\n${"1,\n".repeat(125_000)}1]\n}`);

    expect(ncclRas.knows(text).length).toBeGreaterThan(125_000);
  });

  it("asked for as another tool's is refused in words, with the command to run", () => {
    const reading = readOutput("hello", "disk-space");

    expect(reading.facts.refusal?.value).toBe("wrong-tool");
    expect(reading.finding.en).toContain("df -h");
  });

  it("that nothing knows is left alone", () => {
    expect(readOutput("").status).toBe("unrecognised");
    expect(readOutputs("good morning", ["disk-space"])).toEqual([]);
  });
});

it("takes no time in brackets below token counts for more counts", () => {
  const counts = "tokens_per_expert: tensor([812, 790, 835, 801, 776, 829, 808, 795], device='cuda:0')";
  const { facts } = readOutput(`layer 11\n${counts}\n [2026-03-02 04:01:09] iteration 18010/ 500000 |\n`);

  expect(facts.experts?.value).toBe(8);
  expect(facts.balanced?.value).toBe(true);
});

it("takes the word in front of a step for no host", () => {
  const { host } = toOutputText([1, 2, 3, 4].map((step) => `step: ${step}  loss:  2.81  grad_norm:  0.2`).join("\n"));

  expect(host).toBeNull();
});
