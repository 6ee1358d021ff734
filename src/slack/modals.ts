// Forms that open over Slack. What one is about travels in it, so nothing about it is remembered.
import type { types } from "@slack/bolt";
import { LABELS } from "../facts/signature.ts";
import type { Words } from "../locale/en.ts";
import type { SlackWords } from "../locale/slack-en.ts";
import { plain } from "./rich.ts";

/** The forms' names, which their submissions carry. */
export const WRONG_FORM = "wrong";

/** Redacted before it is kept; Slack takes no more in one field. */
const WORDS = 2000;

/** What it was instead, and in which words. */
export function wrongModal(about: object, words: SlackWords, { label }: Words): types.ModalView {
  return {
    type: "modal",
    callback_id: WRONG_FORM,
    private_metadata: JSON.stringify(about),
    title: plain(words.wrong.title, 24),
    submit: plain(words.wrong.submit, 24),
    close: plain(words.wrong.close, 24),
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
