import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, normalise } from "../scenario/project.ts";

const BAD_PLAN = `# A plan with mistakes

\`\`\`yaml
loom:
  version: 1
  stages:
    - id: first
      name: First
      acceptence: [make test]
    - id: second
      name: Second
      acceptance: [make test]
      dependencies: [first, third]
\`\`\`
`;

describe("loom plan check", () => {
  it("tells a valid plan by exit code 0, with its levels and its critical path", async () => {
    const stage = (id: string, ...dependencies: string[]) => ({ id, dependencies, acceptance: ["true"] });
    const project = makeProject({
      stages: [stage("a"), stage("b", "a"), stage("c", "a"), stage("d", "b", "c")],
    });
    const text = await project.ask("plan", "check", "PLAN.md");
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toMatchInlineSnapshot(`
      "PLAN.md is valid.

        level  stages
            1  a
            2  b, c
            3  d

      4 stages in 3 levels. 2 of 4 stages can run beside others, 2 at a time.

      Critical path (3 stages): a → b → d
      "
    `);

    const json = await project.ask("plan", "check", "PLAN.md", "--json");
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toEqual({
      valid: true,
      problems: [],
      stages: [
        { id: "a", level: 0, dependencies: [] },
        { id: "b", level: 1, dependencies: ["a"] },
        { id: "c", level: 1, dependencies: ["a"] },
        { id: "d", level: 2, dependencies: ["b", "c"] },
      ],
      profile: expect.objectContaining({ levels: 3, width: 2, criticalPath: ["a", "b", "d"] }),
    });
  });

  it("knows the agents of the roster, and those that were taken out of it", async () => {
    const stage = (id: string, agent: string) => ({ id, agent, acceptance: ["true"] });
    const project = makeProject({
      stages: [stage("a", "coder"), stage("b", "data_engineer"), stage("c", "codr"), stage("d", "architect")],
    });
    const text = await project
      .with({ env: { LOOM_DISABLED_AGENTS: "data-engineer,nobody" } })
      .ask("plan", "check", "PLAN.md");
    expect(text.code).toBe(1);
    expect(text.stderr).toMatchInlineSnapshot(`
      "loom: LOOM_DISABLED_AGENTS names \`nobody\`, but there is no such agent.
      "
    `);
    expect(text.stdout).toMatchInlineSnapshot(`
      "PLAN.md:4: error: The agent \`data-engineer\` is disabled.
          Name another one, or have it enabled: it stands in the operator's LOOM_DISABLED_AGENTS or in \`agents.disabled\` of .github/loom.yml.

      PLAN.md:4: error: There is no agent \`codr\`.
          Did you mean \`coder\`?

      PLAN.md:4: error: The agent \`architect\` can only read, but \`d\` has to change files.
          Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` \`investigate\` or \`code-review\`.

      PLAN.md is not valid: 3 errors.

        level  stages
            1  a, b, c, d

      4 stages in 1 level. 4 of 4 stages can run beside others, 4 at a time.

      Critical path (1 stage): a
      "
    `);
  });

  it("tells an invalid plan by exit code 1, with every problem, its line and its fix", async () => {
    const project = makeProject({ stages: [], files: { "PLAN.md": BAD_PLAN } });
    const text = await project.ask("plan", "check", "PLAN.md");
    expect(text).toMatchObject({ code: 1, stderr: "" });
    expect(text.stdout).toMatchInlineSnapshot(`
      "PLAN.md:7: warning: Nothing proves the stage \`first\`.
          Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.

      PLAN.md:9: warning: Loom does not know \`acceptence\`.
          Did you mean \`acceptance\`?

      PLAN.md:13: error: There is no stage \`third\` to depend on.
          Name the id of a stage of this plan.

      PLAN.md is not valid: 1 error, 2 warnings.
      "
    `);

    const json = await project.ask("plan", "check", "PLAN.md", "--json");
    expect(json.code).toBe(1);
    const report = JSON.parse(json.stdout);
    expect(report.valid).toBe(false);
    expect(report.problems).toContainEqual({
      severity: "error",
      path: "stages[1].dependencies[1]",
      line: 13,
      message: expect.stringContaining("third"),
      fix: expect.any(String),
    });
  });

  it("tells a wrong file name by exit code 2", async () => {
    const project = makeProject({ stages: [{ id: "only" }] });
    mkdirSync(join(project.root, "empty"));
    const answers = [
      await project.ask("plan", "check", "MISSING.md"),
      await project.ask("plan", "check", "README.md/PLAN.md"),
      await project.ask("plan", "check", ""),
      await project.ask("plan", "check", "empty"),
      await project.ask("plan", "check", "/dev/null"),
      await project.ask("plan", "check", "\u001b[2J.md"),
      await project.ask("plan", "check"),
    ];
    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual(answers.map(() => [2, ""]));
    expect(answers.map(({ stderr }) => stderr).join("")).toMatchInlineSnapshot(`
      "loom: There is no file MISSING.md.
            Name a plan: a Markdown file with a \`loom:\` block, or a folder of unit files.
      loom: There is no file README.md/PLAN.md.
            Name a plan: a Markdown file with a \`loom:\` block, or a folder of unit files.
      loom: An empty name is neither a file nor a folder.
            Name a plan: a Markdown file with a \`loom:\` block, or a folder of unit files.
      loom: The folder empty has no unit files.
            Unit files are named like 01-first-step.md.
      loom: /dev/null is neither a file nor a folder.
            Name a plan: a Markdown file with a \`loom:\` block, or a folder of unit files.
      loom: There is no file .md.
            Name a plan: a Markdown file with a \`loom:\` block, or a folder of unit files.
      error: missing required argument 'file'
      Add --help to see how it is used.
      "
    `);
  });
});

describe("loom run with a plan", () => {
  it("starts nothing when the plan is invalid, or asks for reviews that a machine alone can't give", async () => {
    const project = makeProject({ stages: [{ id: "only" }], plan: { merge: { mode: "review" } } });
    project.write({ "bad.md": BAD_PLAN });
    const bad = await project.ask("run", "bad.md");
    expect(bad).toMatchObject({ code: 2, stdout: "" });
    expect(bad.stderr).toContain("bad.md:13: error: There is no stage `third` to depend on.");
    const review = await project.ask("run", "PLAN.md");
    expect(review).toMatchObject({ code: 2, stdout: "" });
    expect(review.stderr).toMatchInlineSnapshot(`
      "loom: The plan asks for merge.mode review, which needs pull requests.
            Name a branch of its own with --into BRANCH and review that, or write \`merge: { mode: auto }\` into the plan.
      "
    `);
    expect((await project.ask("runs")).stdout).toContain("No runs yet");

    const into = await project.loom("run", "PLAN.md", "--into", "proposal", "--json");
    expect(into).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages("proposal")).toEqual(["only"]);
  });

  it("runs a folder of unit files one after the other", async () => {
    const project = makeProject({
      stages: [],
      files: {
        "work/01-lay-bricks.md":
          "---\neffort: high\nacceptance: test -f lay-bricks.txt\n---\n# Lay bricks\n\nOne by one.\n",
        "work/02_paint-wall.md": "# Paint the wall\n\nIn blue.\n",
        "work/notes.txt": "not a unit\n",
      },
      agent: 'cp "$LOOM_PROMPT" "$NOTES/$LOOM_STAGE_ID"; ls > "$LOOM_STAGE_ID.txt"',
    });
    const result = await project.loom("run", "work");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(normalise(result.stdout).split("\n").slice(0, 2)).toMatchInlineSnapshot(`
      [
        "work has 1 warning; \`loom plan check work\` shows it.",
        "<time>  Run work-<hash>: 2 stages into main with command, 4 at a time.",
      ]
    `);
    expect(project.mergedStages()).toEqual(["lay-bricks", "paint-wall"]);
    expect(project.git("log", "--format=%s", "--grep=Loom-Stage")).toBe("Paint the wall\nLay bricks");
    expect(project.note("paint-wall")).toContain("In blue.");
    expect((await project.ask("run", "work")).stdout).toContain("already built");
  });
});
