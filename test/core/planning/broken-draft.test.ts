import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { checkDraft } from "../../../src/core/planning/draft/check-draft.ts";
import { draftRules, PROSE } from "./planning-values.ts";

const fenced = (loom: string): string => `\`\`\`yaml\nloom:\n  version: 1\n${loom}\n\`\`\`\n`;
const stages = (...lines: string[]): string =>
  `  stages:\n${lines.map((line) => `    - ${line}`).join("\n")}`;

function problems(text: string, parts: Parameters<typeof draftRules>[0] = {}): readonly string[] {
  return checkDraft(text, draftRules(parts)).problems;
}

describe("a draft with an error in it", () => {
  const draft = (agent: string): string =>
    fenced(
      `  gate: [npm test]\n  budget: { cost_usd: 500 }\n${stages(
        `{ id: a, name: A, description: Do it., agent: ${agent}, harness: claude, retries: 9, files: [.github/workflows/ci.yml], acceptance: ["true"] }`,
      )}`,
    );

  it("is told all else that is wrong in the same round", () => {
    expect(problems(draft("wizard"))).toMatchInlineSnapshot(`
      [
        "\`stages[0].agent\`: There is no agent \`wizard\`. Name an agent that is installed and not disabled.",
        "The plan changes \`gate\`, the checks of the whole project, which a planner can't choose. Leave \`gate\` out.",
        "The stage \`a\` has \`harness: claude\`, which a planner can't choose. Leave it out.",
        "The plan has \`budget.cost_usd: 500\`; the most here is 20. Leave it out, or write less.",
        "The stage \`a\` has \`retries: 9\`; the most here is 2. Leave it out, or write less.",
        "The check \`true\` of the stage \`a\` can't fail, so it proves nothing. Write a command that fails as long as the work is not done.",
        "The stage \`a\` owns \`.github/workflows/ci.yml\`, which no agent may change. Leave it out of \`files\`, and say under "Out of scope" what people have to do there.",
        "The section \`## Why these stages\` is missing. Say why the work is cut like this.",
        "The section \`## Out of scope\` is missing. Say what somebody could expect and will not get, or that there is nothing.",
      ]
    `);
    expect(problems(draft("wizard")).slice(1)).toEqual(problems(draft("coder")));
  });

  it("is not told what passes in suggestive mode", () => {
    const [wizard, ...rest] = problems(draft("wizard"), { mode: "suggestive" });
    expect(wizard).toContain("There is no agent `wizard`.");
    expect(rest).toEqual(problems(draft("coder"), { mode: "suggestive" }));
  });

  it("is not told that what could not be read is missing", () => {
    const lines = [
      "{ id: shape, name: A, description: Do it., files: { a: b }, acceptance: [npm test] }",
      "{ id: path, name: A, description: Do it., files: [../b.ts], acceptance: [npm test] }",
      "{ id: key, name: A, description: Do it., file: [c.ts], acceptance: [npm test] }",
      "{ id: checks, name: A, description: Do it., stage_type: integration-verify, acceptance: { a: 1 } }",
      "{ id: words, name: A, description: [], files: [d.ts], acceptance: [npm test] }",
      "{ id: none, name: A, description: Do it., agent: wizard, acceptance: [npm test] }",
    ];
    expect(problems(`${PROSE}${fenced(stages(...lines))}`)).toMatchInlineSnapshot(`
      [
        "\`stages[0].files[0]\`: \`files\` must be a text. Write, for example, \`files: [src/auth/**]\`.",
        "\`stages[1].files[0]\`: \`../b.ts\` leads out of the work tree. Write a path inside the work tree, such as \`src/auth\`.",
        "\`stages[2].file\`: Loom does not know \`file\`. Did you mean \`files\`?",
        "\`stages[3].acceptance[0]\`: \`acceptance\` has a check without \`command\`; a command with a colon and a space in it has to stand in quotes. Write, for example, \`acceptance: [npm test]\`.",
        "\`stages[3].acceptance.a\`: Loom does not know \`a\`. Remove it, or check how it is spelled.",
        "\`stages[4].description\`: \`description\` must be a text, but is a list. Write, for example, \`description: What to do, and why.\`.",
        "\`stages[5].agent\`: There is no agent \`wizard\`. Name an agent that is installed and not disabled.",
        "The stage \`none\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.",
      ]
    `);
  });

  it("is not told that it dropped what people had written, where it could not be read", () => {
    const { plan } = parsePlan(
      fenced(`  budget: { cost_usd: 5 }\n  gate: [npm test]\n${stages("{ id: a, name: A }")}`),
      { origin: "elsewhere" },
    );
    const one = "{ id: a, name: A, description: Do it., files: [a.ts], acceptance: [npm test] }";
    const told = problems(`${PROSE}${fenced(`  budget: five\n  gate: 5\n${stages(one)}`)}`, { amends: plan });
    expect(told).toMatchInlineSnapshot(`
      [
        "\`budget\`: \`budget\` must be a mapping, but is \`five\`. Write, for example, \`budget: { wall_clock_secs: 7200, tokens: 2000000, cost_usd: 20 }\`.",
        "\`gate[0]\`: \`gate\` must be a command, or a mapping with \`command\`. Write, for example, \`gate: [npm test]\`.",
      ]
    `);
  });

  it("is told faults of the right stage where another has no id", () => {
    const lines = [
      "{ id: Not An Id, name: A, description: Do it. }",
      "{ id: b, name: B, description: Do it., files: [b.ts], bug_fix: true, acceptance: [npm test] }",
      "{ id: c, name: C, description: Do it., acceptance: [npm test] }",
    ];
    const told = problems(`${PROSE}${fenced(stages(...lines))}`, { settled: new Set(["b"]) });
    expect(told).toMatchInlineSnapshot(`
      [
        "\`stages[0].id\`: \`Not An Id\` can't be the id of a stage. Write \`not-an-id\`: lower-case letters, digits and hyphens, 63 at most, beginning with a letter or digit.",
        "The stage \`c\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.",
      ]
    `);
  });

  it("is not told what Loom would fix, unless it has to be strict", () => {
    const one = (id: string, more: string): string =>
      `{ id: ${id}, name: ${id}, description: Do it., files: [${id}.ts], acceptance: [npm test]${more} }`;
    const text = `${PROSE}${fenced(
      stages(
        one("a", ", agent: wizard"),
        one("b", ", dependencies: [a]"),
        one("c", ", dependencies: [a, b], context_budget: 90"),
      ),
    )}`;
    expect(problems(text)).toMatchInlineSnapshot(`
      [
        "\`stages[0].agent\`: There is no agent \`wizard\`. Name an agent that is installed and not disabled.",
      ]
    `);
    expect(problems(text, { mode: "strict" })).toHaveLength(3);
  });

  it("is told of its sections, unless the block was never closed and took them along", () => {
    const broken = "```yaml\nloom: [\n";
    const sections = (text: string) => problems(text).filter((one) => one.startsWith("The section"));
    expect(sections(`${broken}\`\`\`\n`)).toHaveLength(2);
    expect(sections(`${broken}\`\`\`\n${PROSE}`)).toEqual([]);
    expect(sections(`${broken}${PROSE}`)).toEqual([]);
  });
});
