import { table } from "../../table.ts";

/** Part of the description as JSON gives it. */
export type Json = { readonly [key: string]: unknown };

const DROPPED = new Set([
  "example",
  "examples",
  "discriminator",
  "deprecated",
  "externalDocs",
  "description",
  "title",
]);

/**
 * OpenAPI 3.0's dialect as JSON Schema: `nullable` works beside `$ref`, `enum` and combinations, references become ids,
 * and `oneOf` is `anyOf`, for GitHub's own alternatives overlap.
 */
export function plainSchema(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((one) => plainSchema(one));
  if (typeof node !== "object" || node === null) return node;
  const plain: Record<string, unknown> = table();
  for (const [key, value] of Object.entries(node)) {
    if (isMap) plain[key] = plainSchema(value);
    else if (key === "enum" || key === "required" || key === "default" || key === "const") plain[key] = value;
    else if (key === "$ref") plain.$ref = schemaId(String(value));
    else if (DROPPED.has(key) || key.startsWith("x-") || key === "nullable") continue;
    else plain[isChoice(key, value) ? "anyOf" : key] = plainSchema(value, key === "properties");
  }
  if (isMap || (node as Json).nullable !== true) return plain;
  return { anyOf: [{ type: "null" }, plain] };
}

/** One endpoint is described with accounts that are a user and an enterprise at once; a choice is meant. */
function isChoice(key: string, value: unknown): boolean {
  if (key !== "allOf") return key === "oneOf";
  const titles = (value as Json[]).map((one) => one.title);
  return titles.includes("Simple User") && titles.includes("Enterprise");
}

/** `#/components/schemas/issue` → `schema:issue`. */
function schemaId(ref: string): string {
  return ref.replace(/^#\/components\/schemas\//, "schema:");
}

/** Names of the schemas that a part of the description refers to. */
export function referredSchemas(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const one of node) referredSchemas(one, found);
  else if (typeof node === "object" && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      if (key === "$ref" && typeof value === "string") found.add(value.replace("#/components/schemas/", ""));
      else if (key !== "example" && key !== "examples") referredSchemas(value, found);
    }
  }
  return found;
}
