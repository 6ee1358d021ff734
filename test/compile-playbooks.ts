// Before any test: the playbooks are compiled once, so that each test file loads them in milliseconds.
import { compileCatalog, isCompiled } from "../src/catalog.ts";

export async function setup(): Promise<void> {
  if (!isCompiled()) await compileCatalog();
}
