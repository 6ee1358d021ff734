// The built program in a process of its own, so that it can be killed.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "..", "..");
/** Under node_modules, so that packages are found from there and nothing of ours picks it up. */
const BUILT = join(ROOT, "node_modules", ".cache", "firstfault-built");

/** Built from the sources as they are now: tests run before the build that is shipped. */
export function build(): Promise<void> {
  return new Promise((resolve, reject) => {
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    execFile(process.execPath, [tsc, "-p", join(ROOT, "tsconfig.build.json"), "--outDir", BUILT], (error, out) => {
      // Compiled playbooks, so that each start takes what a shipped one takes.
      if (existsSync(main())) execFile(process.execPath, [main(), "playbook", "compile"], () => resolve());
      else reject(new Error(`the program was not built: ${error?.message} ${out}`));
    });
  });
}

function main(): string {
  return [join(BUILT, "src", "main.js"), join(BUILT, "main.js")].find(existsSync) ?? join(BUILT, "src", "main.js");
}

export interface Program {
  port: number;
  /** What it wrote so far. */
  err(): string;
  out(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
  healthz(): Promise<number>;
}

/** Waits for the line it prints once it takes events. */
export async function start(env: Record<string, string>): Promise<Program> {
  const program = launch(env);
  for (let waited = 0; !/ready/.test(program.err()); waited += 50) {
    if (waited > 60_000 || program.ended()) throw new Error(`not ready: ${program.err()}`);
    await sleep(50);
  }
  const port = Number(/port (\d+)/.exec(program.err())?.[1]);
  return {
    port,
    err: program.err,
    out: program.out,
    kill: program.kill,
    healthz: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status,
  };
}

/** Runs to its end: the exit code and what it wrote. */
export async function runToEnd(env: Record<string, string>): Promise<{ code: number | null; err: string }> {
  const program = launch(env);
  const code = await program.end;
  return { code, err: program.err() };
}

function launch(env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [main(), "serve"], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  let over = false;
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  const end = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      over = true;
      resolve(code);
    });
  });
  return {
    end,
    err: () => err,
    out: () => out,
    ended: () => over,
    kill: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return end;
    },
  };
}
