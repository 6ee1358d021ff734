// Diagnoses that somebody called wrong, with what it was instead.
import type { Candidate, CandidateStore } from "../case/candidates.ts";
import type { Database } from "./database.ts";

export function createCandidateStore({ kysely: db, told }: Database): CandidateStore {
  return {
    keep: (candidate) =>
      told(async () => {
        const { team, case: case_id, by, at, channel, message } = candidate;
        const body = JSON.stringify(candidate);
        await db
          .insertInto("candidates")
          .values({ team, case_id, actor: by.id, at, channel, message, body })
          .onConflict((conflict) => conflict.columns(["team", "case_id", "actor"]).doUpdateSet({ at, message, body }))
          .execute();
      }),

    all: () =>
      told(async () => {
        const rows = await db.selectFrom("candidates").select("body").orderBy("at").orderBy("case_id").execute();
        return rows.map(({ body }) => JSON.parse(body) as Candidate);
      }),
  };
}
