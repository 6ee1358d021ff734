// Buttons: what they say and what they carry. A click carries its own context, so nothing about it is remembered.
import type { types } from "@slack/bolt";
import * as z from "zod";
import { ADOPT } from "../case/newer.ts";
import type { View } from "../case/view-type.ts";
import type { SlackWords } from "../locale/slack-en.ts";
import { type Block, lines, plain } from "./rich.ts";
import { clip } from "./text.ts";

/** What an answer's button carries in its value. */
export const Click = z.object({ case: z.string(), step: z.string(), choice: z.string() });
export type Click = z.infer<typeof Click>;

export const MORE = ["back", "hand-over", "escalate", "close", "wrong"] as const;
export type More = (typeof MORE)[number];

export const OUTCOMES = ["fixed", "mitigated", "handed-over", "not-a-fault", "unknown"] as const;

/** Slack takes 25 elements in a row of actions. */
const ROW = 25;
/** Rows of answers; no step has so many, but a message must never be refused. */
const ROWS = 4;

/** The answers, then "Show lines". */
export function actionRows(view: View, words: SlackWords): Block[] {
  const choices = (view.step?.choices ?? []).slice(0, ROW * ROWS - 1);
  const many = choices.length > 12;
  const buttons = choices.map(({ id, label }) => answerButton(view, words, { id, label, many }));
  if (view.evidence.length > 0) buttons.push(button(`show-lines:${view.case}`, words.showLines, view.case));
  const rows: Block[] = [];
  for (let at = 0; at < buttons.length && rows.length < ROWS; at += ROW)
    rows.push({ type: "actions", elements: buttons.slice(at, at + ROW) });
  return rows;
}

/** Where there are many, each is shorter: all texts of a message share one budget. */
function answerButton(
  view: View,
  words: SlackWords,
  { id: choice, label, many }: { id: string; label: string; many: boolean },
): types.Button {
  const step = view.step?.id ?? "";
  const value: Click = { case: view.case, step, choice };
  return {
    ...button(`answer:${choice}`.slice(0, 255), many ? clip(label, 30) : label, JSON.stringify(value)),
    ...(view.step?.riskName && !choice.startsWith("reopen:") && choice !== ADOPT && !many
      ? { confirm: confirmation(words, clip(view.step.riskName, 60), view.step.undo) }
      : {}),
  };
}

/** Before anything that changes a run or a cluster or loses work: asked once, by Slack's own dialog. */
function confirmation(words: SlackWords, risk: string, undo: string | null): types.ConfirmationDialog {
  return {
    title: plain(words.confirm.title, 100),
    text: plain(words.confirm.say(risk, undo ? `${words.undo}${undo} ` : ""), 300),
    confirm: plain(words.confirm.yes, 30),
    deny: plain(words.confirm.no, 30),
  };
}

/** What else a person can do with a case; a row of its own, so that it never falls off a full one. */
export function moreMenu(view: View, words: SlackWords): Block[] {
  const able: More[] = view.ended ? ["back", "wrong"] : [...MORE];
  // A case that a person closed takes nothing more.
  if (view.step === null) return [];
  return [
    {
      type: "actions",
      elements: [
        {
          type: "overflow",
          action_id: `more:${view.case}`,
          options: able.map((verb) => ({
            text: plain(words.more[verb], 75),
            value: verb === "back" ? `back:${view.seq}` : verb,
          })),
        },
      ],
    },
  ];
}

/** What a button to read a message carries: where that message stands. */
export const Look = z.object({ ts: z.string(), thread: z.string() });
export type Look = z.infer<typeof Look>;

export function lookButton(look: Look, label: string): Block {
  return { type: "actions", elements: [button(`look:${look.ts}`, label, JSON.stringify(look))] };
}

/** Asked of one person: who takes the case. */
export function askHandOver(id: string, words: SlackWords): Block[] {
  return [
    lines([[{ text: words.asks.handOver }]]),
    {
      type: "actions",
      elements: [
        { type: "users_select", action_id: `hand-over:${id}`, placeholder: plain(words.asks.handOverPick, 150) },
      ],
    },
  ];
}

export function askEscalate(id: string, words: SlackWords): Block[] {
  return [
    lines([[{ text: words.asks.escalate }]]),
    { type: "actions", elements: [{ ...button(`escalate:${id}`, words.asks.escalateYes, id), style: "danger" }] },
  ];
}

export function askOutcome(id: string, words: SlackWords): Block[] {
  return [
    lines([[{ text: words.asks.close }]]),
    {
      type: "actions",
      elements: OUTCOMES.map((outcome) => button(`close:${outcome}`, words.outcome[outcome], id)),
    },
  ];
}

function button(action: string, label: string, value: string): types.Button {
  return { type: "button", action_id: action, text: plain(label, 75), value: value.slice(0, 2000) };
}
