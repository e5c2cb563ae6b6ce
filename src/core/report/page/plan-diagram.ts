import { formatDuration, timeTaken } from "../../text/durations.ts";
import { countCodePoints, cutText } from "../../text/text-width.ts";
import { stateWords } from "../terminal/stage-words.ts";
import { type Html, html } from "./html.ts";
import type { PageView } from "./page-view.ts";
import { type Placed, placeStages } from "./place-stages.ts";

const NODE = { width: 158, height: 46 };
const GAP = { x: 44, y: 16 };
const MARGIN = 18;
const MAX_STAGES = 150;
const MAX_LABEL = 17;

/** Which stage needs which, from left to right. */
export function planDiagram(view: PageView): Html {
  const { run } = view;
  if (run.stages.size > MAX_STAGES)
    return html`<p class="soft">A diagram of ${run.stages.size} stages would show nothing; the table below has them all.</p>`;
  const { stages, columns, rows } = placeStages(run.graph);
  const width = MARGIN * 2 + columns * NODE.width + (columns - 1) * GAP.x;
  const height = MARGIN * 2 + rows * NODE.height + (rows - 1) * GAP.y;
  const edges = [...run.graph.dependencies].flatMap(([id, needs]) =>
    needs.flatMap((need) => {
      const from = stages.get(need);
      const to = stages.get(id);
      return from && to ? [edge(from, to)] : [];
    }),
  );
  const nodes = [...stages.values()].map((placed) => node(view, placed));
  return html`<div class="scroll"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The stages of the plan and what each of them needs">${edges}${nodes}</svg></div>`;
}

function place({ column, row }: Placed): { x: number; y: number } {
  return { x: MARGIN + column * (NODE.width + GAP.x), y: MARGIN + row * (NODE.height + GAP.y) };
}

function edge(from: Placed, to: Placed): Html {
  const a = place(from);
  const b = place(to);
  const start = { x: a.x + NODE.width, y: a.y + NODE.height / 2 };
  const end = { x: b.x - 5, y: b.y + NODE.height / 2 };
  const bend = GAP.x / 2;
  // Straight until the last gap, so that an edge over several columns bends where there is room.
  const turn = end.x + 5 - GAP.x;
  const path = `M${start.x} ${start.y} H${turn} C${turn + bend} ${start.y} ${turn + bend} ${end.y} ${end.x} ${end.y}`;
  const tip = `${end.x + 5},${end.y} ${end.x - 2},${end.y - 4} ${end.x - 2},${end.y + 4}`;
  return html`<path class="edge" d="${path}"/><polygon class="tip" points="${tip}"/>`;
}

function node(view: PageView, placed: Placed): Html {
  const record = view.run.stages.get(placed.id);
  if (!record) return html``;
  const { x, y } = place(placed);
  const { icon, word, tone } = stateWords(record, view.now);
  const took = timeTaken(record, view.now);
  const says = took === null ? word : `${word}, ${formatDuration(took)}`;
  return html`<a href="#${view.anchor(placed.id)}"><g class="node ${tone}"><title>${record.plan.name}</title><rect x="${x}" y="${y}" width="${NODE.width}" height="${NODE.height}" rx="7"/><text class="mark" x="${x + 11}" y="${y + 20}">${icon}</text><text class="mono" x="${x + 27}" y="${y + 20}">${cutText(placed.id, MAX_LABEL, countCodePoints)}</text><text class="soft" x="${x + 27}" y="${y + 36}">${says}</text></g></a>`;
}
