import { table } from "../../table.ts";

export type NodeShape = "box" | "round" | "pill" | "diamond";
export type FlowNode = {
  readonly id: string;
  readonly lines: readonly string[];
  readonly shape: NodeShape;
  readonly classes: readonly string[];
};
export type FlowEdge = {
  readonly from: string;
  readonly to: string;
  readonly line: "solid" | "dotted" | "thick";
  readonly arrow: boolean;
  readonly label: string;
};
export type Flowchart = {
  readonly across: boolean;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly styles: ReadonlyMap<string, Readonly<Record<string, string>>>;
};

/** Beyond this nobody can read the drawing, and making it would hold everybody else up. */
const MOST_NODES = 200;
const MOST_EDGES = 600;
const HEADER = /^(?:flowchart|graph)\s+(LR|TD|TB)\s*$/;
const NODE = /^([A-Za-z0-9_][\w-]*?)(?=$|[\s[({&]|:::|--|-\.|==)/;
const EDGE = /^\s*(-->|---|-\.->|-\.-|==>|===)(?:\|([^|]*)\|)?\s*/;
const BRACKETS: readonly (readonly [string, string, NodeShape])[] = [
  ["([", "])", "pill"],
  ["((", "))", "pill"],
  ["[", "]", "box"],
  ["(", ")", "round"],
  ["{", "}", "diamond"],
];

/** The small part of Mermaid that status graphs use. null: something else is in there, so show the text instead. */
export function parseFlowchart(text: string): Flowchart | null {
  const statements = text
    .split("\n")
    .map((line) => line.trim().replace(/;$/, ""))
    .filter((line) => line !== "" && !line.startsWith("%%"));
  const header = HEADER.exec(statements[0] ?? "");
  if (header === null) return null;

  const nodes = new Map<string, FlowNode>();
  const edges: FlowEdge[] = [];
  const styles = new Map<string, Record<string, string>>();
  const classed: { readonly ids: readonly string[]; readonly name: string }[] = [];
  for (const statement of statements.slice(1)) {
    const [word = ""] = statement.split(/\s/, 1);
    if (word === "classDef") {
      const [, names = "", rules = ""] = /^classDef\s+(\S+)\s+(.*)$/.exec(statement) ?? [];
      if (names === "") return null;
      for (const name of names.split(",")) styles.set(name, parseRules(rules));
    } else if (word === "class") {
      const [, ids = "", name = ""] = /^class\s+(\S+(?:\s*,\s*\S+)*)\s+(\S+)$/.exec(statement) ?? [];
      if (name === "") return null;
      classed.push({ ids: ids.split(",").map((id) => id.trim()), name });
    } else if (["subgraph", "end", "direction", "click", "style", "linkStyle"].includes(word)) {
      return null;
    } else if (!parseChain(statement, nodes, edges)) return null;
    if (nodes.size > MOST_NODES || edges.length > MOST_EDGES) return null;
  }
  for (const { ids, name } of classed) {
    for (const id of ids) {
      const node = nodes.get(id);
      if (node !== undefined) nodes.set(id, { ...node, classes: [...node.classes, name] });
    }
  }
  if (nodes.size === 0) return null;
  return { across: header[1] === "LR", nodes: [...nodes.values()], edges, styles };
}

/** `a & b --> c["label"]:::done --> d` */
function parseChain(statement: string, nodes: Map<string, FlowNode>, edges: FlowEdge[]): boolean {
  let rest = statement;
  let before: readonly string[] = [];
  let link: Omit<FlowEdge, "from" | "to"> | null = null;
  for (;;) {
    const group: string[] = [];
    for (;;) {
      const read = readNode(rest, nodes);
      if (read === null) return false;
      group.push(read.id);
      rest = read.rest.trimStart();
      if (!rest.startsWith("&")) break;
      rest = rest.slice(1).trimStart();
    }
    if (link !== null) {
      for (const from of before) for (const to of group) edges.push({ from, to, ...link });
    }
    if (rest === "") return true;
    const edge = EDGE.exec(rest);
    const sign = edge?.[1];
    if (edge === null || sign === undefined) return false;
    link = {
      line: sign.startsWith("=") ? "thick" : sign.includes(".") ? "dotted" : "solid",
      arrow: sign.endsWith(">"),
      label: plainLabel(edge[2] ?? "").join(" "),
    };
    before = group;
    rest = rest.slice(edge[0].length);
  }
}

function readNode(text: string, nodes: Map<string, FlowNode>): { id: string; rest: string } | null {
  const id = NODE.exec(text)?.[1];
  if (id === undefined) return null;
  let rest = text.slice(id.length);
  let node = nodes.get(id) ?? { id, lines: [id], shape: "box" as const, classes: [] };
  const bracket = BRACKETS.find(([open]) => rest.startsWith(open));
  if (bracket !== undefined) {
    const [open, close, shape] = bracket;
    const quoted = rest.startsWith('"', open.length);
    const from = open.length + (quoted ? 1 : 0);
    const to = rest.indexOf(quoted ? `"${close}` : close, from);
    if (to === -1) return null;
    node = { ...node, lines: plainLabel(rest.slice(from, to)), shape };
    rest = rest.slice(to + close.length + (quoted ? 1 : 0));
  }
  const style = /^:::([\w-]+)/.exec(rest);
  if (style?.[1] !== undefined) {
    node = { ...node, classes: [...node.classes, style[1]] };
    rest = rest.slice(style[0].length);
  }
  nodes.set(id, node);
  return { id, rest };
}

const NAMED: Readonly<Record<string, string>> = table({ quot: '"', amp: "&", lt: "<", gt: ">", nbsp: " " });

/** Mermaid writes characters as `#quot;` or `#35;`, people also as `&quot;`; lines end with `<br/>`. */
function plainLabel(label: string): string[] {
  return label
    .trim()
    .split(/<br\s*\/?>|\\n/)
    .map((line) =>
      line
        .replace(/[#&]#?(\d{1,6}|[a-z]+);/g, (all, code: string) => {
          if (!/^\d+$/.test(code)) return NAMED[code] ?? all;
          return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : all;
        })
        .trim(),
    );
}

function parseRules(rules: string): Record<string, string> {
  const result: Record<string, string> = table();
  for (const rule of rules.split(",")) {
    const [name = "", value = ""] = rule.split(":").map((part) => part.trim());
    // Only values that can be nothing but a colour or a length reach the drawing.
    if (/^[a-z-]+$/.test(name) && /^(?:#[0-9a-fA-F]{3,8}|[a-z]+|[\d. ]+(?:px)?)$/.test(value))
      result[name] = value;
  }
  return result;
}
