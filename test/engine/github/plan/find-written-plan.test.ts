import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findWrittenPlan, type WrittenPlan } from "../../../../src/engine/github/plan/find-written-plan.ts";
import type { IssueFacts } from "../../../../src/ports/github/threads.ts";
import { BY_THE_CLOCK } from "../../../support/quickly.ts";

const BLOCK = "loom:\n  version: 1\n  stages:\n    - id: one\n";

function find(
  body: string,
  path: string | null = null,
  files: Record<string, string> = {},
): Promise<WrittenPlan> {
  const issue = { number: 7, title: "Count words", body } as IssueFacts;
  return findWrittenPlan(issue, path, async (name) => files[name] ?? null);
}

const kindFor = async (body: string): Promise<string> => (await find(body)).kind;

describe("looking for a plan that a person wrote", () => {
  it("takes the file that they named, whatever the issue says", async () => {
    const text = "# A plan, or what its author takes for one\n";
    expect(await find(`\`\`\`yaml\n${BLOCK}\`\`\`\n`, "docs/PLAN.md", { "docs/PLAN.md": text })).toEqual({
      kind: "written",
      text,
      label: "docs/PLAN.md",
    });
  });

  it("says so when there is no such file, and has nobody write another plan", async () => {
    expect(await find(`\`\`\`yaml\n${BLOCK}\`\`\`\n`, "docs/PLAN.md")).toMatchInlineSnapshot(`
      {
        "kind": "refused",
        "next": "Name a plan by its path from the repository's root.",
        "reason": "There is no file \`docs/PLAN.md\` on the default branch.",
      }
    `);
  });

  it("takes an empty file for what it is: a plan with nothing in it", async () => {
    expect((await find("", "PLAN.md", { "PLAN.md": "" })).kind).toBe("written");
  });

  it("takes the issue with all of its words when a plan stands in it", async () => {
    const body = `Please.\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n\nThanks.\n`;
    expect(await find(body)).toEqual({ kind: "written", text: body, label: "issue-7" });
  });

  it.each([
    ["marked as YAML", `\`\`\`yaml\n${BLOCK}\`\`\``],
    ["marked as nothing", `\`\`\`\n${BLOCK}\`\`\``],
    ["between waves", `~~~~yml\n${BLOCK}~~~~`],
    [
      "with the line ends of GitHub's text box",
      `Text\r\n\r\n\`\`\`yaml\r\n${BLOCK.replaceAll("\n", "\r\n")}\`\`\`\r\n`,
    ],
    ["behind comments and empty lines", `\`\`\`yaml\n# Mine\n\n   \n# Still mine\n${BLOCK}\`\`\``],
    ["behind comments with the line ends of a text box", `\`\`\`yaml\r\n# Mine\r\n\r\n${BLOCK}\`\`\``],
    ["that is wrong, for its author wants to hear that", "```yaml\nloom: {{{\n```"],
  ])("finds a block %s", async (_what, body) => {
    expect(await kindFor(body)).toBe("written");
  });

  it.each([
    ["nothing", ""],
    ["prose", "It should say which words a text uses most."],
    ["prose about plans", "A plan begins with `loom:` or so.\n\nloom: it is nice"],
    ["YAML of something else", "```yaml\nservices:\n  loom:\n    image: x\n```"],
    ["an example inside of other code", "```js\nconst text = 'loom: x';\n```"],
  ])("leaves %s to an agent", async (_what, body) => {
    expect(await kindFor(body)).toBe("none");
  });

  it("takes any text, and at once", BY_THE_CLOCK, async () => {
    const lines = fc.array(
      fc.constantFrom(
        "```",
        "```yaml",
        "~~~",
        "#",
        "# x",
        "\r",
        "#\r",
        "   ",
        "loom",
        "loom:",
        "text",
        "\t#",
      ),
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom("\n", "\r\n", "\r"), async (parts, end) => {
        expect(["written", "none"]).toContain(await kindFor(parts.join(end)));
      }),
    );
    const hostile = ["#\r\n", "#x\r\n", " \t\r\n", "\r\n", "```\n", "```\r\n#\r\n", "   ```", "`", "~"];
    for (const piece of hostile) {
      const body = `\`\`\`\n${piece.repeat(60_000 / piece.length)}`;
      const begin = performance.now();
      await kindFor(body);
      expect(performance.now() - begin, JSON.stringify(piece)).toBeLessThan(1_000);
    }
  });
});
