import { assignLayers } from "./assign-layers.ts";
import type { Flowchart, FlowEdge, FlowNode } from "./parse-flowchart.ts";

export type Box = {
  readonly node: FlowNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
export type Point = { readonly x: number; readonly y: number };
export type Route = { readonly edge: FlowEdge; readonly points: readonly Point[] };
export type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly routes: readonly Route[];
};

const LAYER_GAP = 52;
const NODE_GAP = 22;
const MARGIN = 12;
const MOST_BENDS = 2000;

/** A cell is a node, or the place where a long edge passes through a layer. */
type Cell = {
  node: FlowNode | null;
  layer: number;
  order: number;
  length: number;
  breadth: number;
  at: number;
};

/**
 * Layers by longest path, a few sweeps that put each cell near its neighbours, then coordinates. `length` runs with the
 * arrows, `breadth` across them, so that left-to-right and top-down share everything. null: too tangled to draw.
 */
export function layOutFlowchart(chart: Flowchart): Drawing | null {
  const layers = assignLayers(chart);
  const span = ({ from, to }: FlowEdge): number => Math.abs((layers.get(to) ?? 0) - (layers.get(from) ?? 0));
  if (chart.edges.reduce((sum, edge) => sum + span(edge), 0) > MOST_BENDS) return null;
  const cells = new Map<string, Cell>();
  for (const node of chart.nodes) {
    const size = sizeOf(node);
    const [length, breadth] = chart.across ? [size.width, size.height] : [size.height, size.width];
    cells.set(node.id, { node, layer: layers.get(node.id) ?? 0, order: 0, length, breadth, at: 0 });
  }
  const chains = chart.edges.map((edge, index) => chainOf(edge, index, cells));
  const columns = arrange(cells, chains);
  const starts = placeLayers(columns);
  placeAcross(columns, chains, cells);

  const far = Math.max(...[...cells.values()].map((cell) => cell.at + cell.breadth / 2));
  const near = Math.min(...[...cells.values()].map((cell) => cell.at - cell.breadth / 2));
  const depth = starts.at(-1) ?? 0;
  const center = (cell: Cell): { along: number; across: number } => ({
    along: MARGIN + (starts[cell.layer] ?? 0) + layerLength(columns[cell.layer] ?? []) / 2,
    across: MARGIN + cell.at - near,
  });
  const point = (along: number, across: number): Point =>
    chart.across ? { x: along, y: across } : { x: across, y: along };

  const boxes: Box[] = [];
  for (const cell of cells.values()) {
    if (cell.node === null) continue;
    const { along, across } = center(cell);
    const { x, y } = point(along, across);
    const [width, height] = chart.across ? [cell.length, cell.breadth] : [cell.breadth, cell.length];
    boxes.push({ node: cell.node, x: x - width / 2, y: y - height / 2, width, height });
  }
  const routes = chains.map((chain, index): Route => {
    const points = chain.flatMap((id, position) => {
      const cell = cells.get(id);
      if (cell === undefined) return [];
      const { along, across } = center(cell);
      if (cell.node === null) return [point(along, across)];
      const side = position === 0 ? leavingSide(chain, cells) : -leavingSide(chain, cells);
      return [point(along + (side * cell.length) / 2, across)];
    });
    return { edge: chart.edges[index] as FlowEdge, points };
  });
  const along = depth + 2 * MARGIN;
  const across = far - near + 2 * MARGIN;
  return chart.across
    ? { width: along, height: across, boxes, routes }
    : { width: across, height: along, boxes, routes };
}

/** Forward edges leave at the end of their box, those that close a circle at its beginning. */
function leavingSide(chain: readonly string[], cells: ReadonlyMap<string, Cell>): 1 | -1 {
  const from = cells.get(chain[0] ?? "")?.layer ?? 0;
  const to = cells.get(chain.at(-1) ?? "")?.layer ?? 0;
  return to < from ? -1 : 1;
}

function sizeOf(node: FlowNode): { width: number; height: number } {
  const longest = Math.max(...node.lines.map((line) => [...line].length), 2);
  const room = node.shape === "diamond" ? 56 : 28;
  return {
    width: Math.round(longest * 7.3 + room),
    height: node.lines.length * 18 + (node.shape === "diamond" ? 34 : 18),
  };
}

/** The cells an edge visits; one is added for every layer it jumps over. */
function chainOf(edge: FlowEdge, index: number, cells: Map<string, Cell>): string[] {
  const from = cells.get(edge.from)?.layer ?? 0;
  const to = cells.get(edge.to)?.layer ?? 0;
  const step = to >= from ? 1 : -1;
  const chain = [edge.from];
  for (let layer = from + step; (to - layer) * step > 0; layer += step) {
    const id = ` ${index} ${layer}`;
    cells.set(id, { node: null, layer, order: 0, length: 0, breadth: 8, at: 0 });
    chain.push(id);
  }
  return [...chain, edge.to];
}

function arrange(cells: ReadonlyMap<string, Cell>, chains: readonly (readonly string[])[]): Cell[][] {
  const columns: Cell[][] = [];
  for (const cell of cells.values()) {
    columns[cell.layer] ??= [];
    cell.order = columns[cell.layer]?.push(cell) ?? 0;
  }
  const neighbours = neighboursOf(cells, chains);
  for (let sweep = 0; sweep < 8; sweep++) {
    const down = sweep % 2 === 0;
    for (const column of down ? columns : [...columns].reverse()) {
      const wish = new Map<Cell, number>();
      for (const cell of column) {
        const near = (neighbours.get(cell) ?? []).filter((other) =>
          down ? other.layer < cell.layer : other.layer > cell.layer,
        );
        wish.set(
          cell,
          near.length === 0 ? cell.order : near.reduce((sum, other) => sum + other.order, 0) / near.length,
        );
      }
      column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
      column.forEach((cell, order) => {
        cell.order = order;
      });
    }
  }
  return columns;
}

function neighboursOf(
  cells: ReadonlyMap<string, Cell>,
  chains: readonly (readonly string[])[],
): Map<Cell, Cell[]> {
  const neighbours = new Map<Cell, Cell[]>([...cells.values()].map((cell) => [cell, []]));
  for (const chain of chains) {
    for (let index = 1; index < chain.length; index++) {
      const a = cells.get(chain[index - 1] ?? "");
      const b = cells.get(chain[index] ?? "");
      if (a === undefined || b === undefined) continue;
      neighbours.get(a)?.push(b);
      neighbours.get(b)?.push(a);
    }
  }
  return neighbours;
}

function layerLength(column: readonly Cell[]): number {
  return Math.max(0, ...column.map((cell) => cell.length));
}

/** Where each layer starts, and as the last entry where the drawing ends. */
function placeLayers(columns: readonly (readonly Cell[])[]): number[] {
  const starts = [0];
  columns.forEach((column, layer) => {
    const gap = layer === columns.length - 1 ? 0 : LAYER_GAP;
    starts.push((starts.at(-1) ?? 0) + layerLength(column) + gap);
  });
  return starts;
}

/** First side by side, then each column moves as a whole and its cells as far as they may towards their neighbours. */
function placeAcross(
  columns: readonly (readonly Cell[])[],
  chains: readonly (readonly string[])[],
  cells: ReadonlyMap<string, Cell>,
): void {
  const neighbours = neighboursOf(cells, chains);
  for (const column of columns) {
    const total = column.reduce((sum, cell) => sum + cell.breadth + NODE_GAP, -NODE_GAP);
    let edge = -total / 2;
    for (const cell of column) {
      cell.at = edge + cell.breadth / 2;
      edge += cell.breadth + NODE_GAP;
    }
  }
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : [...columns].reverse()) {
      column.forEach((cell, index) => {
        const near = neighbours.get(cell) ?? [];
        if (near.length === 0) return;
        const wish = near.reduce((sum, other) => sum + other.at, 0) / near.length;
        const left = column[index - 1];
        const right = column[index + 1];
        const low =
          left === undefined
            ? Number.NEGATIVE_INFINITY
            : left.at + (left.breadth + cell.breadth) / 2 + NODE_GAP;
        const high =
          right === undefined
            ? Number.POSITIVE_INFINITY
            : right.at - (right.breadth + cell.breadth) / 2 - NODE_GAP;
        cell.at = Math.max(low, Math.min(high, wish));
      });
    }
  }
}
