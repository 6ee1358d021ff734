// firstfault demo: the real service in a fake Slack, on loopback only, in a folder that goes away afterwards.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { type Catalog, PLAYBOOKS } from "./catalog.ts";
import { type Io, languageOf } from "./cli/io.ts";
import type { Command } from "./cli/run.ts";
import type { Config } from "./config.ts";
import { playByItself } from "./demo/auto.ts";
import { createFakeSlack, type FakeSlack } from "./demo/fake/slack.ts";
import { play } from "./demo/play.ts";
import { createPrompt, type Keyboard, type Prompt } from "./demo/prompt.ts";
import { readSamples } from "./demo/samples.ts";
import { note, type Screen } from "./demo/screen.ts";
import { createThread, type Thread } from "./demo/thread.ts";
import { createWatch } from "./demo/watch.ts";
import { demoWordsFor } from "./locale/demo-words.ts";

const OPTIONS = { auto: { type: "boolean", default: false }, lang: { type: "string" } } as const;
const LOOPBACK = "127.0.0.1";
/** The folder with everything that is shipped. */
const SHIPPED = dirname(PLAYBOOKS);
const USER = "U1";
/** In turn: what one person sends to one channel right after a log belongs to that log's case. */
const CHANNELS = ["C1", "C2"];

export function demoCommand({ config, keyboard }: { config: Config; keyboard: Keyboard }): Command {
  return async (args, io, catalog) => {
    const { values } = parseArgs({ args, options: OPTIONS });
    const lang = languageOf(values.lang, io);
    const words = demoWordsFor(lang);
    const auto = values.auto || !io.interactive;
    const port = await freePort();
    const address = `http://${LOOPBACK}:${port}/`;
    const slack = await createFakeSlack({ manifest: parse(readFileSync(join(SHIPPED, "manifest.yml"), "utf8")) });
    const screen: Screen = { columns: io.columns, color: io.color, words, world: slack.world };
    const samples = readSamples(join(SHIPPED, "fixtures", "try"), words);
    for (const line of words.intro(`${address}${lang}/`)) io.out(note(screen, line));

    const bot = startBot({ slack, catalog: catalog(), io, config: { ...config, lang, port, baseUrl: address } });
    let opened = 0;
    const openThread = (): Thread => {
      const channel = CHANNELS[opened++ % CHANNELS.length] ?? "";
      return createThread({ slack, screen, user: USER, channel, out: io.out, ...bot.watch });
    };
    try {
      if (auto) {
        if (!values.auto) io.out(note(screen, words.auto));
        const log = samples[0]?.read() ?? "";
        return await bot.while(playByItself({ thread: openThread(), log, screen, out: io.out }));
      }
      const prompt = createPrompt(keyboard, io.out, io.columns);
      try {
        return await bot.while(play({ prompt, screen, samples, out: io.out, openThread }), prompt);
      } finally {
        prompt.close();
        io.out(`\n${note(screen, words.left)}`);
      }
    } finally {
      await bot.stop();
    }
  };
}

interface Bot {
  watch: { started: Promise<void>; settled: () => Promise<boolean> };
  /** 0 when the play is over, or a signal ends it; the service's own exit code where that failed. */
  while(play: Promise<void>, prompt?: Prompt): Promise<number>;
  stop(): Promise<void>;
}

/** The service as `firstfault serve` runs it, over Socket Mode. Nothing of the environment's Slack, database or port is used. */
function startBot(given: { slack: FakeSlack; catalog: Catalog; io: Io; config: Config }): Bot {
  const { slack, catalog, io, config } = given;
  const watch = createWatch();
  const stop = new AbortController();
  const data = mkdtempSync(join(tmpdir(), "firstfault-demo-"));
  let said = "";
  const { botToken, appToken, apiUrl } = slack;
  // Takes most of the time to start: the first screen stands by then.
  const serving = import("./server.ts").then(({ serve }) =>
    serve({
      config: {
        ...config,
        slack: { botToken, appToken, signingSecret: null, apiUrl },
        data,
        databaseUrl: null,
        logLevel: "silent",
      },
      problems: [],
      catalog,
      host: LOOPBACK,
      until: stop.signal,
      record: watch.record,
      // This Slack has no limits.
      editPauseMs: 0,
      err: (text) => {
        said += text;
      },
    }),
  );
  const signal = signalled();
  return {
    watch: { started: watch.started, settled: () => watch.settled(slack) },
    async while(play, prompt) {
      const code = await Promise.race([play.then(() => 0), signal.came, serving]);
      prompt?.end();
      if (code !== 0) io.err(said);
      return code;
    },
    async stop() {
      watch.stop();
      stop.abort();
      await serving;
      await slack.close();
      signal.forget();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** From the first moment on: the terminal is given back as it was, and nothing is left behind. */
function signalled(): { came: Promise<0>; forget(): void } {
  let end = (): void => {};
  const came = new Promise<0>((resolve) => {
    end = () => resolve(0);
  });
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  return {
    came,
    forget() {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
    },
  };
}

/** Asked for before the service listens, so that its messages can link to its pages. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
