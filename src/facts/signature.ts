// What a signature is: a pattern, the literal that finds its lines, what it weighs, and where its line comes from.
// Plain types: the zod schema is in playbook/schema.ts, so that reading a log never loads zod.

export type Weight = "strong" | "supporting" | "against";

export type Role = "cause" | "consequence" | "context";

/**
 * Named groups of `pattern` are names of facts. Three conventions keep the playbooks free of code:
 * - `<name>_size` reads a size with its unit ("3.50 GiB", "512 MB", "0 bytes") and becomes `<name>_gib` or `<name>_mib`,
 *   by the unit printed;
 * - `<name>_ranges` is not needed: a fact whose type is a list reads every number in its group ("{2, 5}", "[8, 4]", "0-3");
 * - `<name>__2`, `<name>__3` are the same fact again, since JavaScript allows a group name once.
 */
export interface Signature {
  id: string;
  pattern: string;
  /** Longest text that every match holds; derived from the pattern unless given. Several: any of them. */
  literal?: string | string[] | undefined;
  weight: Weight;
  role: Role;
  subcause?: string | undefined;
  implies?: Record<string, string | number | boolean> | undefined;
  seen: string;
  source: string;
}

/** A signature with the playbook and label it speaks for, as `diagnose` gets it. */
export interface Rule extends Signature {
  playbook: string;
  label: Label;
}

export const LABELS = [
  "nccl-timeout",
  "oom",
  "expert-imbalance",
  "loss-spike",
  "checkpoint-mismatch",
  "other",
  "none",
] as const;
export type Label = (typeof LABELS)[number];
