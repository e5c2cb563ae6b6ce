import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { type Json, plainSchema, referredSchemas } from "./plain-schema.ts";

export type OpenApiValidator = {
  /**
   * What is wrong with an exchange, in sentences; empty when it is as described. `path` is the template or a real path.
   * `input` is the query of a GET or DELETE and the body of everything else.
   */
  check(method: string, path: string, input: unknown, status: number, responseBody: unknown): string[];
};

/** Errors that GitHub may give to any request, whether the description of it says so or not. */
const ALWAYS_POSSIBLE = new Set([400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 502, 503]);

/** Reads GitHub's own description of its REST API once; each endpoint is compiled when it is first met. */
export function createOpenApiValidator(): OpenApiValidator {
  const api = createRequire(import.meta.url)("@octokit/openapi/generated/api.github.com.json") as Json;
  const bodies = createAjv(false);
  const queries = createAjv(true);
  const known = new Map<Ajv, Set<string>>();
  const compiled = new Map<string, ValidateFunction>();
  const templates = Object.keys(api.paths as Json).map((template) => ({
    template,
    pattern: patternOf(template),
  }));

  function compile(ajv: Ajv, key: string, schema: unknown): ValidateFunction {
    const ready = compiled.get(key);
    if (ready) return ready;
    addReferred(ajv, schema);
    const made = ajv.compile(plainSchema(schema) as object);
    compiled.set(key, made);
    return made;
  }

  function addReferred(ajv: Ajv, schema: unknown): void {
    const added = known.get(ajv) ?? new Set<string>();
    known.set(ajv, added);
    for (const name of referredSchemas(schema)) {
      if (added.has(name)) continue;
      added.add(name);
      const component = resolve(`#/components/schemas/${name}`);
      ajv.addSchema({ $id: `schema:${name}`, ...(plainSchema(component) as object) });
      addReferred(ajv, component);
    }
  }

  function resolve(ref: string): unknown {
    return ref
      .split("/")
      .slice(1)
      .reduce<unknown>((node, key) => (node as Json | undefined)?.[key], api);
  }

  function follow(node: unknown): Json {
    const ref = (node as Json | undefined)?.$ref;
    return (typeof ref === "string" ? resolve(ref) : node) as Json;
  }

  function checkInput(key: string, operation: Json, method: string, input: unknown): string[] {
    if (method === "GET" || method === "DELETE") return checkQuery(key, operation, input);
    if (operation.requestBody === undefined) return [];
    const body = follow(operation.requestBody);
    if (input === undefined) return body.required === true ? [`${key}: the request has no body`] : [];
    const schema = jsonSchema(body);
    if (!schema) return [];
    return problems(compile(bodies, `${key} request`, schema), input, `${key}: request`);
  }

  function checkQuery(key: string, operation: Json, input: unknown): string[] {
    const described = ((operation.parameters ?? []) as unknown[])
      .map(follow)
      .filter((one) => one.in === "query");
    const properties = Object.fromEntries(described.map((one) => [one.name, one.schema]));
    const schema = { type: "object", properties, additionalProperties: false };
    const validate = compile(queries, `${key} query`, schema);
    return problems(validate, { ...(input as object) }, `${key}: query`);
  }

  function checkResponse(key: string, operation: Json, status: number, body: unknown): string[] {
    if (status === 304) return [];
    const described = (operation.responses as Json)[String(status)];
    if (described === undefined) {
      if (!ALWAYS_POSSIBLE.has(status)) return [`${key}: status ${status} is not described`];
      const schema = { $ref: "#/components/schemas/basic-error" };
      return problems(compile(bodies, "basic-error", schema), body, `${key}: response ${status}`);
    }
    const schema = jsonSchema(follow(described));
    if (!schema) return body === undefined || status >= 300 ? [] : [`${key}: status ${status} has a body`];
    if (typeof body === "string" || body instanceof Uint8Array) return [];
    return problems(compile(bodies, `${key} ${status}`, schema), body, `${key}: response ${status}`);
  }

  return {
    check(method, path, input, status, responseBody) {
      const template =
        templates.find((one) => one.template === path) ?? templates.find((one) => one.pattern.test(path));
      const verb = method.toUpperCase();
      const operation = template && ((api.paths as Json)[template.template] as Json)[verb.toLowerCase()];
      if (!template || !operation) return [`${verb} ${path} is not part of the description`];
      const key = `${verb} ${template.template}`;
      const failed = status >= 400;
      return [
        ...(failed ? [] : checkInput(key, operation as Json, verb, input)),
        ...checkResponse(key, operation as Json, status, responseBody),
      ];
    },
  };
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes, addUsedSchema: false });
  addFormats.default(ajv);
  // GitHub's own formats that have no rule.
  for (const name of ["repo.nwo", "int32", "int64", "timestamp"]) ajv.addFormat(name, true);
  return ajv;
}

function jsonSchema(part: Json): unknown {
  const content = (part.content ?? {}) as Record<string, Json>;
  return content["application/json"]?.schema;
}

function patternOf(template: string): RegExp {
  const source = template.replaceAll(/[.+]/g, "\\$&").replaceAll(/\{[^{}]+\}/g, "[^/]+");
  return new RegExp(`^${source}$`);
}

function problems(validate: ValidateFunction, value: unknown, what: string): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const extra = "additionalProperty" in params ? ` (${String(params.additionalProperty)})` : "";
    return `${what}${instancePath} ${message ?? "is wrong"}${extra}`;
  });
}
