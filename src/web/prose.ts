// Sentences of a playbook as paragraphs. What people type (flags, names with underscores, paths) is set apart.
import { type Html, html } from "./html.ts";

/** What a log would fill in, and what people type: a flag, a name with an underscore and what is glued to it, a path of the system. */
const TYPED =
  /(<[a-z0-9_]+>|(?<![\w-])--[a-z][\w-]*(?:=[\w.,:/-]*\w)?|(?<![\w./-])[\w./-]*\w_\w[\w./-]*(?:=[\w.,:/-]*\w)?(?:\(\))?|(?<![\w.])\/(?:dev|proc|sys|etc|var|tmp|mnt)\/[\w./-]*\w)/;

export function prose(text: string): Html {
  const paragraphs = text.split(/\n+/).filter((paragraph) => paragraph.trim() !== "");
  return html`${paragraphs.map((paragraph) => html`<p>${typed(paragraph)}</p>`)}`;
}

/** `split` with one group gives what matched at every odd place. */
function typed(text: string): (Html | string)[] {
  return text
    .split(TYPED)
    .map((part, at) =>
      at % 2 === 0 ? part : part.startsWith("<") ? html`<var>${part}</var>` : html`<code>${part}</code>`,
    );
}
