import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { table } from "../table.ts";
import { type Fault, MAX_DEPTH, MAX_FAULTS } from "./compose-yaml.ts";

/**
 * Plain values from composed YAML, and where each of them stands. Done here because the package resolves every alias
 * with a search through the whole document and lets merge keys multiply without a limit. Keys without a value are left
 * out: `files:` with nothing behind it means the same as no `files`.
 */
export type YamlValues = {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** Where the key, or the item of a list, stands; where its nearest parent does when it is not there. */
  offsetOf(path: readonly (string | number)[]): number;
};

/** How many values aliases and merge keys may stand for together. */
const MAX_REPEATED = 200_000;

type Built = { readonly value: unknown; readonly size: number; readonly height: number };
const NOTHING: Built = { value: null, size: 1, height: 0 };

export function readValues(root: Node | null): YamlValues {
  const faults: Fault[] = [];
  const targets = new Map<Node, Node>();
  const build = createBuilder(targets, (node, code, message) => {
    if (faults.length < MAX_FAULTS) faults.push({ offset: startOf(node), code, message });
  });
  const { value } = build(root, 0);
  return { value, faults, offsetOf: createFinder(root, targets) };
}

type Complain = (node: unknown, code: string, message: string) => void;

function createBuilder(
  targets: Map<Node, Node>,
  complain: Complain,
): (node: Node | null, depth: number) => Built {
  const anchors = new Map<string, Node>();
  const finished = new Map<Node, Built>();
  let repeated = 0;
  let exhausted = false;

  function build(node: Node | null, depth: number): Built {
    if (isAlias(node)) return repeat(node, node.source, depth);
    const anchor = node && "anchor" in node ? node.anchor : undefined;
    if (node && anchor) anchors.set(anchor, node);
    const built = buildPlain(node, depth);
    if (node && anchor) finished.set(node, built);
    return built;
  }

  function buildPlain(node: Node | null, depth: number): Built {
    if (isScalar(node)) return buildScalar(node.value, node);
    if (isSeq(node)) {
      const items = node.items.map((item) => build(asNode(item), depth + 1));
      return { value: items.map(({ value }) => value), ...measure(items) };
    }
    return isMap(node) ? buildMap(node, depth) : NOTHING;
  }

  function buildScalar(value: unknown, node: Node): Built {
    if (typeof value === "string" && value.includes("\0"))
      complain(node, "ZERO", "a text holds a zero character");
    // A tag can make bytes or a moment of a text; nothing that reads values here expects such an object.
    if (typeof value === "object" && value !== null) {
      complain(node, "BAD_VALUE", "a value has to be a text, a number or a truth value");
      return NOTHING;
    }
    return { value, size: 1, height: 0 };
  }

  function buildMap(map: YAMLMap, depth: number): Built {
    const values: Record<string, unknown> = table();
    const seen = new Set<string>();
    const parts: Built[] = [];
    const merged: Built[] = [];
    for (const pair of map.items) {
      const key = keyOf(pair);
      const part = build(asNode(pair.value), depth + 1);
      if (key === null) {
        complain(pair.key ?? map, "BAD_KEY", "a key has to be a plain word");
        continue;
      }
      if (key === "<<") {
        merged.push(part);
        continue;
      }
      if (seen.has(key)) complain(pair.key, "DUPLICATE_KEY", `\`${key}\` is given twice`);
      seen.add(key);
      parts.push(part);
      if (part.value !== null && part.value !== undefined) values[key] = part.value;
    }
    for (const part of merged) merge(values, seen, part.value, map);
    return { value: values, ...measure([...parts, ...merged]) };
  }

  /** What the mapping says itself comes first, then the sources in their order. */
  function merge(values: Record<string, unknown>, seen: Set<string>, source: unknown, map: YAMLMap): void {
    for (const one of Array.isArray(source) ? source : [source]) {
      if (typeof one !== "object" || one === null || Array.isArray(one)) {
        if (!exhausted) complain(map, "BAD_MERGE", "`<<` takes a mapping");
        continue;
      }
      for (const [key, value] of Object.entries(one)) {
        if (seen.has(key)) continue;
        seen.add(key);
        values[key] = value;
      }
    }
  }

  function repeat(alias: Node, name: string, depth: number): Built {
    const target = anchors.get(name);
    if (!target) {
      complain(alias, "BAD_ALIAS", `\`*${name}\` stands for nothing: no \`&${name}\` comes before it`);
      return NOTHING;
    }
    targets.set(alias, target);
    const built = finished.get(target);
    if (!built) {
      complain(alias, "BAD_ALIAS", `\`*${name}\` stands inside of what it stands for`);
      return NOTHING;
    }
    repeated += built.size;
    if (repeated <= MAX_REPEATED && depth + built.height <= MAX_DEPTH) return built;
    if (!exhausted) complain(alias, "TOO_MANY_ALIASES", "aliases repeat too much");
    exhausted = true;
    return NOTHING;
  }

  return build;
}

function measure(parts: readonly Built[]): { size: number; height: number } {
  let size = 1;
  let height = 0;
  for (const part of parts) {
    size += part.size;
    height = Math.max(height, part.height + 1);
  }
  return { size, height };
}

function keyOf(pair: Pair): string | null {
  if (!isScalar(pair.key)) return null;
  const key = String(pair.key.value);
  return key === "__proto__" ? null : key;
}

function asNode(value: unknown): Node | null {
  return isAlias(value) || isScalar(value) || isMap(value) || isSeq(value) ? value : null;
}

function startOf(node: unknown): number {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : null;
  return Array.isArray(range) ? Number(range[0]) : 0;
}

/** Each mapping is indexed once it is asked for, because a mapping may have 100,000 keys and a problem in each. */
function createFinder(
  root: Node | null,
  targets: ReadonlyMap<Node, Node>,
): (path: readonly (string | number)[]) => number {
  const indexes = new Map<YAMLMap, Map<string, Pair>>();
  const indexOf = (map: YAMLMap): Map<string, Pair> => {
    const index = indexes.get(map) ?? new Map(map.items.map((pair) => [keyOf(pair) ?? "", pair]));
    indexes.set(map, index);
    return index;
  };
  return (path) => {
    let node: unknown = root;
    let offset = startOf(root);
    for (const step of path) {
      const at: unknown = isAlias(node) ? targets.get(node) : node;
      if (isMap(at)) {
        const pair = indexOf(at).get(String(step));
        if (!pair) return offset;
        offset = startOf(pair.key);
        node = pair.value;
      } else if (isSeq(at) && typeof step === "number" && at.items[step]) {
        node = at.items[step];
        offset = startOf(node);
      } else return offset;
    }
    return offset;
  };
}
