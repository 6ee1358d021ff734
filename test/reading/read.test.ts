// A message's text and its files -> one reading.
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../src/catalog.ts";
import { type Attached, createRead } from "../../src/reading/read.ts";
import { Unreadable } from "../../src/reading/unreadable.ts";
import { CASCADE } from "../slack/logs.ts";

const { rules } = await loadCatalog();
const read = createRead(rules);

function file(name: string, ...chunks: (string | Uint8Array)[]): Attached {
  return {
    name,
    async *bytes() {
      for (const chunk of chunks) yield Buffer.from(chunk);
    },
  };
}

describe("a paste", () => {
  it("is redacted before it is kept, and known by the hash of that", async () => {
    const text = `${CASCADE}\nAWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE`;

    const { given } = await read({ text, files: [], message: "100.1" });

    expect(JSON.stringify(given)).not.toContain("AKIAIOSFODNN7EXAMPLE");
    expect(given.message).toBe("100.1");
    expect(given.verdict.label).toBe("oom");
  });

  it("of a megabyte comes to the same verdict", async () => {
    const text = `${CASCADE}\n${"step 1 | loss 2.31\n".repeat(55_000)}`;

    const { verdict } = (await read({ text, files: [], message: "1.1" })).given;

    expect([verdict.label, verdict.root?.at.line]).toEqual(["oom", 3]);
  });
});

describe("a message with files", () => {
  it("is one case with its text and each file as a source, named and counted apart", async () => {
    const files = [file("a.log", "step 1\nstep 2"), file("b.log", CASCADE.slice(0, 100), CASCADE.slice(100), "\n")];

    const { given, left } = await read({ text: "rank 37 died", files, message: "1.1" });

    expect(left).toEqual([]);
    expect(given.sources.map(({ name, lines }) => [name, lines])).toEqual([
      ["paste", 1],
      ["a.log", 2],
      ["b.log", 7],
    ]);
    expect(given.verdict.root?.at).toEqual({ source: 2, line: 3 });
    expect(given.verdict.input.sources).toEqual(["paste", "a.log", "b.log"]);
  });

  it("takes a file's hash as that of the same text pasted", async () => {
    const asFile = await read({ text: "", files: [file("job.log", CASCADE)], message: "1.1" });
    const asText = await read({ text: CASCADE, files: [], message: "1.1" });

    expect(asFile.given.sources.map(({ hash }) => hash)).toEqual(asText.given.sources.map(({ hash }) => hash));
  });

  it("keeps nothing of a file that turns out unreadable in the middle, and reads the rest", async () => {
    const fetched: string[] = [];
    const broken: Attached = {
      name: "broken.log",
      async *bytes() {
        fetched.push("broken.log");
        yield Buffer.from("[rank9]: RuntimeError: CUDA error: an illegal memory access was encountered\n");
        throw new Unreadable("not-fetched");
      },
    };

    const { given, left } = await read({ text: "", files: [broken, file("job.log", CASCADE)], message: "1.1" });

    expect(left).toEqual([{ name: "broken.log", why: "not-fetched" }]);
    expect(given.sources.map(({ name }) => name)).toEqual(["job.log"]);
    expect(JSON.stringify(given)).not.toContain("illegal memory access");
    expect(fetched).toEqual(["broken.log"]);
  });

  it("lets two files of one name be two sources", async () => {
    const { given } = await read({ text: "", files: [file("rank0.log", "a"), file("rank0.log", "b")], message: "1.1" });

    expect(given.sources.map(({ name }) => name)).toEqual(["rank0.log", "rank0.log (2)"]);
  });

  it.each([
    ["empty", ""],
    ["not-text", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0])],
  ])("leaves out a file that is %s", async (why, content) => {
    const { left } = await read({
      text: "x",
      files: [file("job.log", ...(content === "" ? [] : [content]))],
      message: "1.1",
    });

    expect(left).toEqual([{ name: "job.log", why }]);
  });
});
