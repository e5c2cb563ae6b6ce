import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkill } from "../../../src/core/roster/parse-skill.ts";

const TEXT = "---\nname: validation\ndescription: How to prove it.\n---\n\nRun it.\n";

describe("a skill's folder", () => {
  it("becomes a skill with its protocols by name", () => {
    const protocols = [
      { fileName: "b-protocol.md", text: "Second.\n" },
      { fileName: "a-protocol.md", text: "\nFirst.\n" },
    ];
    expect(parseSkill({ text: TEXT, protocols }, "validation")).toEqual({
      skill: {
        name: "validation",
        description: "How to prove it.",
        body: "Run it.",
        protocols: [
          { name: "a-protocol", body: "First." },
          { name: "b-protocol", body: "Second." },
        ],
      },
      problems: [],
    });
  });

  it("is refused with all that is wrong with it", () => {
    const problemsOf = (text: string, protocols: readonly string[], folder = "validation"): string[] => {
      const files = protocols.map((one, index) => ({ fileName: `p${index}.md`, text: one }));
      const { skill, problems } = parseSkill({ text, protocols: files }, folder);
      expect(skill).toBeNull();
      return problems.map(({ path, message, fix }) => `${path}: ${message} | ${fix}`);
    };
    expect([
      ...problemsOf(TEXT, [], "execution"),
      ...problemsOf(TEXT, [" ", "x".repeat(13_000)]),
      ...problemsOf(
        TEXT,
        Array.from({ length: 9 }, () => "x"),
      ),
      ...problemsOf(TEXT.replace("name: validation", "name: cooking\ntools: [read]"), []),
    ]).toMatchInlineSnapshot(`
      [
        "name: The skill is called \`validation\`, but its folder execution. | Give both the same name.",
        "protocols/p0.md: The protocol is empty. | Write it, or remove the file.",
        "protocols/p1.md: The protocol has 13000 characters; 12000 are the most. | Shorten it.",
        "protocols: There are 9 protocols; 8 are the most. | Join some of them.",
        "name: \`name\` must be one of code-review, delegation, design-dialogue, execution, implementation-planning, session-management, validation, but is \`cooking\`. | Write, for example, \`name: validation\`.",
        "tools: There is no field \`tools\`. | Remove it.",
      ]
    `);
  });

  it("is read without a throw, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 3 }), (text, protocols) => {
        const files = protocols.map((one) => ({ fileName: "p.md", text: one }));
        const { skill, problems } = parseSkill({ text: `---\n${text}`, protocols: files }, "validation");
        expect(skill === null).toBe(problems.length > 0);
      }),
    );
  });
});
