// The shape of a phase: told by form and word, not by colour alone.
import type { Phase } from "../playbook/schema.ts";
import { type Html, html } from "./html.ts";

export type Marked = Phase | "end" | "hands";

/** Drawn in a square of 12. */
const SHAPES: Record<Marked, string> = {
  symptom: "M6 1a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  locate: "M6 0l6 6l-6 6l-6-6z",
  fix: "M6 .5l6 11h-12z",
  verify: "M3 .8h6l3 5.2l-3 5.2h-6l-3-5.2z",
  end: "M1.5 1.5h9v9h-9z",
  hands: "M0 4.5h6v-4l6 5.5l-6 5.5v-4h-6z",
};

export function markPath(marked: Marked): string {
  return SHAPES[marked];
}

/** Beside a word that says the same. */
export function mark(marked: Marked): Html {
  return html`<svg class="mark ${marked}" viewBox="0 0 12 12" aria-hidden="true"><path d="${SHAPES[marked]}"/></svg>`;
}
