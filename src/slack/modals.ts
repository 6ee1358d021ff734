// Forms that open over Slack. What one is about travels in it, so nothing about it is remembered.
import type { types } from "@slack/bolt";
import { type ChannelSettings, MODES } from "../case/channels.ts";
import { LABELS } from "../facts/signature.ts";
import type { Words } from "../locale/en.ts";
import type { SlackWords } from "../locale/slack-en.ts";
import { plain, small } from "./rich.ts";

/** The forms' names, which their submissions carry. */
export const WRONG_FORM = "wrong";
export const SETTINGS_FORM = "settings";

/** Redacted before it is kept; Slack takes no more in one field. */
const WORDS = 2000;

/** What it was instead, and in which words. */
export function wrongModal(about: object, words: SlackWords, { label }: Words): types.ModalView {
  return {
    type: "modal",
    callback_id: WRONG_FORM,
    private_metadata: JSON.stringify(about),
    title: plain(words.wrong.title, 24),
    submit: plain(words.form.send, 24),
    close: plain(words.form.cancel, 24),
    blocks: [
      {
        type: "input",
        block_id: "label",
        label: plain(words.wrong.label, 2000),
        element: {
          type: "static_select",
          action_id: "label",
          options: LABELS.map((value) => ({ text: plain(label[value], 75), value })),
        },
      },
      {
        type: "input",
        block_id: "words",
        optional: true,
        label: plain(words.wrong.words, 2000),
        hint: plain(words.wrong.hint, 2000),
        element: { type: "plain_text_input", action_id: "words", multiline: true, max_length: WORDS },
      },
    ],
  };
}

/** How the bot behaves in a channel, and in which language. */
export function settingsModal(
  about: object,
  now: ChannelSettings,
  { settings, form, offShared }: SlackWords,
): types.ModalView {
  const mode = (value: (typeof MODES)[number]) => ({ text: plain(settings.mode[value], 75), value });
  const language = (value: "own" | "en" | "zh") => ({ text: plain(settings.language[value], 75), value });
  return {
    type: "modal",
    callback_id: SETTINGS_FORM,
    private_metadata: JSON.stringify(about),
    title: plain(settings.title, 24),
    submit: plain(form.save, 24),
    close: plain(form.cancel, 24),
    blocks: [
      ...(now.shared && !now.byAdmin ? [small(offShared)] : []),
      {
        type: "input",
        block_id: "mode",
        label: plain(settings.when, 2000),
        element: {
          type: "radio_buttons",
          action_id: "mode",
          options: MODES.map(mode),
          initial_option: mode(now.mode),
        },
      },
      {
        type: "input",
        block_id: "language",
        label: plain(settings.speaks, 2000),
        element: {
          type: "static_select",
          action_id: "language",
          options: [language("own"), language("en"), language("zh")],
          initial_option: language(now.language ?? "own"),
        },
      },
    ],
  };
}
