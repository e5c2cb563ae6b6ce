import { describe, expect, it } from "vitest";
import { drawFlowchart } from "../../playground/pages/mermaid/draw-flowchart.ts";
import { type Drawing, layOutFlowchart } from "../../playground/pages/mermaid/lay-out-flowchart.ts";
import { type Flowchart, parseFlowchart } from "../../playground/pages/mermaid/parse-flowchart.ts";

function parse(text: string): Flowchart {
  const chart = parseFlowchart(text);
  if (chart === null) throw new Error("this flowchart was not understood");
  return chart;
}

function layOut(text: string): Drawing {
  const drawing = layOutFlowchart(parse(text));
  if (drawing === null) throw new Error("this flowchart was not laid out");
  return drawing;
}

describe("reading", () => {
  it("reads nodes, labels, shapes, classes and edges", () => {
    const chart = parse(
      'flowchart TD\n%% status\n  a["Plan #quot;x#quot;"]:::done --> b("Build<br/>it")\n  b & c -->|then| d{"Ship?"};\n  classDef done fill:#0f0,stroke:#333\n  class b,c done',
    );
    expect(chart.across).toBe(false);
    expect(chart.nodes).toEqual([
      { id: "a", lines: ['Plan "x"'], shape: "box", classes: ["done"] },
      { id: "b", lines: ["Build", "it"], shape: "round", classes: ["done"] },
      { id: "c", lines: ["c"], shape: "box", classes: ["done"] },
      { id: "d", lines: ["Ship?"], shape: "diamond", classes: [] },
    ]);
    expect(chart.edges.map(({ from, to, label }) => `${from}>${to} ${label}`.trim())).toEqual([
      "a>b",
      "b>d then",
      "c>d then",
    ]);
    expect(chart.styles.get("done")).toEqual({ fill: "#0f0", stroke: "#333" });
  });

  it("keeps ids with dashes apart from arrows", () => {
    expect(parse("graph LR\n add-tax-->ship-it --> z").nodes.map(({ id }) => id)).toEqual([
      "add-tax",
      "ship-it",
      "z",
    ]);
  });

  it.each([
    "sequenceDiagram\n a->>b: x",
    "flowchart LR",
    "flowchart LR\n subgraph x\n a\n end",
    'flowchart LR\n a["open',
    "flowchart LR\n a ~~> b",
    "",
    "<script>",
  ])("gives up on %j instead of drawing something else", (text) => expect(parseFlowchart(text)).toBeNull());

  it("takes nothing but colours and lengths into the drawing", () => {
    const chart = parse(
      'flowchart LR\n a\n classDef x fill:url(http://evil.example),stroke:red" onload="x,stroke-width:2px',
    );
    expect(chart.styles.get("x")).toEqual({ "stroke-width": "2px" });
  });
});

describe("layout", () => {
  it("puts what comes later further along, and nothing on top of something else", () => {
    const { boxes } = layOut("flowchart LR\n a --> b & c & d\n b & c --> e\n d --> e\n a --> e\n e --> f");
    const at = new Map(boxes.map((box) => [box.node.id, box]));
    const x = (id: string) => at.get(id)?.x ?? Number.NaN;
    expect(x("a")).toBeLessThan(x("b"));
    expect(x("c")).toBeLessThan(x("e"));
    expect(x("e")).toBeLessThan(x("f"));
    for (const one of boxes) {
      for (const other of boxes) {
        if (one === other) continue;
        const apart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        expect(apart, `${one.node.id} and ${other.node.id}`).toBe(true);
      }
    }
  });

  it("stays inside its picture, top-down too", () => {
    const { boxes, routes, width, height } = layOut("flowchart TD\n a --> b --> c\n a --> c\n x --> c");
    const points = [
      ...boxes.flatMap((box) => [
        { x: box.x, y: box.y },
        { x: box.x + box.width, y: box.y + box.height },
      ]),
      ...routes.flatMap((route) => route.points),
    ];
    for (const point of points) {
      expect(point.x).toBeGreaterThanOrEqual(0);
      expect(point.y).toBeGreaterThanOrEqual(0);
      expect(point.x).toBeLessThanOrEqual(width);
      expect(point.y).toBeLessThanOrEqual(height);
    }
  });

  it("draws circles without going round in them", () => {
    expect(layOut("flowchart LR\n a --> b --> c --> a\n c --> c").boxes).toHaveLength(3);
  });

  it("draws a large plan, and leaves a tangle to be read as text", () => {
    const lines = Array.from({ length: 150 }, (_, index) => ` s${index} --> s${index + 1 + (index % 7)}`);
    expect(drawFlowchart(`flowchart LR\n${lines.join("\n")}`)).not.toBeNull();
    const tangle = Array.from({ length: 190 }, (_, index) => ` s${index} & s0 & s1 --> s${index + 1} & s190`);
    expect(drawFlowchart(`flowchart LR\n${tangle.join("\n")}`)).toBeNull();
  });
});

it("draws labels as text and chooses ink that can be read", () => {
  const drawing =
    drawFlowchart('flowchart LR\n a["<b>&"]:::dark --> b\n classDef dark fill:#102030')?.markup ?? "";
  expect(drawing).toContain("&lt;b&gt;&amp;");
  expect(drawing).toContain('fill="#ffffff"');
  expect(drawing.match(/<path /g)).toHaveLength(1);
});
