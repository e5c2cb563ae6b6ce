import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { BOUNDARIES } from "../../src/core/policy/boundaries.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const docs = readFileSync(join(ROOT, "docs/threat-model.md"), "utf8");
const sources = ["src", "workers"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("core/policy/boundaries.ts"))
    .map((file) => readFileSync(join(ROOT, folder, file), "utf8")),
);

/** What is in these is made up, or says nothing about a refusal. */
const NO_PROOF = /^structure\/|^wiring\/audit-log\.test\.ts$|^engine\/audit-session\.test\.ts$/;
const tests = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !NO_PROOF.test(file))
  .map((file) => readFileSync(join(ROOT, "test", file), "utf8"));

describe("the boundaries that refusals are told of", () => {
  it("are each used somewhere", () => {
    const unused = Object.keys(BOUNDARIES).filter(
      (boundary) => !sources.some((text) => text.includes(`boundary: "${boundary}"`)),
    );
    expect(unused).toEqual([]);
  });

  it("have rules that are each named somewhere", () => {
    const named = (rule: string): boolean =>
      sources.some((text) => text.includes(`"${rule}"`) || text.includes(`${rule}: "`));
    const unused = Object.values(BOUNDARIES).flatMap(({ rules }) => rules.filter((rule) => !named(rule)));
    expect(unused).toEqual([]);
  });

  it("have rules that each are looked for in the log by a test", () => {
    // `boundary/rule`, also in a pattern; or one after the other, as fields or as JSON.
    const pair = (boundary: string, rule: string) =>
      new RegExp(`(?<![\\w./])${boundary}(?:\\\\?/|"\\W+rule\\W+)${rule}(?![\\w./-])`);
    const unseen = Object.entries(BOUNDARIES).flatMap(([boundary, { rules }]) =>
      rules
        .filter((rule) => !tests.some((text) => pair(boundary, rule).test(text)))
        .map((rule) => `${boundary}/${rule}`),
    );
    expect(unseen).toEqual([]);
  });

  it("stand in docs/threat-model.md with their rules and threats", () => {
    for (const [boundary, { holds, rules, threats }] of Object.entries(BOUNDARIES)) {
      const names = rules.map((rule) => `\`${rule}\``).join(" ");
      expect(docs).toContain(`| \`${boundary}\` | ${holds} | ${names} | ${threats.join(" ")} |`);
    }
  });

  it("name threats that the page has", () => {
    const threats = Object.values(BOUNDARIES).flatMap((boundary) => [...boundary.threats]);
    expect(threats.filter((threat) => !docs.includes(`| ${threat} |`))).toEqual([]);
  });

  it("are shown there in a line as the log has it", () => {
    const line = /```json\n(\{.*\})\n```/.exec(docs)?.[1] ?? "{}";
    const { audit, level } = JSON.parse(line);
    expect(level).toBe(40);
    expect(Object.keys(audit)).toEqual(["boundary", "rule", "run", "stage", "repo", "who", "count"]);
    expect(Object.keys(BOUNDARIES)).toContain(audit.boundary);
  });
});
