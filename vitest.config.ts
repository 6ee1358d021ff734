import { defineConfig } from "vitest/config";

/** `npm test` within a minute; long runs are in test/long and have a script of their own. */
const long = process.env.FIRSTFAULT_LONG === "1";

export default defineConfig({
  test: {
    include: long ? ["test/long/**/*.test.ts"] : ["test/**/*.test.ts"],
    exclude: long ? [] : ["test/long/**"],
    // By default one worker fewer than there are cores: half the speed on two.
    maxWorkers: 2,
    globalSetup: ["test/compile-playbooks.ts"],
    testTimeout: long ? 600_000 : 30_000,
    hookTimeout: 60_000,
  },
});
