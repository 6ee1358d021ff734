// Opens forms while their trigger lives, and hands on what was filled in.
import type { App, types, webApi } from "@slack/bolt";
import * as z from "zod";
import type { Clicker } from "./clicking.ts";
import { platformError } from "./failure.ts";
import type { RecordSlack } from "./happened.ts";
import { WRONG_FORM } from "./modals.ts";
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
      const why = platformError(error) ?? (error instanceof Error ? error.name : "unknown");
      record({ kind: "form-not-opened", form: view.callback_id ?? "", why });
      return false;
    }
  };
}

export interface FormDeps {
  wrong: Pick<Wrong, "mark">;
}

export function listenToForms(app: App, { wrong }: FormDeps): void {
  app.view(WRONG_FORM, async ({ ack, body, context }) => {
    await ack();
    const { about, values, clicker } = submitted(body);
    const filled: Filled = { label: chosen(values.label), words: typed(values.words) };
    await wrong.mark({ team: context.teamId ?? context.enterpriseId ?? "", id: about.case }, filled, clicker);
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
const About = z.object({ case: z.string(), channel: z.string(), thread: z.string().nullable() });
export type About = z.infer<typeof About>;

function submitted(body: unknown) {
  const { user, view } = Submitted.parse(body);
  const about = About.parse(JSON.parse(view.private_metadata));
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
