// Where the boxes of a map stand. Each step is a box with a row for each answer. An answer that leads one level on is
// drawn as a line; one that leads back, aside or to an end is named in its row, since such lines hide the map.
import { Graph, layout } from "@dagrejs/dagre";
import type { PlaybookView, ReadChoice, ReadStep } from "../case/playbook-view.ts";
import { wrapText } from "./text-width.ts";

export interface MapBox {
  step: ReadStep;
  x: number;
  y: number;
  height: number;
  title: string[];
  rows: MapRow[];
  /** A log can open here. */
  opens: boolean;
}

export interface MapRow {
  choice: ReadChoice;
  lines: string[];
  /** From the top of its box. */
  top: number;
  height: number;
  /** null where the row itself says where it leads. */
  wire: { from: [number, number]; to: [number, number] } | null;
}

export interface MapLayout {
  width: number;
  height: number;
  boxes: MapBox[];
}

export const BOX = { width: 252, pad: 10, head: 24, titleLine: 17, rowLine: 15, rowPad: 8 };
/** Where lines enter a box, from its top. */
const ENTRY = 15;
/** Beside the leftmost boxes, for the point where a walk begins. */
const MARGIN = 36;
/** How much wider bold letters are. */
const BOLD = 1.1;
/** What a row keeps free at its right for "→ 12". */
const CHIP = 44;

export function layoutMap(view: PlaybookView): MapLayout {
  const levels = levelsOf(view);
  const isWire = (from: string, to: string): boolean => levels.get(to) === (levels.get(from) ?? 0) + 1;
  const sizes = new Map(view.steps.map((step) => [step.id, sizeOf(step, (to) => isWire(step.id, to))]));

  const graph = new Graph();
  graph.setGraph({
    rankdir: "LR",
    nodesep: 16,
    ranksep: 64,
    ranker: "tight-tree",
    align: "UL",
    marginx: MARGIN,
    marginy: 12,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [id, { height }] of sizes) graph.setNode(id, { width: BOX.width, height });
  for (const { id, choices } of view.steps) {
    for (const { to } of choices) if (isWire(id, to)) graph.setEdge(id, to);
  }
  layout(graph);

  const placed = (id: string): { x: number; y: number } => {
    const { x, y } = graph.node(id);
    return { x: Math.round(x - BOX.width / 2), y: Math.round(y - (sizes.get(id)?.height ?? 0) / 2) };
  };
  const opens = new Set(view.opens.map(({ step }) => step));
  const boxes = view.steps.map((step): MapBox => {
    const { x, y } = placed(step.id);
    const { height, title, rows } = sizes.get(step.id) ?? { height: 0, title: [], rows: [] };
    return {
      step,
      x,
      y,
      height,
      title,
      opens: opens.has(step.id),
      rows: rows.map((row) => {
        if (!isWire(step.id, row.choice.to)) return { ...row, wire: null };
        const to = placed(row.choice.to);
        return { ...row, wire: { from: [x + BOX.width, y + row.top + row.height / 2], to: [to.x, to.y + ENTRY] } };
      }),
    };
  });
  const { width = 0, height = 0 } = graph.graph();
  return { width: Math.ceil(width), height: Math.ceil(height), boxes };
}

/** How many answers a step is away from where walks open. */
function levelsOf({ start, opens, steps }: PlaybookView): Map<string, number> {
  const next = new Map(steps.map(({ id, choices }) => [id, choices.map(({ to }) => to)]));
  const levels = new Map<string, number>();
  for (const first of [start, ...opens.map(({ step }) => step)]) {
    if (levels.has(first) || !next.has(first)) continue;
    levels.set(first, 0);
    const queue = [first];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      for (const to of next.get(id) ?? []) {
        if (levels.has(to) || !next.has(to)) continue;
        levels.set(to, (levels.get(id) ?? 0) + 1);
        queue.push(to);
      }
    }
  }
  return levels;
}

function sizeOf({ title, choices }: ReadStep, isWire: (to: string) => boolean) {
  const inner = BOX.width - 2 * BOX.pad;
  const said = wrapText(title, { size: 13 * BOLD, width: inner, lines: 3 });
  let top = BOX.head + said.length * BOX.titleLine + 8;
  const rows = choices.map((choice) => {
    const width = isWire(choice.to) ? inner : inner - CHIP;
    const lines = wrapText(choice.label, { size: 11.5, width, lines: 2 });
    const row = { choice, lines, top, height: lines.length * BOX.rowLine + BOX.rowPad };
    top += row.height;
    return row;
  });
  return { title: said, rows, height: top };
}
