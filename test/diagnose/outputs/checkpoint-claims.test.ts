import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReaderId } from "../../../src/diagnose/outputs/output-reader.ts";
import { toOutputText } from "../../../src/diagnose/outputs/output-text.ts";
import { OUTPUT_READERS } from "../../../src/diagnose/outputs/readers.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "..", "fixtures");

/** What must stand in a log, chat or traceback before one of these may claim a line of it. */
const STANDS: Partial<Record<ReaderId, RegExp>> = {
  "checkpoint-files": /^-rw.* model-00001-of-\d{5}\.safetensors$/m,
  "dcp-metadata": /keys; (?:OK|\[)|Total Tensors:|state_dict_metadata=/,
  "safetensors-index": /"weight_map"|git-lfs/,
  "shape-pairs": /(?:size|shape) mismatch|found shape|ckpt: ?torch\.Size|(?:Missing|Unexpected) keys?\b/i,
  "deepspeed-config": /\[config\.py:\d+:print|"zero_optimization"/,
  "megatron-args": /-{8,} (?:end of )?arguments -{8,}|using world size|_parallel_size \.{2,}/,
  "launch-command": /^(?:\+ )?(?:srun|torchrun|mpirun|deepspeed)\b.*(?:\.py|--\w)/m,
};

const TEXTS = ["quiet", "labelled"].flatMap((folder) =>
  readdirSync(join(FIXTURES, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:log|txt)$/.test(entry.name))
    .map((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
      return { name: entry.name, text, read: toOutputText(text) };
    }),
);

describe.each(Object.entries(STANDS))("the reader %s", (id, stands) => {
  const reader = OUTPUT_READERS.find((one) => one.id === id);

  it("claims no line of a log or chat in which its text does not stand", () => {
    const claimed = TEXTS.filter(({ read }) => (reader?.knows(read).length ?? 0) > 0);

    expect(reader).toBeDefined();
    expect(claimed.filter(({ text }) => !stands.test(text)).map(({ name }) => name)).toEqual([]);
  });
});
