import fc from "fast-check";
import { expect, it } from "vitest";
import { readDisabledAgents } from "../../../src/core/config/disabled-agents.ts";

const KNOWN = ["coder", "code-reviewer", "seo-specialist"];
const read = (value: string | undefined) => readDisabledAgents({ LOOM_DISABLED_AGENTS: value }, KNOWN);

it("reads names divided by commas, in either spelling", () => {
  expect(read(undefined)).toEqual({ names: [], warnings: [] });
  expect(read(" , ")).toEqual({ names: [], warnings: [] });
  expect(read("seo_specialist, Code-Reviewer,code_reviewer")).toEqual({
    names: ["code-reviewer", "seo-specialist"],
    warnings: [],
  });
});

it("tells of names that are none, with the nearest", () => {
  expect(read("codr,seo specialist,`nobody`")).toMatchInlineSnapshot(`
    {
      "names": [],
      "warnings": [
        "LOOM_DISABLED_AGENTS names \`codr\`, but there is no such agent; did you mean \`coder\`?",
        "LOOM_DISABLED_AGENTS names \`seo specialist\`, but there is no such agent; did you mean \`seo-specialist\`?",
        "LOOM_DISABLED_AGENTS names \`'nobody'\`, but there is no such agent.",
      ],
    }
  `);
});

it("takes any value", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const { names } = read(value);
      expect(names.every((name) => KNOWN.includes(name))).toBe(true);
    }),
  );
  expect(read("x,".repeat(100_000)).warnings).toHaveLength(1);
});
