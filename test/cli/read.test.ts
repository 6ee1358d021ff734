// `firstfault read`: one pasted output, through one reader, as JSON and for people.
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

const DF = [
  "Filesystem      Size  Used Avail Use% Mounted on",
  "/dev/nvme0n1p2  879G  879G     0 100% /",
  "tmpfs            64G     0   64G   0% /dev/shm",
].join("\n");

const SHARD = "-rw-r--r-- 1 wei ml 4932139899 Apr  2 11:00 model-00001-of-00900.safetensors";

async function read(stdin: string, ...args: string[]) {
  const io = fakeIo({ stdin });
  const code = await run(["read", ...args], io, () => catalog);
  return { code, printed: io.printed, complained: io.complained };
}

describe("as JSON", () => {
  it("gives reader, status, finding and facts with their lines", async () => {
    const { code, printed } = await read(DF, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({
      schema: "firstfault/reading/v1",
      reader: "disk-space",
      status: "read",
      facts: { disk_use_pct: { value: 100, lines: [2] } },
    });
  });

  it("cuts a list of more than fifty, and says how many there were", async () => {
    const { printed } = await read(`$ ls -l\n${SHARD}\n${SHARD.replace("00001", "00002")}`, "--json");
    const { missing_files } = JSON.parse(printed).facts;
    expect([missing_files.value.length, missing_files.count]).toEqual([50, 898]);
  });
});

describe("for people", () => {
  it("says the finding first, in the language asked for", async () => {
    expect((await read(DF)).printed).toMatch(/^disk-space read: /);
    expect((await read(DF, "--lang", "zh")).printed).toMatch(/[一-鿿]/);
  });

  it("shows a dozen of a long list", async () => {
    const { printed } = await read(`$ ls -l\n${SHARD}\n${SHARD.replace("00001", "00002")}`);
    expect(printed).toContain("model-00014-of-00900.safetensors, … (+886)");
  });

  it("says that it does not know a text", async () => {
    const { code, printed } = await read("hello there");
    expect([code, printed.split(":")[0]]).toEqual([0, "- unrecognised"]);
  });
});

it.each([
  [["--as", "df"], 'there is no output reader "df"; there are: nccl-tests'],
  [["/no/such/file"], "/no/such/file cannot be read"],
  [["a", "b"], "one file"],
  [["--lang", "fr"], '--lang knows "en" and "zh", not "fr"'],
])("refuses %j", async (args, say) => {
  const { code, complained } = await read("", ...args);
  expect(code).toBe(2);
  expect(complained).toContain(say);
});
