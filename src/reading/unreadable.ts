// What of a paste cannot be read, and why. An adapter has the words for it, and says what to do.

export type Why =
  /** More than is read of one message. */
  | "too-large"
  | "empty"
  | "not-text"
  /** Packed, and cannot be unpacked. */
  | "broken"
  | "zip-broken"
  | "zip-encrypted"
  /** Made to burst, or as good as. */
  | "bomb"
  /** More logs in one archive than are read. */
  | "too-many"
  /** An archive without a log in it. */
  | "nothing-inside"
  /** The rest of the archive is read. */
  | "some-left"
  /** It ends in the middle; what there is of it is read. */
  | "cut"
  /** It was deleted, or is not shown any more. */
  | "gone"
  /** The bot was installed without the right to read files. */
  | "no-scope"
  /** It lies on another host than Slack's own. */
  | "elsewhere"
  /** Slack did not give it just now. */
  | "not-fetched";

export interface LeftOut {
  /** The file, or the part of it. */
  name: string;
  why: Why;
}

/** Thrown while a file is read, by whoever finds out. */
export class Unreadable extends Error {
  override name = "Unreadable";
  readonly why: Why;

  constructor(why: Why, cause?: unknown) {
    super(why, { cause });
    this.why = why;
  }
}
