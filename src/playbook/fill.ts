// `{{fact}}` in commands and texts. Logs are written by strangers: a value enters a command only if all of it fits
// the characters its fact allows; otherwise `<fact>` stays, for a person to fill in.
import { FACTS } from "../facts/catalogue.ts";
import type { FactValue } from "../facts/fact.ts";
import { forFramework } from "./framework.ts";

type Values = Readonly<Record<string, FactValue>>;

const PLACE = /\{\{\s*([a-z0-9_]+)\s*\}\}/g;

/** The facts named in a text, each once. */
export function placesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACE), ([, name]) => name ?? ""))];
}

/** Whether a text holds "{{" that begins no place: never closed, or another name than a fact can have. */
export function hasOddPlace(text: string): boolean {
  return text.replace(PLACE, "").includes("{{");
}

/** Whether any value of this fact could enter a command. */
export function entersCommands(name: string): boolean {
  const kind = Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
  return kind !== undefined && (kind.type === "number" || kind.type === "numbers" || kind.chars !== undefined);
}

export function fillCommand(command: string, values: Values): string {
  return forFramework(command, values).replace(
    PLACE,
    (_, name: string) => inCommand(name, known(values, name)) ?? toFillIn(name),
  );
}

/**
 * A text for people: whatever was found, as plain text; who shows it escapes it. What stands in brackets about a fact that
 * is not known is left out, and so is a sentence about one, where others stay. What a person must do therefore names facts
 * in brackets only.
 */
export function fillText(text: string, values: Values): string {
  const told = (one: string): boolean => placesOf(one).every((name) => known(values, name) !== undefined);
  const sentences = text.replace(ASIDE, (aside) => (told(aside) ? aside : "")).split(SENTENCE_ENDS);
  const kept = sentences.filter(told).join("").trimEnd();
  return fillForm(kept === "" ? text : kept, values);
}

/** A text for another team, to be sent whole: what is not known stays as `<host>`, for a person to fill in. */
export function fillForm(text: string, values: Values): string {
  return text.replace(PLACE, (_, name: string) => {
    const value = known(values, name);
    return value === undefined ? toFillIn(name) : asText(value);
  });
}

/** "(rank {{rank}})", with the blank before it. */
const ASIDE = /\s?[(（][^()（）]{0,300}[)）]/g;

/** After a full stop and the blanks behind it; Chinese sets none. A dot inside a number or a name ends nothing. */
const SENTENCE_ENDS = /(?<=[.!?]["')]?\s+)(?=\S)|(?<=[。！？])/;

/** `<job>`: also what a person types over. */
function toFillIn(name: string): string {
  return `<${name}>`;
}

function known(values: Values, name: string): FactValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function inCommand(name: string, value: FactValue | undefined): string | undefined {
  const kind = Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
  if (!kind || value === undefined) return undefined;
  const members: readonly (string | number | boolean)[] = Array.isArray(value)
    ? value
    : [value as string | number | boolean];
  if (members.length === 0) return undefined;
  const numeric = kind.type === "number" || kind.type === "numbers";
  // `chars` may be written without care for line ends: a newline never belongs into a command.
  const fits = (member: string | number | boolean): boolean =>
    numeric
      ? typeof member === "number" && Number.isFinite(member)
      : typeof member === "string" &&
        !member.startsWith("-") &&
        !/\s/.test(member) &&
        kind.chars?.exec(member)?.[0] === member;
  return members.every(fits)
    ? members.map((member) => (typeof member === "number" ? plain(member) : member)).join(",")
    : undefined;
}

function asText(value: FactValue): string {
  const members: readonly (string | number | boolean)[] = Array.isArray(value)
    ? value
    : [value as string | number | boolean];
  return members.map((member) => (typeof member === "number" ? rounded(member) : String(member))).join(", ");
}

/** Every digit, never in the form 1e21. */
function plain(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 }) : text;
}

/** As precise as a person needs: whole numbers whole, others to four digits or two places, whichever says more. */
function rounded(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? String(Number(value.toFixed(2))) : String(Number(value.toPrecision(4)));
}
