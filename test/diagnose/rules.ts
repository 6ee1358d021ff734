// The shipped rules, loaded once for the tests of `diagnose`.
import { PLAYBOOKS, readCatalog } from "../../src/catalog.ts";

export const { rules, playbooks } = await readCatalog(PLAYBOOKS);
