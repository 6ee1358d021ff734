// Opens forms while their trigger lives, and hands on what was filled in.
import { type App, type Context, type types, webApi } from "@slack/bolt";
import * as z from "zod";
import type { Clicker } from "./clicking.ts";
import { platformError } from "./failure.ts";
import type { RecordSlack } from "./happened.ts";
import { SETTINGS_FORM, WRONG_FORM } from "./modals.ts";
import type { Settings } from "./settings.ts";
import type { Filled, Wrong } from "./wrong.ts";

/** Opens a form; false where Slack does not: three seconds after the click it is too late. */
export type OpenForm = (trigger: string | null, view: types.ModalView) => Promise<boolean>;

/** `views` is a client of its own, which neither waits nor tries again. */
export function createOpenForm(views: Pick<webApi.WebClient, "views">, record: RecordSlack): OpenForm {
  return async (trigger, view) => {
    if (trigger === null) {
      record({ kind: "form-not-opened", form: view.callback_id ?? "", why: "worked on too late" });
      return false;
    }
    try {
      await views.views.open({ trigger_id: trigger, view });
      return true;
    } catch (error) {
      if (error instanceof webApi.WebAPIRateLimitedError)
        record({ kind: "rate-limited", method: "views.open", seconds: error.retryAfter });
      const why = platformError(error) ?? (error instanceof Error ? error.name : "unknown");
      record({ kind: "form-not-opened", form: view.callback_id ?? "", why });
      return false;
    }
  };
}

export interface FormDeps {
  wrong: Pick<Wrong, "mark">;
  settings: Pick<Settings, "save">;
}

export function listenToForms(app: App, { wrong, settings }: FormDeps): void {
  app.view(WRONG_FORM, async ({ ack, body, context }) => {
    await ack();
    const { about, values, clicker } = submitted(body, WrongAbout);
    const filled: Filled = { label: chosen(values.label), words: typed(values.words) };
    await wrong.mark({ team: teamOf(context), id: about.case }, filled, clicker);
  });

  app.view(SETTINGS_FORM, async ({ ack, body, context }) => {
    await ack();
    const { values, clicker } = submitted(body, About);
    const picked = { mode: chosen(values.mode), language: chosen(values.language) };
    await settings.save(teamOf(context), picked, clicker);
  });
}

const Submitted = z.object({
  user: z.object({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  view: z.object({
    private_metadata: z.string(),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  }),
});

/** Where a form was asked for, so that its answer goes there. */
const About = z.object({ channel: z.string(), thread: z.string().nullable() });
const WrongAbout = About.extend({ case: z.string() });
export type About = z.infer<typeof About>;
export type WrongAbout = z.infer<typeof WrongAbout>;

function teamOf({ teamId, enterpriseId }: Context): string {
  return teamId ?? enterpriseId ?? "";
}

function submitted<T extends About>(body: unknown, schema: z.ZodType<T>) {
  const { user, view } = Submitted.parse(body);
  const about = schema.parse(JSON.parse(view.private_metadata));
  const name = user.name ?? user.username;
  const clicker: Clicker = {
    person: { id: user.id, ...(name ? { name } : {}) },
    channel: about.channel,
    thread: about.thread,
    trigger: null,
  };
  // One field a block, under the block's name.
  const values = Object.fromEntries(Object.entries(view.state.values).map(([id, block]) => [id, block[id]]));
  return { about, values, clicker };
}

function chosen(field: unknown): string {
  return z.object({ selected_option: z.object({ value: z.string() }) }).parse(field).selected_option.value;
}

function typed(field: unknown): string {
  return z.object({ value: z.string().nullish() }).parse(field).value ?? "";
}
