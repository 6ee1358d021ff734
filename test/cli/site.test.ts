// `firstfault site` through the one door.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

const empty = (): string => mkdtempSync(join(tmpdir(), "firstfault-site-"));

async function site(...args: string[]) {
  const io = fakeIo();
  const code = await run(["site", ...args], io, () => catalog);
  return { code, out: io.printed, err: io.complained };
}

describe("site", () => {
  it("writes the pages into a folder that it makes, and says where to begin", async () => {
    const dir = join(empty(), "public", "pages");

    const { code, out, err } = await site(dir);

    expect([code, out]).toEqual([0, ""]);
    expect(err).toBe(
      `${catalog.playbooks.size * 2 + 3} pages written to ${dir}; begin at ${join(dir, "index.html")}\n`,
    );
    expect(readFileSync(join(dir, "index.html"), "utf8")).toContain('href="./zh/index.html"');
    expect(readFileSync(join(dir, "zh/playbook/oom/index.html"), "utf8")).toContain('<html lang="zh-CN">');
  });

  it("leaves alone what else is in the folder", async () => {
    const dir = empty();
    writeFileSync(join(dir, "CNAME"), "ff.example.org");

    expect((await site(dir)).code).toBe(0);

    expect(readFileSync(join(dir, "CNAME"), "utf8")).toBe("ff.example.org");
  });

  it("says what is wrong with a folder that cannot be written", async () => {
    const file = join(empty(), "file");
    writeFileSync(file, "");

    const { code, err } = await site(file);

    expect(code).toBe(2);
    expect(err).toMatch(/^firstfault site: .* cannot be written .*Name a folder that can\.\n$/);
    expect(existsSync(join(file, "index.html"))).toBe(false);
  });

  it.each([[[]], [["a", "b"]], [["--lang", "en"]]])("explains itself to who calls it otherwise: %o", async (args) => {
    expect((await site(...args)).code).toBe(2);
  });
});
