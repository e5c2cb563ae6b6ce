import { table } from "../../table.ts";
import { type Html, html, trustHtml } from "../html.ts";
import { type Box, layOutFlowchart, type Point, type Route } from "./lay-out-flowchart.ts";
import { type Flowchart, parseFlowchart } from "./parse-flowchart.ts";

/** An SVG for the flowcharts we understand, null for everything else. */
export function drawFlowchart(text: string): Html | null {
  const chart = parseFlowchart(text);
  const drawing = chart === null ? null : layOutFlowchart(chart);
  if (chart === null || drawing === null) return null;
  const { width, height, boxes, routes } = drawing;
  const names = chart.nodes.map((node) => node.lines.join(" ")).join(", ");
  return html`<div class="flowchart"><svg viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}" height="${Math.ceil(height)}" role="img" aria-label="${`Flowchart: ${names}`}">${routes.map((route) => drawRoute(route, chart.across))}${boxes.map((box) => drawBox(box, chart))}</svg></div>`;
}

function drawBox(box: Box, chart: Flowchart): Html {
  const style = Object.assign(
    table(),
    ...box.node.classes.map((name) => chart.styles.get(name) ?? {}),
  ) as Record<string, string>;
  const fill = style.fill ?? "";
  const ink = style.color ?? inkOn(fill);
  const paint = trustHtml(
    [
      attribute("fill", fill),
      attribute("stroke", style.stroke),
      attribute("stroke-width", style["stroke-width"]),
    ].join(""),
  );
  const middle = box.x + box.width / 2;
  const top = box.y + box.height / 2 - (box.node.lines.length - 1) * 9;
  return html`<g class="node">${shapeOf(box, paint)}${box.node.lines.map(
    (line, index) =>
      html`<text x="${round(middle)}" y="${round(top + index * 18)}"${trustHtml(attribute("fill", ink))}>${line}</text>`,
  )}</g>`;
}

function shapeOf({ node, x, y, width, height }: Box, paint: Html): Html {
  if (node.shape === "diamond") {
    const points = [
      [x + width / 2, y],
      [x + width, y + height / 2],
      [x + width / 2, y + height],
      [x, y + height / 2],
    ];
    return html`<polygon points="${points.map(([px = 0, py = 0]) => `${round(px)},${round(py)}`).join(" ")}"${paint}/>`;
  }
  const radius = node.shape === "box" ? 4 : node.shape === "round" ? 10 : height / 2;
  return html`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${radius}"${paint}/>`;
}

function drawRoute({ edge, points }: Route, across: boolean): Html {
  const last = points.at(-1);
  const first = points[0];
  if (first === undefined || last === undefined) return html``;
  const before = points.at(-2) ?? first;
  let path = `M${round(first.x)} ${round(first.y)}`;
  for (let index = 1; index < points.length; index++) {
    path += curve(points[index - 1] as Point, points[index] as Point, across);
  }
  const back = across ? last.x < before.x : last.y < before.y;
  const middle = points[Math.floor(points.length / 2)] as Point;
  const previous = points[Math.floor(points.length / 2) - 1] ?? middle;
  return html`<path class="edge ${edge.line}" d="${path}"/>${edge.arrow && arrowHead(last, across, back)}${
    edge.label !== "" &&
    html`<text class="edge-label" x="${round((middle.x + previous.x) / 2)}" y="${round((middle.y + previous.y) / 2 - 7)}">${edge.label}</text>`
  }`;
}

function curve(from: Point, to: Point, across: boolean): string {
  const half = across ? (to.x - from.x) / 2 : (to.y - from.y) / 2;
  const [a, b] = across
    ? [
        { x: from.x + half, y: from.y },
        { x: to.x - half, y: to.y },
      ]
    : [
        { x: from.x, y: from.y + half },
        { x: to.x, y: to.y - half },
      ];
  return `C${[a, b, to].map((point) => `${round(point.x)} ${round(point.y)}`).join(" ")}`;
}

function arrowHead({ x, y }: Point, across: boolean, back: boolean): Html {
  const way = back ? -1 : 1;
  const points = across
    ? [
        [x, y],
        [x - 8 * way, y - 4],
        [x - 8 * way, y + 4],
      ]
    : [
        [x, y],
        [x - 4, y - 8 * way],
        [x + 4, y - 8 * way],
      ];
  return html`<polygon class="arrow" points="${points.map(([px = 0, py = 0]) => `${round(px)},${round(py)}`).join(" ")}"/>`;
}

function attribute(name: string, value: string | undefined): string {
  return value === undefined || value === "" ? "" : html` ${name}="${value}"`.markup;
}

/** A label must stay readable on a fill that was chosen for the other colour scheme. */
function inkOn(fill: string): string {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(fill)?.[1];
  if (hex === undefined) return fill === "" ? "" : "#1c2128";
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#1c2128" : "#ffffff";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
