// All parts of one database, as the server puts them together.
import { createCandidateStore } from "../../src/store/candidates.ts";
import { createCaseStore } from "../../src/store/cases.ts";
import { createChannelStore } from "../../src/store/channels.ts";
import { openDatabase, type Where } from "../../src/store/database.ts";
import { createInbox } from "../../src/store/inbox.ts";
import { createMessageStore } from "../../src/store/outbox.ts";
import { createRetention } from "../../src/store/retention.ts";
import type { Opened } from "./contract.ts";

export async function openAll(where: Where): Promise<Opened> {
  const database = await openDatabase(where);
  return {
    cases: createCaseStore(database),
    inbox: createInbox(database),
    messages: createMessageStore(database),
    candidates: createCandidateStore(database),
    channels: createChannelStore(database),
    retention: createRetention(database),
    close: () => database.close(),
  };
}
