// What a message says of its files -> what is needed to fetch them, now or again after a crash.
import { isObject } from "./delivery.ts";

export interface FileRef {
  id: string;
  name: string;
  /** As Slack says; what really comes is counted. */
  size: number;
  /** Empty where Slack wants to be asked for it. */
  url: string;
  mimetype: string;
  /** It was deleted, or Slack hides it by the plan's limits. */
  gone: boolean;
  /** Only a link to it lies in Slack. */
  external: boolean;
}

/** Slack takes no more in one message. */
const MOST = 10;

/** False for what is not worth fetching to find out. */
export function mayBeText({ mimetype }: FileRef): boolean {
  return !/^(?:image|video|audio|font)\/|^application\/pdf$/.test(mimetype);
}

export function filesOf(files: unknown): FileRef[] {
  return (Array.isArray(files) ? files : []).filter(isObject).slice(0, MOST).map(toRef);
}

export function toRef(file: Record<string, unknown>): FileRef {
  const text = (key: string): string => (typeof file[key] === "string" ? file[key] : "");
  const mode = text("mode");
  const url = text("url_private_download") || text("url_private");
  return {
    id: text("id"),
    name: text("name") || text("id"),
    size: typeof file.size === "number" ? file.size : 0,
    // What looked like a secret in it is not written down: Slack is asked for it again.
    url: text("file_access") === "check_file_info" || url.includes("<redacted:") ? "" : url,
    mimetype: text("mimetype"),
    gone: mode === "tombstone" || mode === "hidden_by_limit",
    external: file.is_external === true || mode === "external",
  };
}
