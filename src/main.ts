#!/usr/bin/env node
// The executable: arguments in, exit code out.
import { loadCatalog } from "./catalog.ts";
import { run } from "./cli/run.ts";
import { readConfig } from "./config.ts";

const args = process.argv.slice(2);
const { config, problems } = readConfig();
const catalog = await loadCatalog();

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that goes away early (`| head`) is not our failure; a verdict that was not written down whole is one.
  if (error.code === "EPIPE") return;
  process.stderr.write(`firstfault: the output could not be written (${error.message}). Free some space there.\n`);
  process.exitCode = 3;
});

const asks = args.some((arg) => arg === "--help" || arg === "-h");

if (args[0] === "serve" && !asks) {
  const { serve } = await import("./server.ts");
  process.exitCode = await serve({ config, problems, catalog });
} else {
  const code = await run(
    args,
    {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      stdin: process.stdin,
      interactive: Boolean(process.stdin.isTTY && process.stdout.isTTY),
      terminal: Boolean(process.stdout.isTTY),
      columns: process.stdout.columns ?? 100,
      color: config.color && Boolean(process.stdout.isTTY),
      lang: config.terminalLang,
      data: config.data,
      databaseUrl: config.databaseUrl,
      user: config.user,
      now: () => new Date(),
    },
    () => catalog,
    { demo: async () => (await import("./demo.ts")).demoCommand({ config, keyboard: process.stdin }) },
  );
  process.exitCode ||= code;
}
