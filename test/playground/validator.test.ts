import { describe, expect, it } from "vitest";
import { ROUTES } from "../../playground/rest/routes.ts";
import { createOpenApiValidator } from "../../playground/rest/validate/create-open-api-validator.ts";

const validator = createOpenApiValidator();

describe("the validator", () => {
  it("names what an answer lacks", () => {
    const label = {
      id: 1,
      node_id: "x",
      url: "http://a.example/l",
      name: "bug",
      color: "ff0000",
      default: false,
    };
    const check = (body: unknown) =>
      validator.check("GET", "/repos/{owner}/{repo}/labels/{name}", {}, 200, body);
    expect(check({ ...label, description: null })).toEqual([]);
    expect(check(label)).toEqual([
      "GET /repos/{owner}/{repo}/labels/{name}: response 200 must have required property 'description'",
    ]);
    expect(check({ ...label, description: 3 })).not.toEqual([]);
  });

  it("looks at requests too: bodies, and queries with unknown names", () => {
    expect(validator.check("POST", "/repos/a/b/issues/1/comments", {}, 201, {})).toContain(
      "POST /repos/{owner}/{repo}/issues/{issue_number}/comments: request must have required property 'body'",
    );
    expect(validator.check("GET", "/repos/a/b/pulls", { per_page: "5", stat: "open" }, 200, [])).toEqual([
      "GET /repos/{owner}/{repo}/pulls: query must NOT have additional properties (stat)",
    ]);
  });

  it("knows which endpoints and statuses there are", () => {
    expect(validator.check("GET", "/nowhere", {}, 200, {})).toEqual([
      "GET /nowhere is not part of the description",
    ]);
    expect(validator.check("GET", "/repos/a/b", {}, 299, {})).toEqual([
      "GET /repos/{owner}/{repo}: status 299 is not described",
    ]);
  });

  it("knows every route that the playground serves", () => {
    const unknown = ROUTES.filter(({ method, path }) =>
      validator
        .check(method, path, {}, 304, undefined)
        .some((problem) => problem.includes("not part of the description")),
    );
    expect(unknown).toEqual([]);
  });
});
