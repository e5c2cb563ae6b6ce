import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { isDescribed } from "./support/openapi.ts";

const ADAPTER = resolve(dirname(fileURLToPath(import.meta.url)), "../../../src/adapters/github");

it("asks GitHub only for what its own description of the API knows", () => {
  const sources = readdirSync(ADAPTER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const routes = sources.flatMap((text) => [...text.matchAll(/"(GET|POST|PUT|PATCH|DELETE) (\/[^"]*)"/g)]);
  expect(routes.length).toBeGreaterThan(25);
  const unknown = routes
    // The one way to GraphQL, which is described elsewhere; the playground knows each field that is asked for.
    .filter(([, , path]) => path !== "/graphql")
    .filter(([, method = "", path = ""]) => !isDescribed(method, path))
    .map(([whole]) => whole);
  expect(unknown).toEqual([]);
});
