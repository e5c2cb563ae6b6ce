import { table } from "../table.ts";

/** One GraphQL operation, without fragments and directives: nothing here sends any. */
export type Operation = {
  readonly kind: "query" | "mutation";
  readonly name: string | null;
  /** Names of the declared variables. */
  readonly variables: readonly string[];
  readonly fields: readonly Selection[];
};

export type Selection = {
  readonly name: string;
  readonly alias: string;
  readonly args: Readonly<Record<string, Value>>;
  readonly fields: readonly Selection[];
};

export type Value =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Value>> };

/** It can't be read; the sentence is for `errors`. */
export class UnreadableDocument extends Error {}

const TOKEN = /[\s,]+|#[^\n]*|([A-Za-z_]\w*|-?\d+|"(?:[^"\\\n]|\\.)*"|[{}()[\]:!$=])|(.)/gs;

export function parseDocument(text: string): Operation {
  const tokens: string[] = [];
  for (const [, token, strange] of text.matchAll(TOKEN)) {
    if (strange !== undefined) throw new UnreadableDocument(`Unexpected "${strange}"`);
    if (token !== undefined) tokens.push(token);
  }
  const reader = createReader(tokens);
  const word = reader.peek() === "{" ? "query" : reader.name();
  if (word !== "query" && word !== "mutation") throw new UnreadableDocument(`Unexpected "${word}"`);
  const name = /^\w/.test(reader.peek()) ? reader.name() : null;
  const operation = { kind: word, name, variables: declared(reader), fields: selections(reader) } as const;
  if (reader.peek() !== "") throw new UnreadableDocument("More than one operation");
  return operation;
}

type Reader = {
  peek(): string;
  take(wanted?: string): string;
  name(): string;
};

function createReader(tokens: readonly string[]): Reader {
  let at = 0;
  const peek = (): string => tokens[at] ?? "";
  const take = (wanted?: string): string => {
    const token = peek();
    if (token === "" || (wanted !== undefined && token !== wanted)) {
      throw new UnreadableDocument(`Expected ${wanted ?? "more"}, actual: ${token || "the end"}`);
    }
    at += 1;
    return token;
  };
  const name = (): string => {
    const token = take();
    if (!/^[A-Za-z_]/.test(token)) throw new UnreadableDocument(`Expected a name, actual: ${token}`);
    return token;
  };
  return { peek, take, name };
}

/** `($a: String!, $b: [Int])` */
function declared({ peek, take, name }: Reader): string[] {
  const names: string[] = [];
  if (peek() !== "(") return names;
  take("(");
  while (peek() !== ")") {
    take("$");
    names.push(name());
    take(":");
    while (peek() !== "$" && peek() !== ")") take();
  }
  take(")");
  return names;
}

function selections(reader: Reader): Selection[] {
  const { peek, take, name } = reader;
  const found: Selection[] = [];
  take("{");
  while (peek() !== "}") {
    const first = name();
    const renamed = peek() === ":" && take(":") !== "";
    const field = renamed ? name() : first;
    const args = peek() === "(" ? named(reader, "(", ")") : {};
    found.push({ name: field, alias: first, args, fields: peek() === "{" ? selections(reader) : [] });
  }
  take("}");
  return found;
}

function named(reader: Reader, open: string, close: string): Record<string, Value> {
  const values: Record<string, Value> = table();
  reader.take(open);
  while (reader.peek() !== close) {
    const key = reader.name();
    reader.take(":");
    values[key] = readValue(reader);
  }
  reader.take(close);
  return values;
}

function readValue(reader: Reader): Value {
  if (reader.peek() === "{") return { kind: "object", fields: named(reader, "{", "}") };
  const token = reader.take();
  if (token === "$") return { kind: "variable", name: reader.name() };
  if (/^["\d-]/.test(token)) return { kind: "literal", value: JSON.parse(token) as string | number };
  const words = new Map([
    ["true", true],
    ["false", false],
    ["null", null],
  ]);
  const value = words.get(token);
  if (value === undefined) throw new UnreadableDocument(`Unexpected value ${token}`);
  return { kind: "literal", value };
}
