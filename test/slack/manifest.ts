// The app as it is shipped.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const MANIFEST: unknown = parse(readFileSync(join(import.meta.dirname, "..", "..", "manifest.yml"), "utf8"));
