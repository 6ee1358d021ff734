// The one place where text becomes HTML: whatever is put into a template is escaped, but for HTML made here.

/** HTML that is safe as it stands. */
export interface Html {
  readonly html: string;
}

export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return { html: parts.map((part, at) => part + (at < pieces.length ? toHtml(pieces[at]) : "")).join("") };
}

/** Our own styles and scripts, never a text of a playbook. */
export function ours(text: string): Html {
  return { html: text };
}

function toHtml(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return "";
  if (typeof piece === "string" || typeof piece === "number") return escapeHtml(String(piece));
  return "html" in piece ? piece.html : piece.map(toHtml).join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Good for text and for attributes in either kind of quotation marks. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** An address that may be linked; anything but http and https is only shown. */
export function isWebAddress(address: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(address);
}
