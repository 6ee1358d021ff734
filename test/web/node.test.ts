// Node's own http in front of the pages: odd requests are answered, and a failure of ours is told to the operator only.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createWeb, type NodeWebDeps } from "../../src/web/node.ts";
import { createSite } from "../../src/web/site.ts";
import { ask, end, playbook } from "../case/playbooks.ts";

const oom = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
const site = createSite(new Map([["oom", oom]]));
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function open(over: Partial<NodeWebDeps> = {}) {
  const failures: unknown[] = [];
  const web = createWeb({
    site,
    language: "en",
    baseUrl: null,
    loopback: true,
    failed(error) {
      failures.push(error);
      return "ff-test";
    },
    ...over,
  });
  const server = createServer((incoming, response) => void web(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, failures };
}

/** A request as it is written, without a client that tidies it up. */
function fetchRaw(port: number, path: string, { method = "GET", headers = {}, body = "" } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", path, method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

describe("the pages on a port", () => {
  it("come with their headers", async () => {
    const { port } = await open();
    const page = await fetchRaw(port, "/en/playbook/oom/", { headers: { "accept-language": "zh" } });

    expect(page.status).toBe(200);
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'/);
    expect(Number(page.headers["content-length"])).toBe(Buffer.byteLength(page.text));
    expect((await fetchRaw(port, "/en/", { method: "HEAD" })).text).toBe("");
    expect((await fetchRaw(port, "/", { headers: { "accept-language": "zh" } })).headers.location).toBe("zh/");
  });

  it.each([
    ["//evil.example/en/", {}, 404],
    ["http://evil.example/en/", {}, 302],
    ["*", {}, 302],
    ["/en/%zz%00", {}, 404],
    [`/${"a".repeat(8000)}`, {}, 404],
    ["/en/", { headers: { host: "evil.example" } }, 421],
    ["/en/", { headers: { host: "in valid" } }, 400],
    ["/en/", { method: "POST", body: "x".repeat(100_000) }, 405],
    ["/en/", { method: "TRACE" }, 405],
    ["/en/", { method: "PROPFIND" }, 405],
  ])("answer an odd request for %s %o", async (path, more, status) => {
    const { port, failures } = await open();

    expect((await fetchRaw(port, path, more)).status).toBe(status);
    expect(failures).toEqual([]);
  });

  it("say that it was our failure, and tell the operator what it was", async () => {
    const broken = new Error("no such page");
    const page = (): string => {
      throw broken;
    };
    const { port, failures } = await open({ site: { ...site, page } });

    const { status, text } = await fetchRaw(port, "/en/");

    expect([status, text]).toEqual([
      500,
      "Sorry, that failed on our side. Whoever runs this service finds why under ff-test.\n",
    ]);
    expect(failures).toEqual([broken]);
  });
});
