import { describe, expect, it } from "vitest";
import type { AgentList } from "../../../src/core/plan/plan-draft.ts";
import { problemsOf, read, withStages } from "../../support/read-plans.ts";

/** Stages that prove something, so that only the rule under test speaks. */
function stages(...lines: string[]): string {
  return withStages(lines.map((line) => `- { acceptance: [npm test], ${line} }`).join("\n"));
}

describe("ids and dependencies", () => {
  it("refuses an id that another stage has, and says where", () => {
    expect(problemsOf(stages("id: a", "id: b", "id: a"))).toMatchInlineSnapshot(`
      [
        "9 error stages[2].id: The id \`a\` is taken by the stage in line 7. | Give each stage an id of its own.",
      ]
    `);
  });

  it("refuses ids that become the same", () => {
    expect(problemsOf(stages("id: Build_API", "id: build-api"))).toMatchInlineSnapshot(`
      [
        "7 warning stages[0].id: The stage \`Build_API\` goes by the id \`build-api\`. | Write \`build-api\` to say so yourself.",
        "8 error stages[1].id: \`build-api\` and \`Build_API\` in line 7 both go by the id \`build-api\`. | Give each stage an id of its own.",
      ]
    `);
  });

  it("refuses ids of which nothing can be kept, and names of devices", () => {
    expect(problemsOf(stages('id: "../.."', "id: 日本", "id: con"))).toMatchInlineSnapshot(`
      [
        "7 error stages[0].id: \`../..\` can't be the id of a stage. | Use lower-case letters, digits and hyphens, 63 at most, beginning with a letter or digit.",
        "8 error stages[1].id: \`日本\` can't be the id of a stage. | Use lower-case letters, digits and hyphens, 63 at most, beginning with a letter or digit.",
        "9 error stages[2].id: \`con\` can't be the id of a stage. | Use lower-case letters, digits and hyphens, 63 at most, beginning with a letter or digit.",
      ]
    `);
  });

  it("takes ids as they are in plans that Loom wrote", () => {
    expect(
      problemsOf(stages("id: Build_API", "id: b, dependencies: [Build-API]"), { origin: "loom" }),
    ).toMatchInlineSnapshot(`
      [
        "7 error stages[0].id: \`Build_API\` can't be the id of a stage. | Write \`build-api\`: lower-case letters, digits and hyphens, 63 at most, beginning with a letter or digit.",
        "8 error stages[1].dependencies[0]: There is no stage \`Build-API\` to depend on. | Name the id of a stage of this plan.",
      ]
    `);
  });

  it("names a stage that may be meant when a dependency is unknown", () => {
    expect(
      problemsOf(stages("id: build-api", "id: b, dependencies: [biuld-api, nowhere]")),
    ).toMatchInlineSnapshot(`
      [
        "8 error stages[1].dependencies[0]: There is no stage \`biuld-api\` to depend on. | Did you mean \`build-api\`?",
        "8 error stages[1].dependencies[1]: There is no stage \`nowhere\` to depend on. | Name the id of a stage of this plan.",
      ]
    `);
  });

  it("remarks on a dependency that is listed twice, and keeps one", () => {
    const text = stages("id: a", "id: b, dependencies: [a, a]");
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "8 warning stages[1].dependencies[1]: The dependency \`a\` is listed twice. | Keep one of them.",
      ]
    `);
    expect(read(text).plan?.stages[1]?.dependencies).toEqual(["a"]);
  });

  it("names a cycle, and the stage that waits for itself", () => {
    const text = stages(
      "id: a, dependencies: [c]",
      "id: b, dependencies: [a]",
      "id: c, dependencies: [b]",
      "id: d, dependencies: [d]",
    );
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "7 error stages[0].dependencies[0]: These stages wait for each other: a → c → b → a. | Remove one of these dependencies.",
        "10 error stages[3].dependencies[0]: The stage depends on itself: d → d. | Remove this dependency.",
      ]
    `);
    expect(read(text).graph).toBeNull();
  });

  it("cuts the name of a long cycle", () => {
    const ring = Array.from({ length: 20 }, (_, n) => `id: s${n}, dependencies: [s${(n + 1) % 20}]`);
    expect(read(stages(...ring)).problems.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "These stages wait for each other: s0 → s1 → s2 → s3 → s4 → s5 → s6 → s7 → s8 → s9 → s10 → s11 → … (8 more) → s0.",
      ]
    `);
  });

  it("remarks on dependencies that come along anyway", () => {
    expect(
      problemsOf(stages("id: a", "id: b, dependencies: [a]", "id: c, dependencies: [a, b]")),
    ).toMatchInlineSnapshot(`
      [
        "9 warning stages[2].dependencies[0]: \`c\` waits for \`a\` anyway, through another dependency. | Leave it out.",
      ]
    `);
  });

  it("still has a graph when only other fields are wrong", () => {
    const { plan, graph } = read(stages("id: a, retries: many", "id: b, dependencies: [a]"));
    expect(plan).toBeNull();
    expect(graph?.order).toEqual(["a", "b"]);
  });
});

describe("synthesis stages", () => {
  it("have no dependents", () => {
    expect(
      problemsOf(
        stages("id: a", "id: sum, synthesis: true, dependencies: [a]", "id: b, dependencies: [sum]"),
      ),
    ).toMatchInlineSnapshot(`
      [
        "9 error stages[2].dependencies[0]: \`b\` depends on \`sum\`, a synthesis stage, which runs after all others. | Remove the dependency, or \`synthesis: true\` from \`sum\`.",
      ]
    `);
  });

  it("may depend on others", () => {
    expect(problemsOf(stages("id: a", "id: sum, synthesis: true, dependencies: [a]"))).toEqual([]);
  });
});

describe("files of stages that may run at the same time", () => {
  it("belong to one of them", () => {
    expect(
      problemsOf(stages("id: a, files: [src/x.ts]", "id: b, files: [./src/x.ts]")),
    ).toMatchInlineSnapshot(`
      [
        "8 error stages[1].files[0]: \`a\` and \`b\` may run at the same time and both own \`src/x.ts\`. | Let one of them own it, or let \`b\` depend on \`a\`.",
      ]
    `);
  });

  it("may be handed on from stage to stage, however far", () => {
    const text = stages(
      "id: a, files: [x.ts]",
      "id: b, dependencies: [a]",
      "id: c, dependencies: [b], files: [x.ts]",
    );
    expect(problemsOf(text)).toEqual([]);
  });

  it("are compared from the root of the work tree", () => {
    const text = stages("id: a, working_dir: api, files: [src/x.ts]", "id: b, files: [src/x.ts]");
    expect(problemsOf(text)).toEqual([]);
    const same = stages("id: a, working_dir: api, files: [../shared/x.ts]", "id: b, files: [shared/x.ts]");
    expect(read(same).problems).toHaveLength(1);
  });

  it("may be touched again by a synthesis stage", () => {
    expect(problemsOf(stages("id: a, files: [x.ts]", "id: sum, synthesis: true, files: [x.ts]"))).toEqual([]);
  });

  it("earn a warning when patterns could meet", () => {
    const text = stages(
      'id: a, files: ["src/**/*.ts"]',
      'id: b, files: [src/auth/login.ts, "docs/*"]',
      'id: c, files: ["docs/*"]',
      "id: d, files: [tools/run.sh]",
      "id: e, files: [tools]",
      "id: f, dependencies: [a], files: [src/only.ts]",
    );
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "8 warning stages[1].files[0]: \`a\` and \`b\` may run at the same time, and what they own may overlap: \`src/**/*.ts\` and \`src/auth/login.ts\`. | Narrow the patterns, or let \`b\` depend on \`a\`.",
        "9 warning stages[2].files[0]: \`b\` and \`c\` may run at the same time, and what they own may overlap: \`docs/*\`. | Narrow the patterns, or let \`c\` depend on \`b\`.",
        "10 warning stages[3].files[0]: \`e\` and \`d\` may run at the same time, and what they own may overlap: \`tools\` and \`tools/run.sh\`. | Narrow the patterns, or let \`d\` depend on \`e\`.",
      ]
    `);
  });
});

describe("proof", () => {
  it("is asked of every standard stage", () => {
    const text = withStages(
      "- id: a\n- { id: b, stage_type: knowledge }\n- { id: c, artifacts: [x] }\n- { id: d, regression_test: t.ts }",
    );
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "7 warning stages[0]: Nothing proves the stage \`a\`. | Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.",
      ]
    `);
  });

  it("of a bug fix is a regression test", () => {
    expect(
      problemsOf(stages("id: a, bug_fix: true", "id: b, bug_fix: true, regression_test: t.ts")),
    ).toMatchInlineSnapshot(`
      [
        "7 warning stages[0].bug_fix: The bug fix \`a\` names no regression test. | Add \`regression_test: { file: … }\`: a test that fails without the fix.",
      ]
    `);
  });

  it("is a command and not a sentence", () => {
    expect(problemsOf(withStages("- id: a\n  truths: [The page shows the title.]"))).toMatchInlineSnapshot(`
      [
        "8 warning stages[0].truths[0]: \`The page shows the title.\` reads like a sentence, but will be run as a command. | Write a command that exits with 0 when it is so.",
      ]
    `);
  });
});

describe("agents", () => {
  const agents: AgentList = new Map([
    ["coder", { readOnly: false }],
    ["reviewer", { readOnly: true, noShell: true }],
    ["debugger", { readOnly: true }],
    ["writer", { readOnly: false, noShell: true }],
    ["copywriter", { readOnly: false, disabled: true }],
  ]);

  it("have to be there, and able to write what they have to write", () => {
    const text = stages(
      "id: a, agent: codr",
      "id: b, agent: reviewer",
      "id: c, agent: reviewer, stage_type: code-review",
      "id: d, agent: reviewer, stage_type: code-review, files: [notes.md]",
      "id: e, agent: coder",
      "id: f, agent: reviewer, stage_type: knowledge",
      "id: g, agent: reviewer, allow_no_change: true",
      "id: h, agents: [Code_Reader], stage_type: investigate",
    );
    expect(problemsOf(text, { agents })).toMatchInlineSnapshot(`
      [
        "7 error stages[0].agent: There is no agent \`codr\`. | Did you mean \`coder\`?",
        "8 error stages[1].agent: The agent \`reviewer\` can only read, but \`b\` has to change files. | Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` \`investigate\` or \`code-review\`.",
        "10 error stages[3].agent: The agent \`reviewer\` can only read, but \`d\` has to change files. | Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` \`investigate\` or \`code-review\`.",
        "12 error stages[5].agent: The agent \`reviewer\` can only read, but \`f\` has to change files. | Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` \`investigate\` or \`code-review\`.",
        "14 error stages[7].agent: There is no agent \`code-reader\`. | Name an agent that is installed and not disabled.",
      ]
    `);
  });

  it("that only read are not given what is to be made", () => {
    const given = (name: string, more = ""): string[] =>
      problemsOf(
        stages(`id: a, name: ${JSON.stringify(name)}, agent: debugger, allow_no_change: true${more}`),
        {
          agents,
        },
      );
    expect(given("Implement the login form")).toMatchInlineSnapshot(`
      [
        "7 warning stages[0].agent: The agent \`debugger\` can only read, but the task of \`a\` begins with "Implement": nothing would be made. | Choose an agent that can write, or say what the stage is to find out.",
      ]
    `);
    const made = [
      "Add a login form",
      "1. create the table",
      "Build the report page",
      "Write tests for the parser",
      "Write the report endpoint",
      "Add a check for empty names",
      "fix the crash",
    ];
    for (const name of made) {
      expect(given(name), name).toHaveLength(1);
      expect(given("The form", `, description: ${JSON.stringify(name)}`), name).toHaveLength(1);
    }
  });

  it("that only read may be given what is to be looked at, or told", () => {
    const given = (fields: string): string[] =>
      problemsOf(stages(`id: a, agent: debugger, ${fields}`), { agents });
    const told = [
      "Review the new form",
      "Audit how the form is built",
      "Write a report",
      "Write a short security report on the form",
      "Write up what was found",
      "Create an inventory of endpoints",
      "Build a threat model",
      "Build system review",
      "Add comments to the pull request",
      "Add-on audit",
      "Additional checks",
      "Building blocks of the parser",
      "Fixes of last week",
      "Fix nothing, look only",
    ];
    for (const name of told) {
      const written = JSON.stringify(name);
      expect(given(`name: ${written}, allow_no_change: true`), name).toEqual([]);
      expect(given(`name: The form, description: ${written}, allow_no_change: true`), name).toEqual([]);
    }
    expect(
      given("name: Try it, stage_type: integration-verify, description: Build it and run its tests."),
    ).toEqual([]);
    expect(given("name: The cause, stage_type: investigate, description: Build it and look.")).toEqual([]);
    expect(given("name: Review the form, stage_type: code-review, description: Add it all up.")).toEqual([]);
    expect(problemsOf(stages("id: a, name: Add a form, agent: coder"), { agents })).toEqual([]);
  });

  it("run commands where a stage is there for that", () => {
    const text = stages(
      ...["reviewer", "writer", "debugger", "coder"].map(
        (agent) => `id: ${agent[0]}, agent: ${agent}, stage_type: integration-verify`,
      ),
      "id: l, agent: debugger",
    );
    expect(problemsOf(text, { agents })).toMatchInlineSnapshot(`
      [
        "7 error stages[0].agent: The agent \`reviewer\` can't run commands, but \`r\` has to build and try the project. | Choose an agent that has a shell, or the \`stage_type\` \`code-review\`.",
        "8 error stages[1].agent: The agent \`writer\` can't run commands, but \`w\` has to build and try the project. | Choose an agent that has a shell, or the \`stage_type\` \`code-review\`.",
        "11 error stages[4].agent: The agent \`debugger\` can only read, but \`l\` has to change files. | Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` \`investigate\`, \`code-review\` or \`integration-verify\`.",
      ]
    `);
  });

  it("that only read have nothing to prove where they change nothing", () => {
    const text = withStages(
      "- { id: a, agent: reviewer, allow_no_change: true }\n- { id: b, agent: coder, allow_no_change: true }",
    );
    expect(problemsOf(text, { agents })).toMatchInlineSnapshot(`
      [
        "8 warning stages[1]: Nothing proves the stage \`b\`. | Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.",
      ]
    `);
  });

  it("are not disabled, and not confused with those that are", () => {
    const text = stages("id: a, agent: copywriter", "id: b, agent: copywritter");
    expect(problemsOf(text, { agents })).toMatchInlineSnapshot(`
      [
        "7 error stages[0].agent: The agent \`copywriter\` is disabled. | Name another one, or have it enabled: it stands in the operator's LOOM_DISABLED_AGENTS or in \`agents.disabled\` of .github/loom.yml.",
        "8 error stages[1].agent: There is no agent \`copywritter\`. | Name an agent that is installed and not disabled.",
      ]
    `);
  });

  it("are not looked at when nobody says which there are", () => {
    expect(problemsOf(stages("id: a, agent: anyone"))).toEqual([]);
  });
});

describe("size", () => {
  it("should fit the complexity", () => {
    const four = withStages(
      ["a", "b", "c", "d"].map((id) => `- { id: ${id}, acceptance: [x] }`).join("\n"),
      "  complexity: simple\n",
    );
    expect(problemsOf(four)).toMatchInlineSnapshot(`
      [
        "7 warning stages: A simple task with 4 stages: 3 are usual at most. | Join stages, or raise the complexity.",
      ]
    `);
  });
});

describe("unknown keys", () => {
  const text = withStages(
    "- { id: a, acceptance: [{ comand: x, command: y }], workingDir: . }\n- { id: b, acceptance: [x], workingDir: . }",
  );

  it("are remarks, one for each key, in plans from elsewhere", () => {
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "7 warning stages[0].workingDir: Loom does not know \`workingDir\`. It stands in 2 places; this is the first. | Did you mean \`working_dir\`?",
        "7 warning stages[0].acceptance[0].comand: Loom does not know \`comand\`. | Did you mean \`command\`?",
      ]
    `);
  });

  it("are errors in plans that Loom wrote", () => {
    expect(read(text, { origin: "loom" })).toMatchObject({ plan: null, problems: { length: 3 } });
  });
});
