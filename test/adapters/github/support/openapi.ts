import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** GitHub's own description of its API. */
type Schema = { $ref?: string; properties?: Record<string, unknown>; oneOf?: Schema[] };
type Parameter = { $ref?: string; name?: string; in?: string };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses: Record<string, unknown>;
};

const folder = dirname(createRequire(import.meta.url).resolve("@octokit/openapi/package.json"));
const description = JSON.parse(readFileSync(join(folder, "generated/api.github.com.json"), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
};

export function isDescribed(method: string, path: string): boolean {
  return description.paths[path]?.[method.toLowerCase()] !== undefined;
}

/** What of a request GitHub's description does not know; an empty list when all is well. */
export function describedByOpenApi(exchange: {
  method: string;
  route: string | null;
  path: string;
  query: Readonly<Record<string, string>>;
  requestBody: unknown;
}): string[] {
  const { method, route } = exchange;
  const name = `${method} ${route ?? exchange.path}`;
  const operation = route === null ? undefined : description.paths[route]?.[method.toLowerCase()];
  if (!operation) return [`${name} is not described`];
  const queries = (operation.parameters ?? [])
    .map((one) => (one.$ref ? description.components.parameters[one.$ref.split("/").at(-1) ?? ""] : one))
    .filter((one) => one?.in === "query")
    .map((one) => one?.name);
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  const bodies = schema?.oneOf ?? (schema ? [schema] : []);
  const fields = bodies.flatMap((one) => Object.keys(one.properties ?? {}));
  const sent =
    typeof exchange.requestBody === "object" && exchange.requestBody ? Object.keys(exchange.requestBody) : [];
  return [
    ...Object.keys(exchange.query)
      .filter((key) => !queries.includes(key))
      .map((key) => `${name}: query ${key}`),
    ...sent.filter((key) => !fields.includes(key)).map((key) => `${name}: field ${key}`),
  ];
}
