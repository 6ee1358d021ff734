// Logs are written by strangers, and a view holds parts of them.

/** What a text must not do where it is shown: move a cursor, change colours, turn what is around it about. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function safe(text: string): string {
  return text.replace(UNSAFE, "\ufffd");
}
