import { describe, expect, it } from "vitest";
import { problemsOf, read, withStages } from "../../../support/read-plans.ts";

const BLOCK = "loom:\n  version: 1\n  stages:\n    - id: one\n      acceptance: [npm test]\n";

function idsOf(text: string): string[] {
  const { plan, problems } = read(text);
  if (!plan) throw new Error(JSON.stringify(problems));
  return plan.stages.map(({ id }) => id);
}

describe("finding the plan in a document", () => {
  it("says what to write when there is none", () => {
    expect(problemsOf("# Only words\n\n- do it\n")).toMatchInlineSnapshot(`
      [
        "- error -: The document has no YAML block with a top-level \`loom:\`. | Add one:
      \`\`\`yaml
      loom:
        version: 1
        stages:
          - id: first-step
            name: First step
      \`\`\`",
      ]
    `);
  });

  it("names both places when there are two", () => {
    const text = `# P\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "11 error -: There are two blocks with \`loom:\`, in line 3 and in line 11. | Keep one. An example can stand inside a longer fence, such as \`\`\`\`markdown.",
      ]
    `);
  });

  it("takes the one between the metadata comments when there are others", () => {
    const example = BLOCK.replace("one", "example");
    const text = `\`\`\`yaml\n${example}\`\`\`\n<!-- loom METADATA -->\n\`\`\`yaml\n${BLOCK}\`\`\`\n<!-- END loom METADATA -->\n`;
    expect(idsOf(text)).toEqual(["one"]);
  });

  it("still refuses two between the metadata comments", () => {
    const text = `<!-- loom METADATA -->\n\`\`\`yaml\n${BLOCK}\`\`\`\n\`\`\`yaml\n${BLOCK}\`\`\`\n<!-- END loom METADATA -->\n`;
    expect(read(text).problems[0]?.message).toContain("two blocks");
  });

  it("does not look into longer fences, comments and indented code", () => {
    const hidden = [
      `\`\`\`\`md\n\`\`\`yaml\n${BLOCK}\`\`\`\n\`\`\`\``,
      `~~~\n\`\`\`yaml\n${BLOCK}\`\`\`\n~~~`,
      `<!--\n\`\`\`yaml\n${BLOCK}\`\`\`\n-->`,
      `    \`\`\`yaml\n    loom:\n    \`\`\``,
    ];
    for (const text of hidden) {
      expect(idsOf(`${text}\n\n\`\`\`yaml\n${BLOCK}\`\`\`\n`)).toEqual(["one"]);
      expect(read(`${text}\n`).plan).toBeNull();
    }
  });

  it("closes a fence with the same mark, at least as long and with nothing behind it", () => {
    const text = `~~~~ yaml\n${BLOCK}      description: |\n        x\n~~~\n\`\`\`\`\`\n~~~~ no\n~~~~~\n`;
    expect(read(text).problems[0]?.message).toContain("can't be used");
    expect(idsOf(`~~~~ yaml\n${BLOCK}~~~~~\n`)).toEqual(["one"]);
  });

  it("takes a fence that a text of the plan shows for a part of the text", () => {
    const text = withStages(
      "- id: one\n  acceptance: [x]\n  description: |\n    Try\n    ```\n    it\n    ```\n- id: two\n  acceptance: [x]",
    );
    expect(idsOf(text)).toEqual(["one", "two"]);
    const shallow =
      "```yaml\nloom:\n version: 1\n name: |\n  a\n  ```\n  b\n stages:\n - id: one\n   acceptance: [x]\n```\n\nAfter.\n";
    expect(idsOf(shallow)).toEqual(["one"]);
  });

  it("ends at an indented fence when no other one follows", () => {
    expect(idsOf(`\`\`\`yaml\n${BLOCK}  \`\`\`\nAfter.\n`)).toEqual(["one"]);
  });

  it("warns when what follows the block looks like the rest of it", () => {
    const text = `\`\`\`yaml\n${BLOCK}\`\`\`\n    - id: two\n`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "8 warning -: The plan ends in line 7, but what follows looks like a part of it. | If it is, open and close the block with a longer fence, such as \`\`\`\`yaml.",
      ]
    `);
  });

  it("reads a block that is never closed, and says so", () => {
    expect(problemsOf(`\`\`\`yaml\n${BLOCK}`)).toMatchInlineSnapshot(`
      [
        "1 warning -: The block with \`loom:\` is never closed. | Add a closing fence behind it.",
      ]
    `);
    expect(idsOf(`\`\`\`yaml\n${BLOCK}`)).toEqual(["one"]);
  });

  it("says when the block is there but not marked as YAML", () => {
    expect(problemsOf(`\`\`\`text\n${BLOCK}\`\`\`\n`)).toMatchInlineSnapshot(`
      [
        "1 error -: The block with \`loom:\` is marked as \`text\`, not as YAML. | Open it with \`\`\`yaml.",
      ]
    `);
    expect(problemsOf(`# P\n\nHere it is:\n\n${BLOCK}`)).toMatchInlineSnapshot(`
      [
        "5 error -: The \`loom:\` block stands outside of a code fence. | Put it between \`\`\`yaml and \`\`\`.",
      ]
    `);
  });

  it("reads blocks marked as yml, YAML, {.yaml} or nothing", () => {
    for (const info of ["yml", "YAML", "{.yaml}", "yaml title=plan", ""]) {
      expect(idsOf(`\`\`\`${info}\n${BLOCK}\`\`\`\n`)).toEqual(["one"]);
    }
  });

  it("reads a text that is YAML as a whole, and JSON", () => {
    expect(idsOf(`# a comment\n---\n${BLOCK}`)).toEqual(["one"]);
    expect(idsOf('{ "loom": { "version": 1, "stages": [{ "id": "one" }] } }')).toEqual(["one"]);
  });

  it("reads a block that is one mapping between braces, on one line or on several", () => {
    const json = { loom: { version: 1, stages: [{ id: "one" }] } };
    for (const text of [JSON.stringify(json), JSON.stringify(json, null, 2)]) {
      expect(idsOf(`# Words\n\n\`\`\`yaml\n${text}\n\`\`\`\n`)).toEqual(["one"]);
    }
  });

  it("looks behind the front matter of a document", () => {
    const fenced = `\`\`\`yaml\n${BLOCK}\`\`\`\n`;
    expect(idsOf(`---\ntitle: Words\nstatus: draft\n---\n\n# Words\n\n${fenced}`)).toEqual(["one"]);
    expect(idsOf(`---\ntitle: Words\n---\n${fenced}`)).toEqual(["one"]);
    expect(idsOf(`---\ntitle: Words\n---\n${BLOCK}`)).toEqual(["one"]);
    expect(idsOf(`---\r\ntitle: Words\r\n---\r\n\r\n${fenced.replaceAll("\n", "\r\n")}`)).toEqual(["one"]);
    expect(read(`---\ntitle: Words\n---\n\n# Count them\n\n${fenced}`).plan?.name).toBe("Count them");
  });

  it("takes no front matter for the plan, and no plan for front matter", () => {
    expect(idsOf(`---\n${BLOCK}`)).toEqual(["one"]);
    expect(problemsOf(`---\n${BLOCK}---\ntitle: Words\n`)).toMatchInlineSnapshot(`
      [
        "7 error -: The YAML can't be used here: a second document begins. | Keep one document: remove the \`---\` and what follows.",
      ]
    `);
    expect(problemsOf(`---\ntitle: Words\n---\n${BLOCK}---\ntitle: Words\n`)).toMatchInlineSnapshot(`
      [
        "9 error -: The YAML can't be used here: a second document begins. | Keep one document: remove the \`---\` and what follows.",
      ]
    `);
    expect(read("---\ntitle: Words\n---\n\n# Words\n\nNothing yet.\n").problems[0]?.message).toContain(
      "has no YAML block",
    );
  });

  it("takes words with a colon for words when the plan stands in a block below them", () => {
    const fenced = `\`\`\`yaml\n${BLOCK}\`\`\`\n`;
    for (const head of [
      "Goal: count words",
      "# Words\n\nGoal: count words",
      "---\nGoal: count words",
      "# Words\n\n---\ntitle: x\n---",
      "Note: as in\n\n~~~\na: b\n~~~",
    ])
      expect(idsOf(`${head}\n\n${fenced}`), head).toEqual(["one"]);
    expect(idsOf(`note: |\n  \`\`\`\n  a\n  \`\`\`\n${BLOCK}`)).toEqual(["one"]);
  });

  it("takes the name from the first heading, or from the plan itself", () => {
    const nameOf = (head: string, field = "") =>
      read(`${head}\n\n${withStages("- id: one", field).slice(9)}`).plan?.name;
    expect(nameOf("# PLAN: Search ##")).toBe("Search");
    expect(nameOf("Intro\n\n## Second")).toBe("Second");
    expect(nameOf("Search\n======")).toBe("Search");
    expect(nameOf("Only words")).toBeNull();
    expect(nameOf("# Heading", '  name: "In   the\\n plan"\n')).toBe("In the plan");
  });
});
