import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { ACTIONS, lintWorkflow } from "../support/lint-workflow.ts";

const GITHUB = resolve(import.meta.dirname, "../../.github");
const read = (path: string): string => readFileSync(join(GITHUB, path), "utf8");
const files = readdirSync(join(GITHUB, "workflows"));

describe("the workflows", () => {
  it.each(files)("%s has no mistake that can be seen without running it", async (file) => {
    expect(await lintWorkflow(file, read(`workflows/${file}`))).toEqual([]);
  });

  it("use every action that they may use", () => {
    const used = files.flatMap((file) =>
      Array.from(read(`workflows/${file}`).matchAll(/\buses: ([^@\s]+)@/g), ([, name]) => name),
    );
    expect([...new Set(used)].sort()).toEqual(Object.keys(ACTIONS).sort());
  });

  it("end by themselves when they hang", () => {
    for (const file of files)
      for (const [id, job] of Object.entries<object>(parse(read(`workflows/${file}`)).jobs))
        expect([file, id, job]).toEqual([
          file,
          id,
          expect.objectContaining({ "timeout-minutes": expect.any(Number) }),
        ]);
  });
});

describe("the linter of workflows", () => {
  const ci = read("workflows/ci.yml");
  const broken = (from: string, to: string) => {
    expect(ci).toContain(from);
    return lintWorkflow("broken.yml", ci.replace(from, to));
  };

  it.each([
    ["an event's misspelt field", "branches: [main]", "branchs: [main]", "4: Unexpected value 'branchs'"],
    ["a right that is none", "contents: read", "content: read", "7: Unexpected value 'content'"],
    ["a field of a step that is none", "- run: npm test", "- runs: npm test", "Unexpected value 'runs'"],
    [
      "a job that is not there",
      "needs: signatures",
      "needs: signature",
      "depends on unknown job 'signature'",
    ],
    ["a value that is not there", "github.ref }}", "github.reff }}", "Context access might be invalid: reff"],
    ["a part of the matrix that is not there", "matrix.node }}", "matrix.nodes }}", "invalid: nodes"],
    ["a function that is none", "!cancelled()", "!canceled()", "Unrecognized function: 'canceled'"],
    ["an expression that is not closed", "github.ref }}", "github.ref }", "The expression is not closed"],
    ["an action without a version", "actions/checkout@v5", "actions/checkout", "Expected format"],
    [
      "an action that nobody named",
      "actions/checkout@v5",
      "actions/check-out@v5",
      "Unable to resolve action",
    ],
    [
      "an input that the action has not",
      "persist-credentials:",
      "persist-credential:",
      "'persist-credential'",
    ],
    ["a text for a number", "timeout-minutes: 20", "timeout-minutes: long", "Unexpected value 'long'"],
    ["a machine that is none", "runs-on: ubuntu-latest", "runs-on: ubuntu-lastest", "ubuntu-lastest"],
    ["a script that is no shell", "- run: npm test", "- run: if npm test; then", "syntax error"],
    ["a value in a script", "- run: npm test", `- run: npm test $${"{{ github.ref }}"}`, "by `env`"],
    ["broken YAML", "jobs:", "jobs: [", "Flow"],
  ])("finds %s", async (_, from, to, problem) => {
    expect((await broken(from, to)).join("\n")).toContain(problem);
  });

  it("finds nothing where nothing is wrong", async () => {
    expect(await broken("name: CI", "name: Tests")).toEqual([]);
  });
});

describe("dependabot.yml", () => {
  // What of https://docs.github.com/code-security/dependabot we use: GitHub says what is wrong with it only once it is on main.
  const DEPENDABOT = z.strictObject({
    version: z.literal(2),
    updates: z.array(
      z.strictObject({
        "package-ecosystem": z.enum(["npm", "github-actions", "docker", "docker-compose"]),
        directory: z.string().startsWith("/"),
        schedule: z.strictObject({ interval: z.enum(["daily", "weekly", "monthly"]) }),
        groups: z
          .record(
            z.string(),
            z.strictObject({ "update-types": z.array(z.enum(["major", "minor", "patch"])) }),
          )
          .optional(),
      }),
    ),
  });

  it("says what GitHub understands", () => {
    expect(DEPENDABOT.safeParse(parse(read("dependabot.yml"))).error).toBeUndefined();
  });

  it.each([
    ["interval: weekly", "intervall: weekly"],
    ["interval: weekly", "interval: hourly"],
    ["directory: /", "directories: /"],
    ["minor, patch", "minor, fix"],
    ["version: 2", "version: 1"],
  ])("would be refused with another word than %s: %s", (from, to) => {
    expect(DEPENDABOT.safeParse(parse(read("dependabot.yml").replace(from, to))).success).toBe(false);
  });
});
