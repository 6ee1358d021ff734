// Requests in, pages out, without a port.
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { handle, type WebDeps } from "../../src/web/handle.ts";
import { createSite } from "../../src/web/site.ts";
import { ask, end, playbook } from "../case/playbooks.ts";
import { deadLinks, linksOf } from "./links.ts";

const oom = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
const playbooks = new Map([["oom", oom]]);

interface Asking extends Partial<WebDeps> {
  method?: string;
  headers?: Record<string, string>;
  host?: string;
}

function get(path: string, { method = "GET", headers = {}, host = "ff.example.org", ...deps }: Asking = {}) {
  const request = new Request(`http://${host}${path}`, { method, headers });
  return handle(request, { site: createSite(playbooks), language: "en", baseUrl: null, loopback: false, ...deps });
}

describe("a page", () => {
  it.each([
    ["/en/", '<html lang="en">', "The oom fault"],
    ["/zh/", '<html lang="zh-CN">', "训练任务故障 playbook"],
    ["/en/playbook/oom/", '<html lang="en">', "It is gpu"],
    ["/zh/playbook/oom/", '<html lang="zh-CN">', "症状"],
  ])("is found at %s", async (path, lang, words) => {
    const response = await get(path);
    const text = await response.text();

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain(lang);
    expect(text).toContain(words);
  });

  it("is asked for with HEAD as with GET, and comes without its body", async () => {
    const [whole, head] = await Promise.all([get("/en/"), get("/en/", { method: "HEAD" })]);

    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(whole.headers));
    expect(Number(head.headers.get("content-length"))).toBe((await whole.arrayBuffer()).byteLength);
    expect(await head.text()).toBe("");
  });

  it("is not sent again to a browser that has it", async () => {
    const etag = (await get("/en/")).headers.get("etag") ?? "";

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await get("/en/", { headers: { "if-none-match": known } });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await get("/zh/", { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  it("comes packed where the browser takes that, under a tag of its own", async () => {
    const [plain, packed] = await Promise.all([
      get("/en/"),
      get("/en/", { headers: { "accept-encoding": "br, gzip;q=0.8" } }),
    ]);
    const refused = await get("/en/", { headers: { "accept-encoding": "gzip;q=0, *;q=0" } });

    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe(await plain.text());
    expect(refused.headers.get("content-encoding")).toBeNull();
    for (const response of [plain, packed]) expect(response.headers.get("vary")).toBe("accept-encoding");
  });
});

describe("the top address", () => {
  it.each([
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh/"],
    ["en-GB,en;q=0.9,zh;q=0.8", "en/"],
    ["zh;q=0.1, en;q=0.9", "en/"],
    ["fr, zh-TW;q=0.5", "zh/"],
    ["zh;q=0, fr", "en/"],
    ["zh;q=nonsense", "en/"],
    ["", "en/"],
  ])("leads to the language that the browser asks for: %s", async (header, location) => {
    const response = await get("/", { headers: { "accept-language": header } });

    expect([response.status, response.headers.get("location")]).toEqual([302, location]);
    expect(response.headers.get("vary")).toBe("accept-language");
  });

  it("leads to the service's own language where a browser asks for none of ours", async () => {
    const response = await get("/", { headers: { "accept-language": "fr" }, language: "zh" });

    expect(response.headers.get("location")).toBe("zh/");
  });
});

describe("behind a proxy", () => {
  const baseUrl = "https://tools.example.org/firstfault";

  it.each(["/firstfault/en/playbook/oom/", "/en/playbook/oom/"])(
    "knows its page with the prefix or without: %s",
    async (path) => {
      expect((await get(path, { baseUrl })).status).toBe(200);
    },
  );

  it.each([
    ["/en", "en/"],
    ["/zh/playbook/oom", "oom/"],
    ["/firstfault/en/playbook/oom", "oom/"],
    ["/firstfault", "firstfault/en/"],
    ["/firstfault/", "en/"],
  ])("is sent on by addresses that hold under any prefix: %s", async (path, location) => {
    const response = await get(path, { baseUrl });

    expect(response.headers.get("location")).toBe(location);
    const there = new URL(location, `http://ff.example.org${path}`).pathname;
    expect((await get(there, { baseUrl })).status).toBe(200);
  });
});

describe("an address that leads nowhere", () => {
  it.each([
    "/nothing",
    "/en/playbook/gone/",
    "/en/playbook/oom/deeper/still",
    "/zh/x",
    "/en/playbook/constructor/",
    "/en//",
  ])("says what to do, with links that lead somewhere: %s", async (path) => {
    const response = await get(path);
    const text = await response.text();

    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(text).toContain(path.startsWith("/zh") ? "没有这个页面" : "There is no such page");
    for (const href of linksOf(text).hrefs.filter((one) => one.startsWith(".."))) {
      const to = new URL(href, `http://ff.example.org${path}`).pathname;
      expect([href, (await get(to)).status]).toEqual([href, 200]);
    }
    expect(text).toContain("The oom fault");
  });

  it("is never shown back", async () => {
    const text = await (await get("/en/playbook/evil-words/?q=evil-words#evil-words")).text();

    expect(text).not.toContain("evil-words");
  });
});

describe("anything but reading", () => {
  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("is refused: %s", async (method) => {
    const response = await get("/en/", { method });

    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });
});

describe("every answer", () => {
  const answers = async (): Promise<Response[]> =>
    Promise.all([
      get("/"),
      get("/en"),
      get("/en/"),
      get("/gone"),
      get("/en/", { method: "POST" }),
      get("/", { loopback: true, host: "evil.example" }),
      get("/en/", { headers: { "if-none-match": "*" } }),
    ]);

  it("keeps browsers from loading, framing, guessing and telling others", async () => {
    for (const { headers } of await answers()) {
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; /);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).toContain("form-action 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-frame-options")).toBe("DENY");
    }
  });

  it("allows the style and the script that are in the page, and no other", async () => {
    const response = await get("/en/playbook/oom/");
    const text = await response.text();
    const hashOf = (tag: string): string[] =>
      [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(
        ([, inside = ""]) => `'sha256-${createHash("sha256").update(inside).digest("base64")}'`,
      );
    const allowed = (directive: string): string | undefined =>
      new RegExp(`${directive} ([^;]+)`).exec(response.headers.get("content-security-policy") ?? "")?.[1];

    expect([allowed("style-src")]).toEqual(hashOf("style"));
    expect([allowed("script-src")]).toEqual(hashOf("script"));
    expect(text).not.toMatch(/\s(?:style|on[a-z]+)="/);
    expect(text).not.toMatch(/<(?:link rel="stylesheet"|script src|img|iframe|form)/);
  });
});

describe("on this machine only", () => {
  const own = { loopback: true };

  it.each(["localhost:3000", "127.0.0.1:3000", "127.0.0.2", "[::1]:3000"])(
    "answers to its own names: %s",
    async (host) => {
      expect((await get("/en/", { ...own, host })).status).toBe(200);
    },
  );

  it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.7"])(
    "refuses a name that somebody else pointed at it: %s",
    async (host) => {
      const response = await get("/en/", { ...own, host });

      expect(response.status).toBe(421);
      expect(await response.text()).toContain("FIRSTFAULT_BASE_URL");
    },
  );

  it("answers to its public name, which a proxy passes on", async () => {
    const asked = { ...own, host: "ff.example.org", baseUrl: "https://ff.example.org/" };

    expect((await get("/en/", asked)).status).toBe(200);
    expect((await get("/en/", { ...asked, host: "evil.example" })).status).toBe(421);
  });

  it("answers to any name where others can reach it, since proxies pass their own", async () => {
    expect((await get("/en/", { host: "any.example" })).status).toBe(200);
  });
});

describe("the links of the served pages", () => {
  it("all lead to a page and an anchor", () => {
    const site = createSite(playbooks);
    const pages = site.paths.map((path) => ({ path, text: site.page(path) ?? "" }));

    expect(pages).toHaveLength(4);
    expect(deadLinks(pages)).toEqual([]);
  });
});
