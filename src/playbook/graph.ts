// The compiled machine as Mermaid text, for people's eyes and for reviews.
import { toDirectedGraph } from "xstate/graph";
import type { Language, Playbook } from "./schema.ts";
import { compile } from "./walk.ts";

export function toMermaid(playbook: Playbook, language: Language): string {
  const graph = toDirectedGraph(compile(playbook));
  const lines = ["stateDiagram-v2"];
  const name = (id: string): string => id.replaceAll("-", "_");
  for (const { stateNode } of graph.children) {
    const step = playbook.steps[stateNode.key];
    const title = playbook.texts[language].steps[stateNode.key]?.title;
    const kind = step?.ends ? `ends ${step.ends}` : step?.hands ? `to ${step.hands}` : step?.phase;
    lines.push(
      `  state "${quoted([`${stateNode.key} (${kind})`, title].filter(Boolean).join(": "))}" as ${name(stateNode.key)}`,
    );
  }
  lines.push(`  [*] --> ${name(playbook.start)}`);
  for (const [subcause, step] of Object.entries(playbook.opens ?? {})) {
    if (step !== playbook.start) lines.push(`  [*] --> ${name(step)}: ${subcause}`);
  }
  for (const child of graph.children) {
    for (const { source, target, label } of child.edges)
      lines.push(`  ${name(source.key)} --> ${name(target.key)}: ${label.text}`);
    if (playbook.steps[child.stateNode.key]?.choices === undefined)
      lines.push(`  ${name(child.stateNode.key)} --> [*]`);
  }
  return `${lines.join("\n")}\n`;
}

/** Mermaid has no escape for a quotation mark, and a colon would begin a label. */
function quoted(text: string): string {
  return text
    .replaceAll('"', "'")
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll("#", "#35;");
}
