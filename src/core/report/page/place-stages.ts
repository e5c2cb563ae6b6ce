import type { StageGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";

export type Placed = { readonly id: StageId; readonly column: number; readonly row: number };
export type Placement = {
  readonly stages: ReadonlyMap<StageId, Placed>;
  readonly columns: number;
  readonly rows: number;
};

/**
 * A column per level. Within a column each stage stands near the middle of what it depends on, so that edges cross little;
 * columns are centred, which makes a diamond look like one. Rows may lie between two whole ones.
 */
export function placeStages({ order, levels, dependencies }: StageGraph): Placement {
  const columns: StageId[][] = [];
  for (const id of order) {
    const level = levels.get(id) ?? 0;
    columns[level] = [...(columns[level] ?? []), id];
  }
  const rows = Math.max(0, ...columns.map((column) => column.length));
  const stages = new Map<StageId, Placed>();
  for (const [column, ids] of columns.entries()) {
    const middle = (id: StageId): number => {
      const above = (dependencies.get(id) ?? []).map((one) => stages.get(one)?.row ?? 0);
      return above.length === 0 ? 0 : above.reduce((sum, row) => sum + row, 0) / above.length;
    };
    const sorted = ids.map((id) => ({ id, at: middle(id) })).sort((a, b) => a.at - b.at);
    const first = (rows - ids.length) / 2;
    for (const [index, { id }] of sorted.entries()) stages.set(id, { id, column, row: first + index });
  }
  return { stages, columns: columns.length, rows };
}
