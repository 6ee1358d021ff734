// The shipped rules, loaded once for the tests of `diagnose`.
import { loadCatalog } from "../../src/catalog.ts";

export const { rules, playbooks } = await loadCatalog();
