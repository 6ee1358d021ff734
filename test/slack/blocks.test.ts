// Whatever a view holds, Slack takes the message.
import { describe, expect, it } from "vitest";
import type { View } from "../../src/case/view-type.ts";
import { type Payload, refuseMessage, signsIn } from "../../src/demo/fake/payload.ts";
import { pingsIn } from "../../src/demo/fake/pings.ts";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import type { FakeMessage } from "../../src/demo/fake/world.ts";
import { slackWordsFor } from "../../src/locale/slack-words.ts";
import { linesMessage, sayMessage, textMessage, toMessage } from "../../src/slack/blocks.ts";
import { askEscalate, askHandOver, askOutcome } from "../../src/slack/buttons.ts";

function view(over: Partial<View> = {}): View {
  return {
    case: "c1",
    seq: 3,
    language: "en",
    label: "oom",
    receipt: "sha256:r",
    headline: "Rank 37 ran out of GPU memory. The 255 time-outs follow from it.",
    story: [{ time: "04:01:09", say: "rank 37 asked for 3.50 GiB with 1.21 GiB free", at: "line 214" }],
    notKnown: "Not known: what else was on GPU 5.",
    standing: "confirmed · out of memory",
    settled: [],
    history: [],
    problems: [],
    step: {
      id: "oom#foreign",
      phase: "locate",
      phaseName: "Locate",
      title: "Is something else on that card?",
      say: "PyTorch holds 71.2 of 79.1 GiB.",
      command: "nvidia-smi --query-compute-apps=pid,used_memory --format=csv -i 5",
      expect: "One process.",
      risk: "none",
      script: null,
      riskName: null,
      undo: null,
      stop: null,
      call: null,
      commonly: null,
      sources: [],
      choices: [
        { id: "only-us", label: "Only this job" },
        { id: "another", label: "Another process" },
      ],
    },
    ended: null,
    evidence: [{ at: "line 214", quote: "torch.OutOfMemoryError: CUDA out of memory" }],
    owner: null,
    again: null,
    ...over,
  };
}

function sent(over: Partial<View> = {}): FakeMessage {
  return { channel: "C1", ts: "1", ...toMessage(view(over)) } as unknown as FakeMessage;
}

function withStep(over: Partial<NonNullable<View["step"]>>): FakeMessage {
  const { step } = view();
  return sent({ step: step && { ...step, ...over } });
}

/** What Slack would refuse, and what would call somebody, even where a careless client reads texts for markup. */
function refused(message: Payload): string[] {
  const slack = refuseMessage(message, "changed");
  const shown = JSON.stringify(message.blocks, (_key, value) =>
    value?.type === "rich_text_preformatted" ? undefined : value,
  );
  return [
    ...(slack ? [slack.error, ...slack.messages] : []),
    ...(signsIn(message.blocks) > 12_000 ? ["over our own budget"] : []),
    ...pingsIn(message as FakeMessage),
    ...(shown.match(/<[!@#]/g) ?? []),
  ];
}

/** Repeatable, so that a failure is found again. */
function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

const NASTY = [
  "<!channel>",
  "<@U1>",
  "*bold* _x_ ~y~",
  "```",
  "&amp; &lt;",
  "😀",
  "显存不足",
  "\u0000",
  "x".repeat(5000),
  "",
  "\n",
  "<https://a|b>",
  "\u202e",
  "{{rank}}",
];

describe("a case in Slack", () => {
  it("gives the answer first, then one step with its command and its answers", () => {
    const message = sent();

    expect(textOf(message)).toMatch(
      /^Rank 37 ran out of GPU memory[\s\S]*line 214[\s\S]*Locate: Is something else on that card\?[\s\S]*nvidia-smi[\s\S]*Only this job/,
    );
    expect(buttons(message).map((element) => element.action_id)).toEqual([
      "answer:only-us",
      "answer:another",
      "show-lines:c1",
      "more:c1",
    ]);
  });

  it("asks once before what changes a cluster, and says how to undo it", () => {
    const message = withStep({ risk: "changes-cluster", riskName: "changes the cluster", undo: "Uncordon the node." });

    const [button] = buttons(message);
    expect(JSON.stringify(button?.confirm)).toMatch(/changes the cluster.*Uncordon the node/);
    expect(refused(message)).toEqual([]);
  });

  it("never shows half a command", () => {
    const message = withStep({ command: `rm -rf ${"x".repeat(5000)}` });

    expect(textOf(message)).not.toContain("rm -rf");
    expect(textOf(message)).toContain("firstfault playbook show 'oom#foreign'");
    expect(refused(message)).toEqual([]);
  });

  it("links the step on its page where the pages have an address", () => {
    const linked = JSON.stringify(toMessage(view({ language: "zh" }), "https://ff.example.org/pages"));

    expect(linked).toContain('"url":"https://ff.example.org/pages/zh/playbook/oom/#foreign"');
    expect(refused(toMessage(view(), "https://ff.example.org/pages"))).toEqual([]);
    expect(JSON.stringify(toMessage(view()))).not.toContain('"link"');
  });

  it("takes sixty answers", () => {
    const choices = Array.from({ length: 60 }, (_, n) => ({ id: `choice-${n}`, label: `Answer ${n}` }));

    const message = withStep({ choices });

    expect(refused(message)).toEqual([]);
    expect(buttons(message).filter((one) => one.action_id?.startsWith("answer:"))).toHaveLength(60);
  });

  it("offers nothing but the lines once a person closed it", () => {
    const message = sent({ step: null, ended: { outcome: "fixed", title: "Fixed", say: "What it was: oom" } });

    expect(buttons(message).map((element) => element.action_id)).toEqual(["show-lines:c1"]);
    expect(message.metadata?.event_payload).toMatchObject({ outcome: "fixed", step: "" });
  });

  it("is taken by Slack whatever logs put into it", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const chance = createChance(seed);
      const nasty = (): string => Array.from({ length: 1 + chance(6) }, () => NASTY[chance(NASTY.length)]).join(" ");
      const many = <T>(most: number, one: () => T): T[] => Array.from({ length: chance(most) }, one);
      const settled = (): { say: string; at: string } => ({ say: nasty(), at: nasty() });
      const { step } = view();
      const given = view({
        headline: nasty(),
        story: many(5, () => ({ time: nasty(), ...settled() })),
        notKnown: nasty(),
        standing: nasty(),
        settled: many(12, settled),
        problems: many(9, nasty),
        owner: nasty(),
        again: nasty(),
        evidence: many(60, () => ({ at: nasty(), quote: nasty() })),
        step: step && {
          ...step,
          title: nasty(),
          say: nasty(),
          command: nasty(),
          expect: nasty(),
          undo: nasty(),
          stop: nasty(),
          call: nasty(),
          commonly: nasty(),
          riskName: nasty(),
          choices: many(40, () => ({ id: "c", label: nasty() })).map((choice, n) => ({ ...choice, id: `c${n}` })),
        },
      });

      expect(refused(toMessage(given, "https://ff.example.org/")), `seed ${seed}`).toEqual([]);
      expect(refused(linesMessage(given)), `seed ${seed}`).toEqual([]);
      expect(refused(textMessage(nasty().repeat(5))), `seed ${seed}`).toEqual([]);
      expect(refused(sayMessage(nasty().slice(0, 900))), `seed ${seed}`).toEqual([]);
    }
  });

  it.each(["en", "zh"] as const)("asks its questions within Slack's limits (%s)", (language) => {
    const words = slackWordsFor(language);

    for (const blocks of [askHandOver("c1", words), askEscalate("c1", words), askOutcome("c1", words)])
      expect(refused({ text: "", blocks })).toEqual([]);
    expect(refused(sent({ language }))).toEqual([]);
  });
});
