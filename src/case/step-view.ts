// What one step says: for a case, with the facts known filled in, and for a playbook read without one.
import type { Words } from "../locale/en.ts";
import type { Step, StepTexts } from "../playbook/schema.ts";
import type { StepView } from "./view-type.ts";

export interface StepOf {
  /** "where" */
  name: string;
  /** Absent where the playbook is not loaded, or no longer has it. */
  step: Step | undefined;
  texts: StepTexts;
  /** The playbook's programs, by name. */
  scripts?: Readonly<Record<string, string>>;
}

/** How `{{fact}}` is filled in. */
export interface Filling {
  text(text: string): string;
  /** A text for another team, where what is not known stays to be filled in. */
  form(text: string): string;
  command(command: string): string;
}

export function createStepSaying(words: Words, filling: Filling) {
  const fill = (text: string | undefined, by = filling.text): string | null =>
    text === undefined ? null : words.tidy(by(text).trim());

  function title({ name, texts }: StepOf): string {
    return fill(texts.title) ?? firstSentence(fill(texts.say)) ?? name;
  }

  function label({ texts }: StepOf, choice: string): string {
    return fill(texts.choices?.[choice]) ?? choice;
  }

  function body(of: StepOf): Omit<StepView, "id" | "choices"> {
    const { step, texts, scripts } = of;
    const script = step?.script;
    const risk = step?.risk ?? "none";
    return {
      phase: step?.phase ?? null,
      phaseName: step?.phase ? words.phase[step.phase] : null,
      title: title(of),
      say: fill(texts.say) ?? "",
      command: step?.command === undefined ? null : filling.command(step.command).trim(),
      script: script === undefined ? null : { name: script, text: scripts?.[script] ?? "" },
      expect: fill(texts.expect),
      risk,
      riskName: words.risk[risk],
      undo: fill(texts.undo),
      stop: fill(texts.stop),
      call: fill(texts.call, filling.form),
      commonly: fill(texts.commonly),
      sources: step?.sources ?? [],
    };
  }

  return { title, label, body };
}

/** Chinese full stops need no blank after them. */
function firstSentence(text: string | null): string | null {
  return text === null ? null : (/^.*?(?:[.?!](?=\s|$)|[\u3002\uff1f\uff01])/s.exec(text)?.[0] ?? text);
}
