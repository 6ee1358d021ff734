// Every migration, in order. A list in code, so that a bundled program finds them and none is run by accident.
import type { Migration } from "kysely";
import * as candidates from "./candidates.ts";
import * as caseFault from "./case-fault.ts";
import * as channels from "./channels.ts";
import * as first from "./first.ts";
import * as outboxBehind from "./outbox-behind.ts";

export const MIGRATIONS: Record<string, Migration> = {
  "0001-first": first,
  "0002-outbox-behind": outboxBehind,
  "0003-candidates": candidates,
  "0004-channels": channels,
  "0005-case-fault": caseFault,
};
