import type { Flowchart } from "./parse-flowchart.ts";

/** The longest way from a start decides how far along a node stands. Edges that close a circle do not count. */
export function assignLayers(chart: Flowchart): Map<string, number> {
  const next = new Map<string, string[]>(chart.nodes.map((node) => [node.id, []]));
  for (const edge of chart.edges) next.get(edge.from)?.push(edge.to);
  const order: string[] = [];
  const state = new Map<string, "open" | "done">();
  const forward = new Set<string>();
  for (const root of chart.nodes) {
    if (state.has(root.id)) continue;
    state.set(root.id, "open");
    const stack = [{ id: root.id, at: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = next.get(top.id)?.[top.at++];
      if (child === undefined) {
        state.set(top.id, "done");
        order.unshift(top.id);
        stack.pop();
      } else if (state.get(child) !== "open") {
        forward.add(`${top.id} ${child}`);
        if (!state.has(child)) {
          state.set(child, "open");
          stack.push({ id: child, at: 0 });
        }
      }
    }
  }
  const layers = new Map<string, number>(order.map((id) => [id, 0]));
  for (const id of order) {
    for (const child of next.get(id) ?? []) {
      if (!forward.has(`${id} ${child}`)) continue;
      layers.set(child, Math.max(layers.get(child) ?? 0, (layers.get(id) ?? 0) + 1));
    }
  }
  return layers;
}
