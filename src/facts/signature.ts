// What a signature is: a pattern, the literal that finds its lines, what it weighs, and where its line comes from.
import * as z from "zod";

export const Weight = z.enum(["strong", "supporting", "against"]);
export type Weight = z.infer<typeof Weight>;

export const Role = z.enum(["cause", "consequence", "context"]);
export type Role = z.infer<typeof Role>;

/**
 * Named groups of `pattern` are names of facts. Three conventions keep the playbooks free of code:
 * - `<name>_size` reads a size with its unit ("3.50 GiB", "512 MB", "0 bytes") and becomes `<name>_gib` or `<name>_mib`,
 *   by the unit printed;
 * - `<name>_ranges` is not needed: a fact whose type is a list reads every number in its group ("{2, 5}", "[8, 4]", "0-3");
 * - `<name>__2`, `<name>__3` are the same fact again, since JavaScript allows a group name once.
 */
export const Signature = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  pattern: z.string().min(4),
  /** Longest text that every match holds; derived from the pattern unless given. Several: any of them. */
  literal: z.union([z.string().min(4), z.array(z.string().min(4)).min(1)]).optional(),
  weight: Weight,
  role: Role,
  subcause: z.string().optional(),
  implies: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  seen: z.string(),
  source: z.string(),
});
export type Signature = z.infer<typeof Signature>;

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
