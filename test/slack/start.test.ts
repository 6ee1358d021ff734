// The built program where it cannot start: each message says what is wrong, and where it is put right.
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFakeSlack, type FakeSlack } from "../../src/demo/fake/slack.ts";
import { MANIFEST } from "./manifest.ts";
import { build, runToEnd } from "./program.ts";

let slack: FakeSlack;
let http: Record<string, string>;

beforeAll(build, 120_000);
beforeEach(async () => {
  slack = await createFakeSlack({ manifest: MANIFEST });
  http = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    FIRSTFAULT_DATA: mkdtempSync(join(tmpdir(), "firstfault-")),
  };
});
afterEach(async () => {
  await slack.close();
  expect(slack.refusals).toEqual([]);
});

describe("a start that cannot be", { timeout: 120_000 }, () => {
  it("lists every missing setting at once, with the page where it is found", async () => {
    const { code, err } = await runToEnd({
      PORT: "eighty",
      FIRSTFAULT_LANG: "fr",
      FIRSTFAULT_BASE_URL: "javascript:alert(1)",
    });

    expect(code).toBe(2);
    for (const name of [
      "SLACK_BOT_TOKEN",
      "SLACK_APP_TOKEN",
      "SLACK_SIGNING_SECRET",
      "PORT",
      "FIRSTFAULT_LANG",
      "FIRSTFAULT_BASE_URL",
    ])
      expect(err).toContain(name);
    expect(err).toContain("OAuth & Permissions");
    expect(err).toContain("Basic Information");
  });

  it("says that the token is wrong, and where the right one is", async () => {
    const wrong = `${slack.botToken}x`;

    const { code, err } = await runToEnd({ ...http, SLACK_BOT_TOKEN: wrong });

    expect([code, err]).toEqual([2, expect.stringMatching(/invalid_auth.*SLACK_BOT_TOKEN.*OAuth & Permissions/s)]);
    expect(err).not.toContain(wrong);
    expect(slack.refusals.splice(0)).toEqual([{ method: "auth.test", error: "invalid_auth", messages: [] }]);
  });

  it("says that the port is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, resolve));
    const { port } = taken.address() as AddressInfo;

    const { code, err } = await runToEnd({ ...http, PORT: String(port) });

    expect([code, err]).toEqual([2, expect.stringMatching(new RegExp(`port ${port} is in use.*set PORT`, "s"))]);
    await new Promise((resolve) => taken.close(resolve));
  });

  it("says that its folder cannot be used", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "firstfault-")), "file");
    writeFileSync(file, "");

    const { code, err } = await runToEnd({ ...http, FIRSTFAULT_DATA: file });

    expect([code, err]).toEqual([2, expect.stringContaining("FIRSTFAULT_DATA")]);
  });

  it("says that its database is away, without the password", async () => {
    const { code, err } = await runToEnd({ ...http, DATABASE_URL: "postgres://bot:hunter2@127.0.0.1:1/firstfault" });

    expect([code, err]).toEqual([2, expect.stringContaining("nothing listens at postgres://bot@127.0.0.1:1")]);
    expect(err).not.toContain("hunter2");
  });

  it("says that Slack cannot be reached", async () => {
    const { code, err } = await runToEnd({ ...http, SLACK_API_URL: "http://127.0.0.1:1/api/" });

    expect([code, err]).toEqual([3, expect.stringMatching(/Slack cannot be reached at http:\/\/127\.0\.0\.1:1/)]);
  });
});
