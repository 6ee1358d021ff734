// How the bot behaves in each channel.
import { type ChannelAt, type ChannelStore, MODES, UNSET } from "../case/channels.ts";
import type { Database } from "./database.ts";

export function createChannelStore({ kysely: db, told }: Database): ChannelStore {
  return {
    of: ({ team, channel }) =>
      told(async () => {
        const row = await db
          .selectFrom("channels")
          .selectAll()
          .where("team", "=", team)
          .where("channel", "=", channel)
          .executeTakeFirst();
        return (
          row && {
            mode: MODES.find((mode) => mode === row.mode) ?? UNSET.mode,
            language: row.language === "en" || row.language === "zh" ? row.language : null,
            byAdmin: row.by_admin === 1,
            shared: row.shared === 1,
          }
        );
      }),

    set: (at, { mode, language, byAdmin }, by) =>
      told(async () => {
        const set = { mode, language, by_admin: byAdmin ? 1 : 0, actor: by.actor, changed_at: by.at };
        await db
          .insertInto("channels")
          .values({ ...keyOf(at), ...set, shared: 0 })
          .onConflict((conflict) => conflict.columns(["team", "channel"]).doUpdateSet(set))
          .execute();
      }),

    markShared: (at, when) =>
      told(async () => {
        const fresh = { mode: UNSET.mode, language: null, by_admin: 0, actor: null, changed_at: when };
        await db
          .insertInto("channels")
          .values({ ...keyOf(at), ...fresh, shared: 1 })
          .onConflict((conflict) => conflict.columns(["team", "channel"]).doUpdateSet({ shared: 1 }))
          .execute();
      }),
  };
}

function keyOf({ team, channel }: ChannelAt): ChannelAt {
  return { team, channel };
}
