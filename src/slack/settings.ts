// The settings of one channel: a form, and what was chosen in it.
import type { webApi } from "@slack/bolt";
import { type ChannelSettings, type ChannelStore, MODES, UNSET } from "../case/channels.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import { sayMessage } from "./blocks.ts";
import type { Clicker } from "./clicking.ts";
import { isUnsure, platformError } from "./failure.ts";
import type { OpenForm } from "./forms.ts";
import { settingsModal } from "./modals.ts";
import type { Outbox } from "./outbox.ts";

export interface SettingsDeps {
  channels: ChannelStore;
  outbox: Outbox;
  openForm: OpenForm;
  client: Pick<webApi.WebClient, "users">;
  language: "en" | "zh";
  now(): Date;
}

export interface Settings {
  ask(team: string, by: Clicker): Promise<void>;
  save(team: string, chosen: { mode: string; language: string }, by: Clicker): Promise<void>;
}

export function createSettings({ channels, outbox, openForm, client, language, now }: SettingsDeps): Settings {
  async function ask(team: string, by: Clicker): Promise<void> {
    const settings = (await channels.of({ team, channel: by.channel })) ?? UNSET;
    const words = slackWordsFor(settings.language ?? language);
    const about = { channel: by.channel, thread: null };
    if (!(await openForm(by.trigger, settingsModal(about, settings, words)))) await whisper(by, words.formLate);
  }

  async function save(team: string, chosen: { mode: string; language: string }, by: Clicker): Promise<void> {
    const at = { team, channel: by.channel };
    const before = (await channels.of(at)) ?? UNSET;
    const byAdmin = await isAdmin(by.person.id);
    const mode = MODES.find((one) => one === chosen.mode) ?? before.mode;
    const spoken: ChannelSettings["language"] =
      chosen.language === "en" || chosen.language === "zh" ? chosen.language : null;
    const words = slackWordsFor(spoken ?? language);
    // Anybody may turn it off there, and an admin's yes stays while others change the rest.
    if (before.shared && !before.byAdmin && !byAdmin && mode !== "off") return whisper(by, words.offShared);
    const settings = { mode, language: spoken, byAdmin: byAdmin || before.byAdmin };
    await channels.set(at, settings, { actor: by.person.id, at: now().toISOString() });
    await whisper(by, words.settings.saved(words.settings.mode[mode]));
  }

  /** Without the right to ask Slack nobody is. */
  async function isAdmin(user: string): Promise<boolean> {
    try {
      const { user: found } = await client.users.info({ user });
      return found?.is_admin === true || found?.is_owner === true;
    } catch (error) {
      if (isUnsure(platformError(error))) throw error;
      return false;
    }
  }

  function whisper({ channel, person }: Clicker, text: string): Promise<void> {
    return outbox.whisper({ channel, thread: null, user: person.id }, sayMessage(text));
  }

  return { ask, save };
}
