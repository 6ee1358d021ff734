import { describe, expect, it } from "vitest";
import { FACTS } from "../../src/facts/catalogue.ts";
import type { FactValue } from "../../src/facts/fact.ts";
import { entersCommands, fillCommand, fillForm, fillText, placesOf } from "../../src/playbook/fill.ts";

const HOSTILE = [
  "node1; rm -rf /",
  "node1\nrm -rf /",
  "$(reboot)",
  "`reboot`",
  "node1 && reboot",
  "node1|sh",
  "node1'",
  'node1"',
  "node1 node2",
  "-oProxyCommand=reboot",
  "node1\u0000",
  "node1\u202e",
  "nodе1",
  "<@U123>",
  "{{pid}}",
  "",
];

describe("a command", () => {
  it.each(HOSTILE)("does not take the host %j", (host) => {
    expect(fillCommand("ssh {{host}} nvidia-smi", { host })).toBe("ssh <host> nvidia-smi");
  });

  it("takes a host whose every character is allowed", () => {
    expect(fillCommand("ssh {{host}} nvidia-smi -i {{ gpu }}", { host: "node-014.rack_2", gpu: 5 })).toBe(
      "ssh node-014.rack_2 nvidia-smi -i 5",
    );
  });

  it("takes lists joined by commas, or not at all", () => {
    expect(fillCommand("{{ranks}} {{hosts}}", { ranks: [3, 37], hosts: ["a1", "a2"] })).toBe("3,37 a1,a2");
    expect(fillCommand("{{ranks}} {{hosts}}", { ranks: [], hosts: ["a1", "a2;x"] })).toBe("<ranks> <hosts>");
  });

  it("takes no fact that may hold any text, no unknown fact and no number that is none", () => {
    const values = { message: "ok", made_up: "ok", pid: Number.NaN, port: "29500" };
    expect(fillCommand("{{message}} {{made_up}} {{pid}} {{port}}", values)).toBe("<message> <made_up> <pid> <port>");
    expect(fillCommand("{{toString}} {{constructor}}", {})).toBe("{{toString}} <constructor>");
  });

  it("never writes a number as 1e21", () => {
    expect(fillCommand("{{numel_in}} {{ratio}}", { numel_in: 1e21, ratio: 1e-7 })).toBe(
      "1000000000000000000000 0.0000001",
    );
  });

  it("keeps every shell character of every hostile value out, whichever fact carries it", () => {
    for (const name of Object.keys(FACTS)) {
      for (const value of HOSTILE) {
        for (const given of [value, [value], ["a", value]] as FactValue[]) {
          expect(fillCommand(`{{${name}}}`, { [name]: given })).toBe(`<${name}>`);
        }
      }
    }
  });
});

describe("a text", () => {
  it("shows what was found, numbers as people read them", () => {
    expect(
      fillText("{{tried_alloc_gib}} of {{gpu_total_gib}} on {{ranks}}", {
        tried_alloc_gib: 3.5000001,
        gpu_total_gib: 79.149,
        ranks: [3, 37],
      }),
    ).toBe("3.5 of 79.15 on 3, 37");
    expect(fillText("{{loss_last}} {{timeout_ms}}", { loss_last: 0.00012345, timeout_ms: 600000 })).toBe(
      "0.0001234 600000",
    );
  });

  it("leaves the name where nothing was found", () => {
    expect(fillText("Rank {{rank}} left.", {})).toBe("Rank <rank> left.");
  });

  it("leaves out what stands in brackets about something unknown, and a sentence about it", () => {
    const text = "Card {{gpu}} is slow. Drain that node ({{host}}) now (it loses nothing).";
    expect(fillText(text, {})).toBe("Drain that node now (it loses nothing).");
    expect(fillText(text, { host: "node-7" })).toBe("Drain that node (node-7) now (it loses nothing).");
    expect(fillText("退回首个异常步（第 {{step}} 步）之前。", {})).toBe("退回首个异常步之前。");
  });

  it("for another team leaves nothing out", () => {
    expect(fillForm("Node {{host}} (card {{gpu}}) is drained. Thanks.", { gpu: 3 })).toBe(
      "Node <host> (card 3) is drained. Thanks.",
    );
  });

  it("fills once: a value that looks like a place stays as it is", () => {
    expect(fillText("{{message}}", { message: "{{host}}", host: "node-1" })).toBe("{{host}}");
    expect(fillText("{{message}}", { message: "$& $1" })).toBe("$& $1");
  });
});

it("names each place of a text once", () => {
  expect(placesOf("{{rank}} {{ host }} {{rank}} {{}} { {pid} }")).toEqual(["rank", "host"]);
});

it("knows which facts never enter a command", () => {
  expect(["rank", "ranks", "host", "message", "cgroup_limited"].map(entersCommands)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
