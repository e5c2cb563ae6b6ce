import { describe, expect, it } from "vitest";
import { readRepositoryConfig } from "../../../../src/core/config/repository/read-repository-config.ts";
import { DEFAULT_REPOSITORY_CONFIG } from "../../../../src/core/config/repository/repository-config.ts";
import { quickly } from "../../../support/quickly.ts";

function problemsOf(text: string): string[] {
  const { config, problems } = readRepositoryConfig(text);
  expect(config).toBeNull();
  return problems.map(({ line, path, message, fix }) => `${line ?? "-"} [${path}] ${message} ${fix}`);
}

const WHOLE = `# how Loom works here
version: 1
merge:
  mode: auto
  method: rebase
  stack: chained
  delete_branches: false
approval:
  label: "ship it"
  roles: maintain
  express: true
labels:
  plan_review: review me
  approved: good
  running: busy
  needs_human: help
  blocked: stuck
  done: finished
limits:
  max_parallel: 2
  retries: 0
  timeout_secs: 600
  budget_usd: 12.5
  max_stages: 9
harness: claude
models:
  review: { harness: codex, model: gpt-5.5, effort: high }
  work/low: { model: sonnet }
  "*": { effort: low }
planner:
  degraded: deny
  depth: deep
  mode: strict
  remind_after_hours: 1.5
  default_after_hours: 8
  budget_usd: 4
agents: { disabled: [Code_Reviewer, seo-specialist, code-reviewer] }
commands: { budget_usd: 0.5, timeout_secs: 300 }
fallback: [codex, gemini]
effort: high
contract: warn
sandbox:
  network:
    allowed_domains: [Docs.example.com, "*.example.org"]
    setup: [packages.example.com:8443]
    checks: [api.example.com]
  limits: { processes: 64, memory_mb: 1024, file_mb: 100, disk_mb: 500 }
runs_on: linux-large
protected_paths:
  - infra/**
  - ./db/schema.sql
gate:
  - npm test
auto_run: true
notify:
  panel: false
`;

describe("the config of a repository", () => {
  it("has defaults when there is no file, an empty one, or one with nothing but its version", () => {
    for (const text of [null, "", "# nothing yet\n", "version: 1\n", "version: 1\nmerge:\nlabels: {}\n"]) {
      expect(readRepositoryConfig(text)).toEqual({ config: DEFAULT_REPOSITORY_CONFIG, problems: [] });
    }
    expect(DEFAULT_REPOSITORY_CONFIG).toMatchInlineSnapshot(`
      {
        "approval": {
          "express": false,
          "label": "loom: approve",
          "leastRole": "write",
        },
        "autoRun": false,
        "commands": {
          "budgetUsd": 2,
          "timeoutSecs": 1800,
        },
        "contract": null,
        "disabledAgents": [],
        "effort": null,
        "fallback": [],
        "gate": [],
        "harness": null,
        "labels": {
          "approved": "loom: approved",
          "blocked": "loom: blocked",
          "done": "loom: done",
          "needsHuman": "loom: needs human",
          "planReview": "loom: plan review",
          "running": "loom: running",
        },
        "limits": {
          "budgetUsd": null,
          "maxParallel": 4,
          "maxStages": 100,
          "retries": 2,
          "timeoutSecs": 14400,
        },
        "merge": {
          "deleteBranches": true,
          "method": null,
          "mode": "review",
          "stack": "auto",
        },
        "models": [],
        "notify": {
          "panel": true,
        },
        "planner": {
          "budgetUsd": 10,
          "defaultAfterSecs": 259200,
          "degraded": "require-approval",
          "depth": "standard",
          "mode": "guided",
          "remindAfterSecs": 86400,
        },
        "protectedPaths": [],
        "runsOn": null,
        "sandbox": {
          "limits": {
            "diskMb": null,
            "fileMb": null,
            "memoryMb": null,
            "processes": null,
          },
          "network": {
            "agent": [],
            "checks": [],
            "setup": [],
          },
        },
      }
    `);
  });

  it("is read whole, with Windows line ends and a byte order mark as well", () => {
    const { config, problems } = readRepositoryConfig(WHOLE);
    expect(problems).toEqual([]);
    expect(config).toMatchInlineSnapshot(`
      {
        "approval": {
          "express": true,
          "label": "ship it",
          "leastRole": "maintain",
        },
        "autoRun": true,
        "commands": {
          "budgetUsd": 0.5,
          "timeoutSecs": 300,
        },
        "contract": "warn",
        "disabledAgents": [
          "code-reviewer",
          "seo-specialist",
        ],
        "effort": "high",
        "fallback": [
          "codex",
          "gemini",
        ],
        "gate": [
          "npm test",
        ],
        "harness": "claude",
        "labels": {
          "approved": "good",
          "blocked": "stuck",
          "done": "finished",
          "needsHuman": "help",
          "planReview": "review me",
          "running": "busy",
        },
        "limits": {
          "budgetUsd": 12.5,
          "maxParallel": 2,
          "maxStages": 9,
          "retries": 0,
          "timeoutSecs": 600,
        },
        "merge": {
          "deleteBranches": false,
          "method": "rebase",
          "mode": "auto",
          "stack": "chained",
        },
        "models": [
          {
            "effort": null,
            "harness": null,
            "model": "sonnet",
            "role": "work",
            "tier": "low",
          },
          {
            "effort": "high",
            "harness": "codex",
            "model": "gpt-5.5",
            "role": "review",
            "tier": "*",
          },
          {
            "effort": "low",
            "harness": null,
            "model": null,
            "role": "*",
            "tier": "*",
          },
        ],
        "notify": {
          "panel": false,
        },
        "planner": {
          "budgetUsd": 4,
          "defaultAfterSecs": 28800,
          "degraded": "deny",
          "depth": "deep",
          "mode": "strict",
          "remindAfterSecs": 5400,
        },
        "protectedPaths": [
          "infra",
          "db/schema.sql",
        ],
        "runsOn": "linux-large",
        "sandbox": {
          "limits": {
            "diskMb": 500,
            "fileMb": 100,
            "memoryMb": 1024,
            "processes": 64,
          },
          "network": {
            "agent": [
              "docs.example.com",
              "*.example.org",
            ],
            "checks": [
              "api.example.com",
            ],
            "setup": [
              "packages.example.com:8443",
            ],
          },
        },
      }
    `);
    expect(readRepositoryConfig(`\ufeff${WHOLE.replaceAll("\n", "\r\n")}`).config).toEqual(config);
    expect(readRepositoryConfig(new TextEncoder().encode(WHOLE)).config).toEqual(config);
  });

  it("keeps the usual method when it says null", () => {
    const { config } = readRepositoryConfig("version: 1\nmerge: { method: null, mode: auto }\n");
    expect(config?.merge).toEqual({ mode: "auto", method: null, stack: "auto", deleteBranches: true });
  });

  it("has all its problems reported at once, each with its path, its line and the way out", () => {
    const text = `merge:
  mode: automatic
  methd: squash
  delete_branches: yes
approval:
  roles: [write]
  label: ""
  min_role: admin
limits:
  retries: -1
  budget_usd: lots
  max_parallel: 2.5
harness: "Claude Code!"
runs_on: my runner
protected_paths: [../secrets, /etc, "src/*.ts", "**"]
gate: npm test
auto_run: "true"
express: true
colour: green
labels:
  running: "Loom: Done"
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "1 [version] \`version\` is missing. Write, for example, \`version: 1\`.",
        "2 [merge.mode] \`merge.mode\` must be \`review\` or \`auto\`, but is \`automatic\`. Write, for example, \`mode: review\`.",
        "3 [merge.methd] Loom does not know \`merge.methd\`. Did you mean \`method\`?",
        "4 [merge.delete_branches] \`merge.delete_branches\` must be true or false, but is \`yes\`. Write, for example, \`delete_branches: true\`.",
        "6 [approval.roles] \`approval.roles\` must be \`write\` or \`maintain\` or \`admin\`, but is a list. Write, for example, \`roles: maintain\`.",
        "7 [approval.label] \`approval.label\` must not be empty. Write, for example, \`label: "loom: approve"\`.",
        "8 [approval.min_role] Loom does not know \`approval.min_role\`. Remove it. Known here: \`label\`, \`roles\`, \`express\`.",
        "10 [limits.retries] \`limits.retries\` must be at least 0, but is \`-1\`. Write, for example, \`retries: 2\`.",
        "11 [limits.budget_usd] \`limits.budget_usd\` must be a number, but is \`lots\`. Write, for example, \`budget_usd: 20\`.",
        "12 [limits.max_parallel] \`limits.max_parallel\` must be a whole number, but is \`2.5\`. Write, for example, \`max_parallel: 4\`.",
        "13 [harness] \`harness\` must be a name of small letters, digits and dashes. Write, for example, \`harness: claude\`.",
        "14 [runs_on] \`runs_on\` must be a label of letters, digits and dashes, 63 at most. Write, for example, \`runs_on: linux\`.",
        "15 [protected_paths[0]] \`protected_paths\` has a path that leads out of the work tree. Write, for example, \`protected_paths: [infra, db/schema.sql]\`.",
        "15 [protected_paths[1]] \`protected_paths\` has a path that is absolute. Write, for example, \`protected_paths: [infra, db/schema.sql]\`.",
        "15 [protected_paths[2]] \`protected_paths\` has a pattern; it takes files and folders. Write, for example, \`protected_paths: [infra, db/schema.sql]\`.",
        "15 [protected_paths[3]] \`protected_paths\` has a pattern; it takes files and folders. Write, for example, \`protected_paths: [infra, db/schema.sql]\`.",
        "16 [gate] \`gate\` must be a list, but is \`npm test\`. Write, for example, \`gate: [npm test]\`.",
        "17 [auto_run] \`auto_run\` must be true or false, but is \`true\`. Write, for example, \`auto_run: true\`.",
        "18 [express] Loom does not know \`express\`. Write it below \`approval:\`.",
        "19 [colour] Loom does not know \`colour\`. Remove it. Known here: \`version\`, \`merge\`, \`approval\`, \`labels\`, \`limits\`, \`harness\`, \`runs_on\`, \`models\`, \`planner\`, \`agents\`, \`commands\`, \`fallback\`, \`effort\`, \`contract\`, \`sandbox\`, \`protected_paths\`, \`gate\`, \`auto_run\`, \`notify\`.",
        "21 [labels.running] \`labels.running\` is the same label as \`labels.done\`. Give each of them a label of its own.",
      ]
    `);
  });

  it("has problems of models, sandbox, fallback, contract and effort told as well", () => {
    const text = `version: 1
models:
  reveiw: { harness: codex }
  cook: { harness: codex }
  work/hard: { harness: codex }
  work/low: { harness: claud, modell: opus }
  review: codex
  small: { model: "a b", effort: max }
fallback: [codex, chatty]
effort: heroic
contract: strict
sandbox:
  enabled: false
  network:
    allowed_domains: ["*", https://example.com/a, "*.com"]
    setup: packages.example.com
    check: [a.example.com]
    checks: ["127.0.0.1:6379"]
  limits: { memory_mb: 0, disk: 5 }
network: { setup: [] }
memory_mb: 5
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "3 [models.reveiw] Loom does not know \`models.reveiw\`. Did you mean \`review\`?",
        "4 [models.cook] Loom does not know \`models.cook\`. Remove it. Known here: \`work\`, \`review\`, \`conflict\`, \`investigate\`, \`planning\`, \`small\`, \`*\`.",
        "5 [models.work/hard] Loom does not know \`models.work/hard\`. Write \`work\`, \`work/low\` or \`work/medium\` or \`work/high\`.",
        "6 [models.work/low.harness] \`models.work/low.harness\` must be \`claude\` or \`codex\` or \`gemini\` or \`opencode\` or \`command\` or \`scripted\`, but is \`claud\`. Write, for example, \`harness: claude\`.",
        "6 [models.work/low.modell] Loom does not know \`models.work/low.modell\`. Did you mean \`model\`?",
        "7 [models.review] \`models.review\` must be a mapping, but is \`codex\`. Write, for example, \`review: { harness: codex, effort: high }\`.",
        "8 [models.small.model] \`models.small.model\` must be one word. Write, for example, \`model: opus\`.",
        "8 [models.small.effort] \`models.small.effort\` must be \`low\` or \`medium\` or \`high\`, but is \`max\`. Write, for example, \`effort: high\`.",
        "9 [fallback[1]] \`fallback\` must be \`claude\` or \`codex\` or \`gemini\` or \`opencode\` or \`command\` or \`scripted\`, but is \`chatty\`. Write, for example, \`fallback: [codex, gemini]\`.",
        "10 [effort] \`effort\` must be \`low\` or \`medium\` or \`high\`, but is \`heroic\`. Write, for example, \`effort: medium\`.",
        "11 [contract] \`contract\` must be \`off\` or \`warn\` or \`enforce\`, but is \`strict\`. Write, for example, \`contract: warn\`.",
        "13 [sandbox.enabled] Loom does not know \`sandbox.enabled\`. Remove it. Known here: \`network\`, \`limits\`.",
        "15 [sandbox.network.allowed_domains[0]] \`sandbox.network.allowed_domains\` has a host that can't be used: "*" would open the whole network; name the hosts. Write, for example, \`allowed_domains: [api.example.com]\`.",
        "15 [sandbox.network.allowed_domains[1]] \`sandbox.network.allowed_domains\` has a host that can't be used: "https://example.com/a" is an address; write the host alone, such as \`example.org\`. Write, for example, \`allowed_domains: [api.example.com]\`.",
        "15 [sandbox.network.allowed_domains[2]] \`sandbox.network.allowed_domains\` has a host that can't be used: "*.com" would open a whole top-level domain; name the hosts. Write, for example, \`allowed_domains: [api.example.com]\`.",
        "16 [sandbox.network.setup] \`sandbox.network.setup\` must be a list, but is \`packages.example.com\`. Write, for example, \`setup: [packages.example.com]\`.",
        "17 [sandbox.network.check] Loom does not know \`sandbox.network.check\`. Did you mean \`checks\`?",
        "18 [sandbox.network.checks[0]] \`sandbox.network.checks\` has a host that can't be used: "127.0.0.1:6379" is not on the public internet, and only Loom's operator can open such hosts. Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_CHECK_DOMAINS. Write, for example, \`checks: [api.example.com]\`.",
        "19 [sandbox.limits.memory_mb] \`sandbox.limits.memory_mb\` must be at least 1, but is \`0\`. Write, for example, \`memory_mb: 4096\`.",
        "19 [sandbox.limits.disk] Loom does not know \`sandbox.limits.disk\`. Remove it. Known here: \`processes\`, \`memory_mb\`, \`file_mb\`, \`disk_mb\`.",
        "20 [network] Loom does not know \`network\`. Write it below \`sandbox:\`.",
        "21 [memory_mb] Loom does not know \`memory_mb\`. Write it below \`sandbox.limits:\`.",
      ]
    `);
  });

  it("has problems of planner, agents and commands told as well", () => {
    const text = `version: 1
planner:
  degraded: maybe
  depth: shallow
  mode: guide
  remind_after_hours: 0
  default_after_hours: 9000
  budget_usd: -1
  budget: 5
agents:
  disabled: [coder, "rm -rf", "", 7]
  enabled: [coder]
commands:
  budget_usd: .inf
  timeout_secs: 604801
  retries: 3
degraded: deny
disabled: [coder]
remind_after: 4
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "3 [planner.degraded] \`planner.degraded\` must be \`allow\` or \`require-approval\` or \`deny\`, but is \`maybe\`. Write, for example, \`degraded: require-approval\`.",
        "4 [planner.depth] \`planner.depth\` must be \`quick\` or \`standard\` or \`deep\`, but is \`shallow\`. Write, for example, \`depth: standard\`.",
        "5 [planner.mode] \`planner.mode\` must be \`strict\` or \`guided\` or \`suggestive\`, but is \`guide\`. Write, for example, \`mode: guided\`.",
        "6 [planner.remind_after_hours] \`planner.remind_after_hours\` must be above 0, but is \`0\`. Write, for example, \`remind_after_hours: 24\`.",
        "7 [planner.default_after_hours] \`planner.default_after_hours\` must be a year (8760 hours) at most, but is \`9000\`. Write, for example, \`default_after_hours: 72\`.",
        "8 [planner.budget_usd] \`planner.budget_usd\` must be above 0, but is \`-1\`. Write, for example, \`budget_usd: 10\`.",
        "9 [planner.budget] Loom does not know \`planner.budget\`. Remove it. Known here: \`degraded\`, \`depth\`, \`mode\`, \`remind_after_hours\`, \`default_after_hours\`, \`budget_usd\`.",
        "11 [agents.disabled[1]] \`agents.disabled\` must be a name of small letters, digits and dashes. Write, for example, \`disabled: [seo-specialist]\`.",
        "11 [agents.disabled[2]] \`agents.disabled\` must not be empty. Write, for example, \`disabled: [seo-specialist]\`.",
        "11 [agents.disabled[3]] \`agents.disabled\` must be a text, but is \`7\`. Write, for example, \`disabled: [seo-specialist]\`.",
        "12 [agents.enabled] Loom does not know \`agents.enabled\`. Remove it. Known here: \`disabled\`.",
        "14 [commands.budget_usd] \`commands.budget_usd\` must be a number, but is \`Infinity\`. Write, for example, \`budget_usd: 2\`.",
        "15 [commands.timeout_secs] \`commands.timeout_secs\` must be a week (604800 seconds) at most, but is \`604801\`. Write, for example, \`timeout_secs: 1800\`.",
        "16 [commands.retries] Loom does not know \`commands.retries\`. Write it below \`limits:\`.",
        "17 [degraded] Loom does not know \`degraded\`. Write it below \`planner:\`.",
        "18 [disabled] Loom does not know \`disabled\`. Write it below \`agents:\`.",
        "19 [remind_after] Loom does not know \`remind_after\`. Remove it. Known here: \`version\`, \`merge\`, \`approval\`, \`labels\`, \`limits\`, \`harness\`, \`runs_on\`, \`models\`, \`planner\`, \`agents\`, \`commands\`, \`fallback\`, \`effort\`, \`contract\`, \`sandbox\`, \`protected_paths\`, \`gate\`, \`auto_run\`, \`notify\`.",
      ]
    `);
    expect(problemsOf(`version: 1\nlimits: ${"[".repeat(200)}`)).toMatchInlineSnapshot(`
      [
        "2 [] The YAML can't be used here: this is nested too deep. A few levels are enough.",
      ]
    `);
    expect(problemsOf("version: 1\nplanner: deep\nagents: [coder]\ncommands: 5\n")).toMatchInlineSnapshot(`
      [
        "2 [planner] \`planner\` must be a mapping, but is \`deep\`. Write, for example, \`planner: { depth: standard }\`.",
        "3 [agents] \`agents\` must be a mapping, but is a list. Write, for example, \`agents: { disabled: [seo-specialist] }\`.",
        "4 [commands] \`commands\` must be a mapping, but is \`5\`. Write, for example, \`commands: { budget_usd: 2 }\`.",
      ]
    `);
    expect(problemsOf("version: 1\nagents: { disabled: coder }\n")).toMatchInlineSnapshot(`
      [
        "2 [agents.disabled] \`agents.disabled\` must be a list, but is \`coder\`. Write, for example, \`disabled: [seo-specialist]\`.",
      ]
    `);
    const many = Array.from({ length: 201 }, (_, n) => `a${n}`).join(", ");
    expect(problemsOf(`version: 1\nagents: { disabled: [${many}] }\n`)).toMatchInlineSnapshot(`
      [
        "2 [agents.disabled] \`agents.disabled\` must not have more than 200 items, but is a list. Write, for example, \`disabled: [seo-specialist]\`.",
      ]
    `);
  });

  it("reminds before it takes the usual answer for granted, whichever of the two is written", () => {
    const patience = (fields: string) => {
      const { config } = readRepositoryConfig(`version: 1\nplanner: { ${fields} }\n`);
      return [config?.planner.remindAfterSecs, config?.planner.defaultAfterSecs].map(
        (secs) => (secs ?? 0) / 3600,
      );
    };
    expect(patience("depth: deep")).toEqual([24, 72]);
    expect(patience("remind_after_hours: 2")).toEqual([2, 72]);
    expect(patience("remind_after_hours: 100")).toEqual([100, 300]);
    expect(patience("default_after_hours: 12")).toEqual([4, 12]);
    expect(patience("default_after_hours: 200")).toEqual([24, 200]);
    expect(patience("remind_after_hours: 1, default_after_hours: 2")).toEqual([1, 2]);
    expect(
      problemsOf("version: 1\nplanner: { remind_after_hours: 5, default_after_hours: 5 }\n"),
    ).toMatchInlineSnapshot(`
      [
        "2 [planner.remind_after_hours] \`planner.remind_after_hours\` is not before \`planner.default_after_hours\`. Write fewer hours, or more in \`default_after_hours\`.",
      ]
    `);
  });

  it("does not let the label that approves be one that Loom sets", () => {
    expect(problemsOf('version: 1\napproval: { label: "Loom: Running" }\n')).toMatchInlineSnapshot(`
      [
        "2 [approval.label] \`approval.label\` is the same label as \`labels.running\`. Give each of them a label of its own.",
      ]
    `);
    expect(problemsOf("version: 1\nlabels: { done: x, blocked: X }\n")).toMatchInlineSnapshot(`
      [
        "2 [labels.done] \`labels.done\` is the same label as \`labels.blocked\`. Give each of them a label of its own.",
      ]
    `);
  });

  it("has to be a mapping of a version that is known", () => {
    expect(problemsOf("- a\n")).toMatchInlineSnapshot(`
      [
        "1 [] The file must be a mapping that begins with \`version: 1\`, but is a list. Write, for example, \`version: 1\`.",
      ]
    `);
    expect(problemsOf("hello\n")).toMatchInlineSnapshot(`
      [
        "1 [] The file must be a mapping that begins with \`version: 1\`, but is \`hello\`. Write, for example, \`version: 1\`.",
      ]
    `);
    expect(problemsOf("version: 2\n")).toMatchInlineSnapshot(`
      [
        "1 [version] \`version\` must be 1, but is \`2\`. Write, for example, \`version: 1\`.",
      ]
    `);
    expect(problemsOf("merge: { mode: auto }\n")).toMatchInlineSnapshot(`
      [
        "1 [version] \`version\` is missing. Write, for example, \`version: 1\`.",
      ]
    `);
  });

  it("is refused when it is no YAML", () => {
    expect(problemsOf("version: 1\n\tmerge: [\n")).toMatchInlineSnapshot(`
      [
        "2 [] The YAML can't be used here: tabs are not allowed as indentation. Indent with spaces.",
        "3 [] The YAML can't be used here: flow sequence in block collection must be sufficiently indented and end with a ]. Indent it like its neighbours, with spaces; close every bracket.",
      ]
    `);
    expect(problemsOf("version: 1\nversion: 1\n")).toMatchInlineSnapshot(`
      [
        "2 [] The YAML can't be used here: \`version\` is given twice. Keep one of them.",
      ]
    `);
    expect(problemsOf("version: 1\n__proto__: { x: 1 }\n")).toMatchInlineSnapshot(`
      [
        "2 [] The YAML can't be used here: a key has to be a plain word. Write keys as plain words, such as \`name:\`.",
      ]
    `);
    expect(readRepositoryConfig(new Uint8Array([0xff, 0xfe, 0x41, 0x00])).problems).toMatchInlineSnapshot(`
      [
        {
          "fix": "Save the file as UTF-8.",
          "line": 1,
          "message": "The file is UTF-16, not UTF-8.",
          "path": "",
          "severity": "error",
        },
      ]
    `);
  });
});

describe("hostile configs", () => {
  const LIMIT_MS = 1500;
  const bomb = [
    "version: 1",
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...Array.from("bcdefghij", (name, n) => {
      const before = "abcdefghi".charAt(n);
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`;
    }),
  ].join("\n");

  it.each([
    ["an alias bomb", bomb],
    ["too much text", `version: 1\n# ${"x".repeat(5_000_000)}`],
    ["deep flows", `version: ${"[".repeat(60_000)}`],
    ["deep blocks", Array.from({ length: 300 }, (_, n) => `${" ".repeat(n)}a:`).join("\n")],
    ["commas", `gate: [${",".repeat(60_000)}]`],
    ["unknown keys", Array.from({ length: 6_000 }, (_, n) => `k${n}: 1`).join("\n")],
    ["a long list", `version: 1\ngate: [${"x,".repeat(30_000)}x]`],
    ["slashes", `version: 1\nprotected_paths: ["${"/*".repeat(30_000)}x"]`],
  ])("with %s are refused in time", (_, text) => {
    const { config, problems } = quickly(LIMIT_MS, () => readRepositoryConfig(text));
    expect(config).toBeNull();
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(1001);
  });
});
