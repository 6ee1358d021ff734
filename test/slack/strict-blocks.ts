// What Slack refuses in a message, as far as it has been seen to: a message of ours must give an empty list.

type Json = Record<string, unknown>;

export function refused({ text, blocks }: { text?: unknown; blocks?: unknown }): string[] {
  const problems: string[] = [];
  const wrong = (what: string): void => {
    problems.push(what);
  };
  if (typeof text === "string") {
    if (text.length > 4000) wrong(`text of ${text.length}`);
    if (/<(?!@[UW][A-Z0-9]+>)/.test(text)) wrong("markup in text");
  }
  if (!Array.isArray(blocks)) return problems;
  if (blocks.length > 50) wrong(`${blocks.length} blocks`);
  if (total(blocks) > 12_000) wrong(`${total(blocks)} characters together`);
  const ids = new Set<string>();
  for (const block of blocks as Json[]) {
    if (block.type === "rich_text") richText(block, wrong);
    else if (block.type === "context") context(block, wrong);
    else if (block.type === "actions") actions(block, ids, wrong);
    else wrong(`block ${String(block.type)}`);
  }
  return problems;
}

function richText(block: Json, wrong: (what: string) => void): void {
  const parts = block.elements as Json[];
  if (parts.length === 0) wrong("empty rich_text");
  for (const part of parts) {
    if (part.type !== "rich_text_section" && part.type !== "rich_text_preformatted") wrong(`rich text ${part.type}`);
    const elements = part.elements as Json[];
    if (elements.length === 0) wrong("empty section");
    for (const element of elements) {
      if (element.type === "user") continue;
      if (element.type === "link") {
        if (!/^https?:\/\/[^\s<>|]+$/.test(String(element.url))) wrong(`link to ${element.url}`);
        continue;
      }
      if (element.type !== "text") wrong(`element ${element.type}`);
      if (typeof element.text !== "string" || element.text.length === 0) wrong("empty text element");
      else if (element.text.length > 3000) wrong(`text element of ${element.text.length}`);
      if (part.type === "rich_text_section" && /<[!@#]/.test(String(element.text))) wrong("what could be a mention");
    }
  }
}

function context(block: Json, wrong: (what: string) => void): void {
  const elements = block.elements as Json[];
  if (elements.length === 0 || elements.length > 10) wrong("context elements");
  for (const element of elements) plainText(element, 3000, wrong);
}

function actions(block: Json, ids: Set<string>, wrong: (what: string) => void): void {
  const elements = block.elements as Json[];
  if (elements.length === 0 || elements.length > 25) wrong(`${elements.length} elements in actions`);
  for (const element of elements) {
    const id = String(element.action_id);
    if (id.length > 255) wrong("action_id too long");
    if (ids.has(id)) wrong(`action_id ${id} twice`);
    ids.add(id);
    if (element.type === "button") {
      plainText(element.text as Json, 75, wrong);
      if (String(element.value ?? "").length > 2000) wrong("value too long");
    } else if (element.type === "overflow") {
      const options = element.options as Json[];
      if (options.length === 0 || options.length > 5) wrong("overflow options");
      for (const option of options) {
        plainText(option.text as Json, 75, wrong);
        if (String(option.value).length > 150) wrong("option value too long");
      }
    } else if (element.type !== "users_select") wrong(`element ${element.type}`);
    if (element.confirm) {
      const { title, text, confirm, deny } = element.confirm as Record<string, Json>;
      plainText(title as Json, 100, wrong);
      plainText(text as Json, 300, wrong);
      plainText(confirm as Json, 30, wrong);
      plainText(deny as Json, 30, wrong);
    }
  }
}

function plainText(value: Json, max: number, wrong: (what: string) => void): void {
  if (value.type !== "plain_text") wrong(`${value.type} instead of plain_text`);
  const text = String(value.text ?? "");
  if (text.length === 0) wrong("empty plain_text");
  if (text.length > max) wrong(`plain_text of ${text.length} > ${max}`);
}

function total(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + total(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (key === "text" && typeof item === "string" ? item.length : total(item)),
    0,
  );
}
