import { describe, expect, it } from "vitest";
import { clip, defuse, escapeSlack, looksPasted, readSlackText, withoutMention } from "../../src/slack/text.ts";

describe("Slack's way of writing is undone", () => {
  it.each([
    ["escapes", "a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"],
    ["an escape that a person typed", "&amp;lt;module&amp;gt;", "&lt;module&gt;"],
    [
      "a link that Slack made of a host",
      "init <http://node-1.example:29500|node-1.example:29500> failed",
      "init node-1.example:29500 failed",
    ],
    ["a bare link", "see <https://example.org/a?b=1&amp;c=2>", "see https://example.org/a?b=1&c=2"],
    ["a mail address", "<mailto:a@example.org|a@example.org>", "a@example.org"],
    ["people, channels, groups", "<@U1> <#C1|general> <!here> <!subteam^S1|@oncall>", "@U1 #general @here @oncall"],
    ["a date", "<!date^1392734382^{date}|Feb 18>", "Feb 18"],
    ["a code block", "look:\n```line one\nline two```", "look:\nline one\nline two"],
    ["Windows line ends", "a\r\nb\rc", "a\nb\nc"],
    ["a Python object", "&lt;torch.Tensor object at 0x7f&gt;", "<torch.Tensor object at 0x7f>"],
  ])("%s", (_what, slack, typed) => {
    expect(readSlackText(slack)).toBe(typed);
  });

  it("keeps every line's number", () => {
    const log = "one\n```two\nthree\n<http://four|four>\n```\nsix";

    expect(readSlackText(log).split("\n").indexOf("three")).toBe(2);
    expect(readSlackText(log).split("\n")).toHaveLength(log.split("\n").length);
  });

  it("takes no time over forty thousand angle brackets", () => {
    const began = performance.now();

    readSlackText("<".repeat(40_000));
    readSlackText("<a|".repeat(13_000));
    looksPasted("a=".repeat(20_000));
    looksPasted(" ".repeat(40_000));

    expect(performance.now() - began).toBeLessThan(500);
  });
});

it("leaves the mention of the bot out, and nobody else's", () => {
  expect(withoutMention("<@UBOT> <@U1> look <@UBOT|firstfault>", "UBOT")).toBe("<@U1> look ");
});

describe("in a thread, a paste is", () => {
  it.each([
    ["a code block", "```x```"],
    ["three lines", "a\nb\nc"],
    ["one line of a log", "[rank3]: RuntimeError: CUDA error"],
    ["a clock with a date", "2026-03-02 04:11:09,123 something"],
    ["a long line", "x ".repeat(120)],
    ["a row of a tool", "gpu=3 pid=88214 used_memory=6.4GiB"],
  ])("%s", (_what, text) => {
    expect(looksPasted(text)).toBe(true);
  });

  it.each([
    ["thanks"],
    ["I am on it, give me five minutes"],
    ["could be rank 3\nwill look"],
    ["试试换个节点"],
    ["see line 214?"],
    [""],
  ])("not %j", (text) => {
    expect(looksPasted(text)).toBe(false);
  });
});

it("writes nothing back that Slack could take for markup", () => {
  expect(escapeSlack("<!channel> & <@U1>")).toBe("&lt;!channel&gt; &amp; &lt;@U1&gt;");
  expect(defuse("<!channel> <@U1> <module>")).not.toMatch(/<[!@#]/);
  expect(defuse("<module> a < b")).toBe("<module> a < b");
});

it("cuts to what fits, and never through a character", () => {
  expect(clip("abcdef", 6)).toBe("abcdef");
  expect(clip("abcdefg", 6)).toBe("abcde…");
  expect(clip("abcd😀fgh", 6)).toBe("abcd…");
});
