import type { RunOrder } from "../../../graph/with-synthesis.ts";
import type { StageId } from "../../../ids.ts";

const MAX_STAGES = 120;
/** GitHub's renderer gives up above 500. */
const MAX_EDGES = 400;

/**
 * The graph as Mermaid, made from ids only and never from a model's words: nodes are numbered, and labels keep nothing
 * but letters, digits and dashes. Empty when it would be too large to be drawn.
 */
export function renderDiagram(graph: RunOrder, criticalPath: readonly StageId[]): string {
  if (graph.order.length > MAX_STAGES) return "";
  const edges = graph.order.flatMap((id) =>
    (graph.dependencies.get(id) ?? []).map((from): [StageId, StageId] => [from, id]),
  );
  if (edges.length > MAX_EDGES) return "";
  const nodes = new Map(graph.order.map((id, index) => [id, `s${index}`]));
  const nodeOf = (id: StageId): string => nodes.get(id) ?? "s";
  const critical = criticalPath.filter((id) => nodes.has(id)).map(nodeOf);
  const lines = [
    "flowchart LR",
    ...graph.order.map((id) => `  ${nodeOf(id)}["${id.replace(/[^A-Za-z0-9-]/g, " ")}"]`),
    ...edges.map(([from, to]) => `  ${nodeOf(from)} --> ${nodeOf(to)}`),
  ];
  if (critical.length > 1 && critical.length < graph.order.length) {
    lines.push("  classDef critical stroke-width:3px", `  class ${critical.join(",")} critical`);
  }
  return `\`\`\`mermaid\n${lines.join("\n")}\n\`\`\``;
}
