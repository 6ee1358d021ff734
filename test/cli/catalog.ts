// The shipped playbooks, read once for the tests of commands.
import { loadCatalog } from "../../src/catalog.ts";

export const catalog = await loadCatalog();
