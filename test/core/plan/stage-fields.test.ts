import { describe, expect, it } from "vitest";
import { problemsOf, read, stageFrom, withStages } from "../../support/read-plans.ts";

describe("a stage", () => {
  it("needs no more than an id", () => {
    expect(stageFrom("")).toMatchInlineSnapshot(`
      {
        "acceptance": [],
        "after": [],
        "agent": null,
        "allowNoChange": false,
        "artifacts": [],
        "before": [],
        "bugFix": false,
        "contextBudget": 65,
        "critical": false,
        "dependencies": [],
        "description": "",
        "effort": null,
        "files": [],
        "harness": null,
        "id": "one",
        "line": 7,
        "model": null,
        "name": "one",
        "noProgressSecs": null,
        "regressionTest": null,
        "retries": null,
        "runsOn": null,
        "sandbox": {
          "enabled": null,
          "excludedCommands": [],
          "filesystem": {
            "allowWrite": [],
            "denyRead": [],
            "denyWrite": [],
          },
          "limits": {
            "diskMb": null,
            "fileMb": null,
            "memoryMb": null,
            "processes": null,
          },
          "network": {
            "allowedDomains": [],
            "checks": [],
            "setup": [],
          },
        },
        "setup": [],
        "synthesis": false,
        "timeoutSecs": null,
        "truths": [],
        "type": "standard",
        "wiring": [],
        "workingDir": ".",
      }
    `);
  });

  it("has a default for a key without a value", () => {
    expect(stageFrom("files:\ndependencies: ~\nname:\n")).toEqual(stageFrom(""));
  });

  it.each([
    ["dependencies: [zero]", "depends_on: [zero]", "blocked_by: zero"],
    ["files: [a, b]", "files_to_modify: [a, b]", "files_to_create: [a, b]"],
    ["before: [x]", "before_stage: x", "before: { checks: [x] }"],
    ["after: [x, y]", "after_stage: [x, y]", "after: { commands: [x], more: [{ run: y }] }"],
    ["acceptance: [x]", "acceptance: x", "validation: { command: x }"],
    ["truths: [x]", "truth_checks: [{ command: x }]", "wiring_tests: [x]"],
    ["name: One two", "title: One two", "name: ' One two '"],
    ["description: Do it", "objective: Do it", 'description: "Do it"'],
    ["effort: high", "reasoning_effort: high", "reasoning_effort: xhigh"],
    ["stage_type: investigate", "type: Investigate", "stage_type: INVESTIGATE"],
    ["stage_type: integration-verify", "type: integration_verify", "stage_type: IntegrationVerify"],
    ["timeout_secs: 60", "timeout: 60", "timeout_secs: 60.0"],
    ["retries: 4", "max_retries: 4", "retries: 4.0"],
    ["critical: true", "is_critical_path: true", "critical: True"],
    ["synthesis: true", "is_synthesis: true", "synthesis: TRUE"],
    ["agent: coder", "agents: [coder]", "agents: coder"],
    ["setup: [npm ci]", "setup: npm ci", "setup:\n  - npm ci"],
    ["sandbox: { enabled: false }", "sandbox: false", "sandbox: { enabled: False }"],
    ["regression_test: { file: t.ts }", "regression_test: t.ts", "regression_test: { file: ./t.ts }"],
    ["working_dir: api", "working_dir: ./api/", "working_dir: api//"],
    ["artifacts: [a.ts]", "artifacts: a.ts", "artifacts: [./a.ts]"],
  ])("reads %j as it reads %j and %j", (one, other, third) => {
    const stageWith = (fields: string) =>
      read(withStages(`- id: zero\n- id: one\n${fields.replaceAll(/^(?=.)/gm, "  ")}`)).plan?.stages[1];
    const expected = { ...stageWith(one), line: 0 };
    expect(expected).not.toEqual({ ...stageWith(""), line: 0 });
    expect({ ...stageWith(other), line: 0 }).toEqual(expected);
    expect({ ...stageWith(third), line: 0 }).toEqual(expected);
  });

  it("joins files that are given under several names", () => {
    const stage = stageFrom("files: [a, b]\nfiles_to_modify: [b]\nfiles_to_create: [c]");
    expect(stage.files).toEqual(["a", "b", "c"]);
  });

  it("refuses two names for one thing", () => {
    expect(
      problemsOf(
        withStages("- id: one\n  timeout: 1\n  timeout_secs: 1\n  acceptance: [{ run: a, command: a }]"),
      ),
    ).toMatchInlineSnapshot(`
      [
        "8 error stages[0].timeout: \`timeout_secs\` and \`timeout\` mean the same. | Keep one of them.",
        "10 error stages[0].acceptance[0].run: \`command\` and \`run\` mean the same. | Keep one of them.",
      ]
    `);
  });

  it("reads checks in all their detail", () => {
    const { acceptance } = stageFrom(`
acceptance:
  - npm test
  - command: npm run e2e
    description: From end to end
    timeout_secs: 900
    exit_code: 3
    stdout_contains: [ok, 12 passed]
    stdout_not_contains: skipped
    stderr_empty: true
  - run: ./check
    name: Checked
    timeout: 5
    expected_exit_code: 1
    expected_output: fine
`);
    expect(acceptance).toMatchInlineSnapshot(`
      [
        {
          "command": "npm test",
          "description": null,
          "exitCode": 0,
          "stderrEmpty": false,
          "stdoutContains": [],
          "stdoutNotContains": [],
          "timeoutSecs": 300,
        },
        {
          "command": "npm run e2e",
          "description": "From end to end",
          "exitCode": 3,
          "stderrEmpty": true,
          "stdoutContains": [
            "ok",
            "12 passed",
          ],
          "stdoutNotContains": [
            "skipped",
          ],
          "timeoutSecs": 900,
        },
        {
          "command": "./check",
          "description": "Checked",
          "exitCode": 1,
          "stderrEmpty": false,
          "stdoutContains": [
            "fine",
          ],
          "stdoutNotContains": [],
          "timeoutSecs": 5,
        },
      ]
    `);
  });

  it("takes `true` and `false` for the commands they are", () => {
    expect(stageFrom("acceptance: [true]\ntruths:\n  - false").truths[0]?.command).toBe("false");
  });

  it("checks the patterns of wiring with what it is given, and quotes literal ones", () => {
    const checkPattern = (source: string) => (source.includes("(?=") ? "No look-ahead." : null);
    const wiring = (pattern: string) => `wiring: [{ source: src/a.ts, pattern: "${pattern}" }]`;
    expect(stageFrom(wiring("a+"), { checkPattern }).wiring[0]).toEqual({
      source: "src/a.ts",
      pattern: "a+",
      description: null,
    });
    expect(stageFrom("wiring: [{ source: a, pattern: f(x), literal: true }]").wiring[0]?.pattern).toBe(
      "f\\(x\\)",
    );
    expect(
      problemsOf(withStages(`- id: one\n  ${wiring("(?=a)")}`), { checkPattern }),
    ).toMatchInlineSnapshot(`
      [
        "8 error stages[0].wiring[0].pattern: No look-ahead. | Fix the regular expression, or add \`literal: true\` to look for the text as it is.",
      ]
    `);
  });

  it("caps the context budget", () => {
    expect(stageFrom("context_budget: 40").contextBudget).toBe(40);
    expect(stageFrom("context_budget: 90").contextBudget).toBe(75);
  });

  it("takes a missing type from an id that says it, in plans from elsewhere", () => {
    const typeOf = (id: string, origin: "loom" | "elsewhere") =>
      read(withStages(`- id: ${id}\n  acceptance: [x]`), { origin }).plan?.stages[0]?.type;
    expect(typeOf("integration-verify", "elsewhere")).toBe("integration-verify");
    expect(typeOf("knowledge-bootstrap", "elsewhere")).toBe("knowledge");
    expect(typeOf("knowledge-panel", "elsewhere")).toBe("standard");
    expect(typeOf("integration-verify", "loom")).toBe("standard");
  });

  it("reports everything that is wrong in one round, with its line", () => {
    const text = withStages(`
- id: one
  timeout_secs: soon
  no_progress_secs: -1
  retries: 1.5
  effort: heroic
  stage_type: magic
  context_budget: 0
  bug_fix: "yes"
  working_dir: ../up
  files: [/etc/passwd, -rf, ~/x, "{a,../b}", "", src/../../x, "!a"]
  artifacts: { a: b }
  acceptance:
    - echo a: b
    - ""
    -
  wiring:
    - source: ../../main.ts
      pattern: x
    - pattern: y
  regression_test: {}
  sandbox: strict
  dependencies: [[x]]
- two
- name: Third Stage
  runs_on: [a, b]
`);
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "9 error stages[0].timeout_secs: \`timeout_secs\` must be a number, but is \`soon\`. | Write, for example, \`timeout_secs: 3600\`.",
        "10 error stages[0].no_progress_secs: \`no_progress_secs\` must be 0 or more, but is \`-1\`. | Write, for example, \`no_progress_secs: 1800\`.",
        "11 error stages[0].retries: \`retries\` must be a whole number, but is \`1.5\`. | Write, for example, \`retries: 2\`.",
        "12 error stages[0].effort: \`heroic\` is not an effort. | Write \`low\`, \`medium\` or \`high\`.",
        "13 error stages[0].stage_type: \`magic\` is not a type of stage. | Write \`standard\`, \`knowledge\`, \`integration-verify\`, \`code-review\` or \`investigate\`.",
        "14 error stages[0].context_budget: \`context_budget\` must be at least 1, but is \`0\`. | Write, for example, \`context_budget: 65\`.",
        "15 error stages[0].bug_fix: \`bug_fix\` must be true or false, but is \`yes\`. | Write, for example, \`bug_fix: true\`.",
        "16 error stages[0].working_dir: \`../up\` leads out of the work tree. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[0]: \`/etc/passwd\` is absolute. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[1]: \`-rf\` begins with \`-\`. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[2]: \`~/x\` begins with \`~\`. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[3]: \`{a,../b}\` leads out of the work tree. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[4]: A path under \`files\` is empty. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[5]: \`src/../../x\` leads out of the work tree. | Write a path inside the work tree, such as \`src/auth\`.",
        "17 error stages[0].files[6]: \`!a\` begins with \`!\`. | Write a path inside the work tree, such as \`src/auth\`.",
        "18 error stages[0].artifacts[0]: \`artifacts\` must be a text. | Write, for example, \`artifacts: [src/auth/*.ts]\`.",
        "20 error stages[0].acceptance[0]: \`acceptance\` has a check without \`command\`; a command with a colon and a space in it has to stand in quotes. | Write, for example, \`acceptance: [npm test]\`.",
        "20 warning stages[0].acceptance[0].echo a: Loom does not know \`echo a\`. | Remove it, or check how it is spelled.",
        "21 error stages[0].acceptance[1].command: \`command\` must not be empty. | Write, for example, \`acceptance: [npm test]\`.",
        "22 error stages[0].acceptance[2]: \`acceptance\` must be a command, or a mapping with \`command\`, but is empty. | Write, for example, \`acceptance: [npm test]\`.",
        "26 error stages[0].wiring[1].source: \`source\` is missing. | Write, for example, \`wiring: [{ source: src/main.ts, pattern: "createServer", description: The server starts }]\`.",
        "27 error stages[0].regression_test: The regression test names neither a file nor a command. | Add \`file:\`, \`command:\` or both.",
        "28 error stages[0].sandbox: \`sandbox\` must be a mapping, but is \`strict\`. | Write, for example, \`sandbox: { network: { allowed_domains: [packages.example.com] } }\`.",
        "29 error stages[0].dependencies[0]: \`dependencies\` must be a text, but is a list. | Write, for example, \`dependencies: [build]\`.",
        "30 error stages[1]: The stage must be a mapping that begins with \`id:\`, but is \`two\`. | Begin each stage with \`- id: its-name\`.",
        "31 error stages[2].id: The stage has no id. | Add \`id: third-stage\`.",
        "32 error stages[2].runs_on: \`runs_on\` must be a text, but is a list. | Write, for example, \`runs_on: linux\`.",
      ]
    `);
  });

  it("shows a wrong value on one line, between marks that it can't close", () => {
    const text = withStages('- id: one\n  acceptance: [x]\n  timeout_secs: "soon`\\n\\n@everyone `now"');
    expect(problemsOf(text)).toEqual([
      "9 error stages[0].timeout_secs: `timeout_secs` must be a number, but is `soon' @everyone 'now`. | Write, for example, `timeout_secs: 3600`.",
    ]);
  });

  it("reports everything that is wrong with the plan itself", () => {
    const fields =
      "  complexity: huge\n  max_parallel: 0\n  merge: sometimes\n  budget: { tokens: -5 }\n  gate: [{ exit_code: 1 }]\n  auto_merge: perhaps\n";
    expect(problemsOf(withStages("- id: one\n  acceptance: [x]", fields))).toMatchInlineSnapshot(`
      [
        "6 error complexity: \`huge\` is not a complexity. | Write \`simple\`, \`medium\` or \`complex\`.",
        "7 error max_parallel: \`max_parallel\` must be at least 1, but is \`0\`. | Write, for example, \`max_parallel: 4\`.",
        "8 error merge: \`sometimes\` is not a way to merge. | Write \`auto\`, and Loom merges, or \`review\`, and people do.",
        "9 error budget.tokens: \`tokens\` must be a number above 0, but is \`-5\`. | Write, for example, \`tokens: 2000000\`.",
        "10 error gate[0]: \`gate\` has a check without \`command\`; a command with a colon and a space in it has to stand in quotes. | Write, for example, \`gate: [npm test]\`.",
        "11 error auto_merge: \`auto_merge\` must be true or false, but is \`perhaps\`. | Write, for example, \`auto_merge: true\`.",
      ]
    `);
    expect(problemsOf("```yaml\nloom:\n  stages: {}\n```\n")).toMatchInlineSnapshot(`
      [
        "2 error version: The plan does not say which version of the format it is in. | Write \`version: 1\`.",
        "3 error stages: \`stages\` has to be a list. | Write \`stages:\` with a list of stages below it, each beginning with \`- id: its-name\`.",
      ]
    `);
    expect(problemsOf("```yaml\nloom: [1]\n```\n")).toMatchInlineSnapshot(`
      [
        "2 error -: \`loom:\` has to be a mapping. | Put \`version: 1\` and \`stages:\` below it.",
      ]
    `);
    expect(
      problemsOf("```yaml\nloom:\n  version: 7\n  stages: []\nstages: []\n```\n"),
    ).toMatchInlineSnapshot(`
      [
        "3 error version: Loom reads version 1 and 2 of the format, not \`7\`. | Write \`version: 1\`.",
        "4 error stages: The plan has no stages. | Write \`stages:\` with a list of stages below it, each beginning with \`- id: its-name\`.",
        "5 warning stages: \`stages\` stands beside \`loom:\` and is passed over. | Indent it to put it below \`loom:\`, or remove it.",
      ]
    `);
  });

  it("knows the gate that is left to Loom from the one that is switched off", () => {
    const gateOf = (field: string) => read(withStages("- id: one", field)).plan?.gate;
    expect(gateOf("")).toBeNull();
    expect(gateOf("  gate: auto\n")).toBeNull();
    for (const off of ["false", "off", "[]", "none"]) expect(gateOf(`  gate: ${off}\n`)).toEqual([]);
    expect(gateOf("  gate: make check\n")).toMatchObject([{ command: "make check" }]);
  });

  it("merges as the plan says, as an old plan says, or as it is told", () => {
    const modeOf = (field: string, mergeMode?: "auto" | "review") =>
      read(withStages("- id: one", field), mergeMode ? { mergeMode } : {}).plan?.merge.mode;
    expect(modeOf("  merge: { mode: review }\n")).toBe("review");
    expect(modeOf("  merge: auto\n", "review")).toBe("auto");
    expect(modeOf("  auto_merge: false\n")).toBe("review");
    expect(modeOf("")).toBe("auto");
    expect(modeOf("", "review")).toBe("review");
  });
});
