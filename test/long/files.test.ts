// More than is read of one message.
import { expect, it } from "vitest";
import { loadCatalog } from "../../src/catalog.ts";
import { createRead, MOST_BYTES } from "../../src/reading/read.ts";
import { CASCADE } from "../slack/logs.ts";

it("reads two hundred megabytes of a message: a file beyond that is left out, and the others are read", async () => {
  const { rules } = await loadCatalog();
  const piece = Buffer.from("step 100 | loss 2.31 | grad norm 0.9\n".repeat(28_000));
  const endless = {
    name: "endless.log",
    async *bytes() {
      for (;;) yield piece;
    },
  };
  const large = {
    name: "large.log",
    async *bytes() {
      for (let left = MOST_BYTES - 10_000; left > 0; left -= piece.length) yield piece.subarray(0, left);
    },
  };
  const job = {
    name: "job.log",
    async *bytes() {
      yield Buffer.from(CASCADE);
    },
  };

  const { given, left } = await createRead(rules)({ text: "", files: [endless, large, job], message: "1.1" });

  expect(left).toEqual([{ name: "endless.log", why: "too-large" }]);
  expect(given.sources.map(({ name }) => name)).toEqual(["large.log", "job.log"]);
  expect(given.verdict.label).toBe("oom");
});
