// Blocks, as Slack was given them -> rows of styled text. Pure; what a button is, is told apart for whoever numbers them.
import type { FakeElement, Json } from "./fake/world.ts";
import { markup } from "./markup.ts";
import { linesOf, type NameOf, type Row, type Span } from "./styled.ts";

export function rowsOf(blocks: readonly unknown[], nameOf: NameOf): Row[] {
  return (blocks as Json[]).flatMap((block): Row[] => {
    const {
      type,
      text,
      elements = [],
      fields = [],
      accessory,
    } = block as Json & { elements?: Json[]; fields?: Json[] };
    switch (type) {
      case "rich_text":
        return richRows(elements, nameOf);
      case "section":
        return [
          ...(text ? textRows(text as Json, nameOf) : []),
          ...fields.flatMap((field) => textRows(field, nameOf)),
          ...(accessory ? [actions([accessory as FakeElement])] : []),
        ];
      case "header":
        return [{ kind: "text", spans: [{ text: textIn(text), bold: true }] }];
      case "context":
        return elements.flatMap((element) => textRows(element, nameOf)).map(dimmed);
      case "divider":
        return [{ kind: "rule" }];
      case "actions":
        return [actions(elements as unknown as FakeElement[])];
      case "markdown":
        return markup(String(text), nameOf);
      case "image":
        return [{ kind: "text", spans: [{ text: `[${block.alt_text}]`, italic: true }] }];
      default:
        return [];
    }
  });
}

/** Sections follow each other without a break of their own; a line ends where a text says so. */
function richRows(parts: readonly Json[], nameOf: NameOf): Row[] {
  const rows: Row[] = [];
  let spans: Span[] = [];
  const flush = (): void => {
    if (spans.length > 0) rows.push(...linesOf(spans));
    spans = [];
  };
  for (const part of parts) {
    const elements = (part.elements ?? []) as Json[];
    if (part.type === "rich_text_section") {
      spans.push(...elements.map((element) => spanOf(element, nameOf)));
      continue;
    }
    flush();
    if (part.type === "rich_text_preformatted") rows.push({ kind: "code", text: elements.map(textIn).join("") });
    else if (part.type === "rich_text_list")
      for (const item of elements)
        rows.push(...linesOf([{ text: "• " }, ...((item.elements ?? []) as Json[]).map((one) => spanOf(one, nameOf))]));
    else rows.push(...linesOf([{ text: "> " }, ...elements.map((element) => spanOf(element, nameOf))]));
  }
  flush();
  return rows;
}

function spanOf(element: Json, nameOf: NameOf): Span {
  const { bold, italic, strike } = (element.style ?? {}) as Span;
  const style = { ...(bold ? { bold } : {}), ...(italic ? { italic } : {}), ...(strike ? { strike } : {}) };
  return { text: shown(element, nameOf), ...style };
}

function shown(element: Json, nameOf: NameOf): string {
  switch (element.type) {
    case "user":
      return `@${nameOf(String(element.user_id))}`;
    case "channel":
      return `#${nameOf(String(element.channel_id))}`;
    case "usergroup":
      return `@${element.usergroup_id}`;
    case "broadcast":
      return `@${element.range}`;
    case "emoji":
      return `:${element.name}:`;
    case "date":
      return String(element.fallback ?? "");
    case "link":
      return element.text && element.text !== element.url ? `${element.text} (${element.url})` : String(element.url);
    default:
      return textIn(element);
  }
}

function textRows(element: Json, nameOf: NameOf): Row[] {
  if (element.type === "mrkdwn") return markup(textIn(element), nameOf);
  if (element.type === "image") return [{ kind: "text", spans: [{ text: `[${element.alt_text}]`, italic: true }] }];
  return linesOf([{ text: textIn(element) }]);
}

function actions(elements: FakeElement[]): Row {
  return { kind: "actions", elements };
}

function dimmed(row: Row): Row {
  return row.kind === "text" ? { ...row, spans: row.spans.map((span) => ({ ...span, dim: true })) } : row;
}

function textIn(value: unknown): string {
  return String((value as { text?: unknown } | undefined)?.text ?? "");
}
