// The pages as a person has them before the eyes: in Debian's Chromium, in both languages, both themes, on a phone and on
// a wide screen. Nothing is loaded from anywhere but this process.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import axe, { type AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadCatalog } from "../../src/catalog.ts";
import { LANGUAGES } from "../../src/facts/language.ts";
import { createWeb } from "../../src/web/node.ts";
import { createSite, siteFiles } from "../../src/web/site.ts";

const { playbooks } = await loadCatalog();
const PHONE = { width: 390, height: 844 };
// Said in the page, whose names the types of Node do not know.
const WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const CLIPBOARD = "navigator.clipboard.readText()";
const DESK = { width: 1440, height: 900 };

let browser: Browser;
let server: Server;
let port: number;

beforeAll(async () => {
  const web = createWeb({
    site: createSite(playbooks),
    language: "en",
    baseUrl: null,
    loopback: false,
    failed: (error) => {
      throw error;
    },
  });
  server = createServer((request, response) => void web(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // A name that is no secure context, as inside a cluster; and no sandbox, which root cannot have.
    args: ["--no-sandbox", `--host-resolver-rules=MAP ff.test 127.0.0.1`],
  });
});

afterAll(async () => {
  await browser?.close();
  server?.close();
});

const home = (): string => `http://localhost:${port}`;

/** A fresh visitor, and everything the browser complained of meanwhile. */
async function visit(path: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(home()) && !/^(?:data|file):|ff\.test/.test(request.url()))
      complaints.push(`asks ${request.url()}`);
  });
  await page.goto(path.includes(":") ? path : `${home()}${path}`);
  return { page, context, complaints };
}

async function isInView(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    return top >= -1 && top < (element.ownerDocument.defaultView?.innerHeight ?? 0) / 2;
  });
}

const sizes = { phone: PHONE, desk: DESK };
const looks = LANGUAGES.flatMap((language) =>
  (["light", "dark"] as const).flatMap((theme) =>
    (["phone", "desk"] as const).map((size) => ({ language, theme, size })),
  ),
);

describe.each(looks)("in $language, $theme, on a $size", ({ language, theme, size }) => {
  const options = { viewport: sizes[size], colorScheme: theme };

  it.each([`/${language}/`, `/${language}/playbook/oom/`, `/${language}/gone`])(
    "%s fits, can be used by everyone, and breaks no rule of its own",
    async (path) => {
      const { page, context, complaints } = await visit(path, options);

      const wide = await page.evaluate(WIDER);
      await page.evaluate(axe.source);
      const { violations, passes } = (await page.evaluate("axe.run()")) as AxeResults;

      expect(wide).toBe(0);
      expect(passes.length).toBeGreaterThan(10);
      expect(
        violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map(({ html }) => html.slice(0, 160))
              .slice(0, 3)
              .join(" | ")}`,
        ),
      ).toEqual([]);
      expect(complaints.filter((one) => !/404/.test(one))).toEqual([]);
      await context.close();
    },
  );
});

describe.each([...playbooks.keys()])("the page of %s", (id) => {
  it.each(LANGUAGES)("is no wider than a small phone (%s)", async (language) => {
    const { page, context } = await visit(`/${language}/playbook/${id}/`, { viewport: { width: 320, height: 640 } });

    expect(await page.evaluate(WIDER)).toBe(0);
    await context.close();
  });
});

describe("a person at night", () => {
  it("finds the failure, follows the answers, and reads the same step in the other language", async () => {
    const { page, context, complaints } = await visit("/", { locale: "en-US" });
    expect(page.url()).toBe(`${home()}/en/`);

    await page.getByLabel("Find a failure").fill("/dev/shm");
    expect(await page.locator("#_found").textContent()).toBe("1 failure found");
    await page.getByRole("link", { name: "/dev/shm is full or too small" }).click();
    await page.waitForURL(`${home()}/en/playbook/oom/#which-host-limit`);
    expect(await isInView(page, "#which-host-limit")).toBe(true);

    await page.locator("#which-host-limit .choices a").first().click();
    const { hash } = new URL(page.url());
    expect(hash).not.toBe("#which-host-limit");
    expect(await isInView(page, hash)).toBe(true);
    expect(await page.locator(`${hash}:target`).count()).toBe(1);

    await page.getByRole("link", { name: "中文" }).click();
    await page.waitForURL(`${home()}/zh/playbook/oom/${hash}`);
    expect(await isInView(page, hash)).toBe(true);
    await page.goBack();
    await page.waitForURL(`${home()}/en/playbook/oom/${hash}`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("comes by a link from Slack, on a phone, in Chinese", async () => {
    const { page, context } = await visit("/zh/playbook/nccl-timeout/#missing", { viewport: PHONE, hasTouch: true });

    expect(await isInView(page, "#missing")).toBe(true);
    await page.locator("#missing .choices a").last().tap();
    expect(await isInView(page, new URL(page.url()).hash)).toBe(true);
    await context.close();
  });

  it("sees at once that a search finds nothing, and gets everything back", async () => {
    const { page, context } = await visit("/zh/");
    const cards = page.locator(".card:visible");

    await page.locator("#_filter").fill("no such thing");
    expect([await cards.count(), await page.locator("#_found").textContent()]).toEqual([0, "找到 0 种故障"]);
    await page.locator("#_filter").fill("");
    expect([await cards.count(), await page.locator("#_found").textContent()]).toEqual([playbooks.size, ""]);
    await context.close();
  });

  it.each([
    ["where the browser gives the clipboard", "localhost"],
    ["where it does not, as on a plain address inside a cluster", "ff.test"],
  ])("copies a command %s", async (_, host) => {
    const { page, context } = await visit(`http://${host}:${port}/en/playbook/oom/`);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: home() });
    const command = playbooks.get("oom")?.steps["which-memory"]?.command ?? "";

    const button = page.getByRole("button", { name: "Copy the command of step 1", exact: true });
    await button.click();

    await expect.poll(() => button.textContent()).toBe("Copied");
    const reader = await context.newPage();
    await reader.goto(`${home()}/en/`);
    expect(await reader.evaluate(CLIPBOARD)).toBe(command);
    await expect.poll(() => button.textContent(), { timeout: 5000 }).toBe("Copy");
    await context.close();
  });

  it("copies a command of several lines as it is typed", async () => {
    const { page, context } = await visit("/en/playbook/nccl-timeout/");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const lines = playbooks.get("nccl-timeout")?.steps.compare?.command?.trim() ?? "";

    await page.locator("#compare button.copy").click();

    expect(lines.split("\n").length).toBeGreaterThan(2);
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe(lines.replace(/\{\{(\w+)\}\}/g, "<$1>"));
    await context.close();
  });

  it("goes by keyboard: first past the head, then along the links", async () => {
    const { page, context } = await visit("/en/playbook/oom/");

    await page.keyboard.press("Tab");
    const skip = page.locator(".skip");
    expect(
      await skip.evaluate((link) => link === link.ownerDocument.activeElement && link.getBoundingClientRect().top >= 0),
    ).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("_main");
    await context.close();
  });

  it("reads everything without a script", async () => {
    const { page, context } = await visit("/en/", { javaScriptEnabled: false });

    expect(await page.locator("#_filter").isVisible()).toBe(false);
    await page.getByRole("link", { name: "/dev/shm is full or too small" }).click();
    await page.waitForURL(`${home()}/en/playbook/oom/#which-host-limit`);
    expect(await page.locator("button.copy:visible").count()).toBe(0);
    await context.close();
  });
});

describe("the map", () => {
  it.each(LANGUAGES)("holds every text inside its box, in the fonts that are there (%s)", async (language) => {
    for (const id of playbooks.keys()) {
      const { page, context } = await visit(`/${language}/playbook/${id}/`);

      const wide = await page.locator(".map-box .box").evaluateAll((boxes) =>
        boxes.flatMap((box) => {
          const ground = box.querySelector(".ground")?.getBoundingClientRect();
          return [...box.querySelectorAll("text")]
            .filter((text) => text.getBoundingClientRect().right > (ground?.right ?? 0))
            .map((text) => text.textContent);
        }),
      );

      expect(wide).toEqual([]);
      await context.close();
    }
  });

  it("shows where a walk begins, and leads to the steps", async () => {
    const { page, context } = await visit("/en/playbook/nccl-timeout/");
    const box = page.locator(".map-box");

    const begin = await box.evaluate((map) => {
      const [outer, inner] = [map.getBoundingClientRect(), map.querySelector(".begin")?.getBoundingClientRect()];
      return inner !== undefined && inner.left >= outer.left && inner.top >= outer.top && inner.bottom <= outer.bottom;
    });
    expect(begin).toBe(true);
    await box.getByRole("link", { name: /^Symptom · 1/ }).click();
    expect(new URL(page.url()).hash).toBe("#earlier");
    await context.close();
  });

  it("can be fitted to the width", async () => {
    const { page, context } = await visit("/en/playbook/oom/");

    await page.getByLabel("Fit to the width").check();

    const [box, drawn] = await page.locator(".map-box").evaluate((map) => [map.clientWidth, map.scrollWidth]);
    expect(drawn).toBe(box);
    await context.close();
  });
});

describe("beside the steps on a wide screen", () => {
  it("the contents stay in view and tell which step one reads", async () => {
    const { page, context } = await visit("/en/playbook/oom/#what-grew");

    const entry = page.locator('.toc a[href="#what-grew"]');
    await expect.poll(() => entry.getAttribute("aria-current")).toBe("location");
    await expect.poll(() => entry.evaluate((link) => link.getBoundingClientRect().top)).toBeGreaterThan(0);
    await context.close();
  });

  it("on a phone they are folded away", async () => {
    const { page, context } = await visit("/en/playbook/oom/", { viewport: PHONE });

    expect(await page.locator(".toc ol").isVisible()).toBe(false);
    await page.locator(".toc summary").click();
    expect(await page.locator(".toc ol").isVisible()).toBe(true);
    await context.close();
  });
});

describe("on paper", () => {
  it("stand the commands and the addresses of the steps, and nothing to click", async () => {
    const { page, context } = await visit("/en/playbook/oom/");
    await page.emulateMedia({ media: "print" });

    expect(await page.locator("button:visible, .toc:visible, .language:visible").count()).toBe(0);
    expect(await page.locator("#which-memory pre").isVisible()).toBe(true);
    expect(await page.locator("#which-memory .anchor span").isVisible()).toBe(true);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(50_000);
    await context.close();
  });
});

describe("the site as files", () => {
  it("works from a disk", async () => {
    const dir = mkdtempSync(join(tmpdir(), "firstfault-site-"));
    for (const { path, text } of siteFiles(playbooks)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    const { page, context, complaints } = await visit(pathToFileURL(join(dir, "index.html")).href);

    await page.getByRole("main").getByRole("link").last().click();
    await page.locator(".card h2 a").first().click();
    await page.waitForURL(/\/playbook\/[\w-]+\/index\.html$/);
    expect(await page.locator("h1").textContent()).not.toBe("");
    await expect.poll(() => page.locator("button.copy:visible").count()).toBeGreaterThan(10);
    await page.locator(".step .choices a").first().click();
    expect(await isInView(page, new URL(page.url()).hash)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
