import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ParsedPlan } from "../../../src/core/plan/read/parse-plan.ts";
import { agentList } from "../../../src/core/roster/agent-list.ts";
import { loadRoster } from "../../../src/wiring/load-roster.ts";
import { read, told } from "../../support/read-plans.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/plans/", import.meta.url));

function load(name: string): ParsedPlan {
  return read(readFileSync(`${FOLDER}${name}`));
}

function outline({ plan, graph }: ParsedPlan): Record<string, unknown> {
  return {
    name: plan?.name,
    stages: plan?.stages.map(
      ({ id, type, line }) => `${id} (${type}, level ${graph?.levels.get(id)}, line ${line})`,
    ),
  };
}

describe("plans as they are found", () => {
  it("name agents that there are, by either spelling", () => {
    const agents = agentList(loadRoster());
    for (const name of readdirSync(FOLDER).filter((one) => one.endsWith(".md"))) {
      const bytes = readFileSync(`${FOLDER}${name}`);
      expect(told(read(bytes, { agents }).problems)).toEqual(told(read(bytes).problems));
    }
  });

  it("loads version 1 with metadata comments, prose around and YAML behind", () => {
    const parsed = load("v1-metadata-comments.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "Search for the docs site",
        "stages": [
          "knowledge-bootstrap (knowledge, level 0, line 28)",
          "index (standard, level 1, line 38)",
          "search-box (standard, level 1, line 64)",
          "integration-verify (integration-verify, level 2, line 74)",
        ],
      }
    `);
    expect(told(parsed.problems)).toMatchInlineSnapshot(`
      [
        "45 warning stages[1].parallel_group: Loom has no use for \`parallel_group\`. It stands in 2 places; this is the first. | Remove it; until then it is passed over.",
      ]
    `);
    const index = parsed.plan?.stages[1];
    expect(index?.acceptance.map(({ command, stdoutContains }) => [command, stdoutContains])).toEqual([
      ["npm test -- index", []],
      ["node scripts/index-size.mjs", ["KB"]],
    ]);
    expect(index?.truths).toMatchObject([
      { command: "node scripts/find.mjs install", description: "A known word is found" },
    ]);
    expect(index?.wiring).toEqual([
      { source: "src/cli.ts", pattern: "buildIndex\\(", description: "The build calls it" },
    ]);
    expect(parsed.plan?.sandbox).toMatchObject({
      enabled: true,
      filesystem: { denyRead: [] },
      network: { allowedDomains: ["packages.example.com"] },
    });
  });

  it("loads version 2 and remarks once on each key it has no use for", () => {
    const parsed = load("v2-unknown-keys.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "Rate limits",
        "stages": [
          "limiter (standard, level 0, line 17)",
          "knowledge-distill (knowledge, level 1, line 63)",
        ],
      }
    `);
    expect(told(parsed.problems)).toMatchInlineSnapshot(`
      [
        "8 warning ratchet_files: Loom has no use for \`ratchet_files\`. | Remove it; until then it is passed over.",
        "10 warning provision: Loom has no use for \`provision\`. | Write the commands under \`acceptance\` or \`setup\`.",
        "15 warning sandbox.command_confinement: Loom has no use for \`command_confinement\`. | Remove it; until then it is passed over.",
        "19 warning stages[0].summary: Loom has no use for \`summary\`. | Remove it; until then it is passed over.",
        "23 warning stages[0].implementers: Loom has no use for \`implementers\`. | Remove it; until then it is passed over.",
        "24 warning stages[0].skills: Loom has no use for \`skills\`. It stands in 2 places; this is the first. | Remove it; until then it is passed over.",
        "25 warning stages[0].subagent_timeout_secs: Loom has no use for \`subagent_timeout_secs\`. | Remove it; until then it is passed over.",
        "54 warning stages[0].harness: Loom has no use for a list under \`harness\`. | Remove it; until then it is passed over.",
        "56 warning stages[0].contracts: Loom has no use for \`contracts\`. | Remove it; until then it is passed over.",
        "62 warning stages[0].shiny_new_key: Loom does not know \`shiny_new_key\`. It stands in 2 places; this is the first. | Remove it, or check how it is spelled.",
      ]
    `);
    const limiter = parsed.plan?.stages[0];
    expect(limiter).toMatchObject({
      model: "sonnet",
      effort: "high",
      harness: null,
      files: ["src/limit.rs", "docs/limits.md"],
      before: [{ command: "test -e src/limit.rs", exitCode: 1 }],
      after: [{ command: "cargo test --lib limit", exitCode: 0 }],
      truths: [
        { command: "cargo run -- --help", description: "help names the option", stdoutContains: ["--rate"] },
      ],
      wiring: [{ pattern: "limit::install\\(" }],
    });
  });

  it("does not love unknown keys in a plan that Loom wrote", () => {
    const text = readFileSync(`${FOLDER}v2-unknown-keys.md`);
    const { plan, problems } = read(text, { origin: "loom" });
    expect(plan).toBeNull();
    expect(problems.filter(({ severity }) => severity === "error").map(({ path }) => path)).toEqual([
      "ratchet_files",
      "provision",
      "sandbox.command_confinement",
      "stages[0].summary",
      "stages[0].implementers",
      "stages[0].skills",
      "stages[0].subagent_timeout_secs",
      "stages[0].harness",
      "stages[0].contracts",
      "stages[0].shiny_new_key",
      "stages[1].skills",
      "stages[1].shiny_new_key",
    ]);
  });

  it("finds the real plan among shown, indented and commented ones", () => {
    const parsed = load("nested-fences.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "A plan that shows plans",
        "stages": [
          "real (standard, level 0, line 40)",
          "after-it (standard, level 1, line 51)",
        ],
      }
    `);
    expect(parsed.plan?.stages[0]?.description).toContain("```sh\nnpm start\n```");
    expect(parsed.problems).toEqual([]);
  });

  it("loads tilde fences with both kinds of fences in a text", () => {
    const parsed = load("tilde-fences.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "Tilde fences",
        "stages": [
          "docs (standard, level 0, line 8)",
        ],
      }
    `);
    expect(parsed.plan?.stages[0]?.description).toContain("~~~\ntwo\n~~~");
  });

  it("loads texts with a fence close to the margin", () => {
    const parsed = load("shallow-fence-in-text.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "A name with a fence \`\`\` in it",
        "stages": [
          "one (standard, level 0, line 7)",
          "two (standard, level 1, line 13)",
        ],
      }
    `);
    expect(parsed.problems).toEqual([]);
  });

  it("loads files from Windows", () => {
    const parsed = load("crlf.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "Windows",
        "stages": [
          "one (standard, level 0, line 9)",
          "two (standard, level 1, line 16)",
        ],
      }
    `);
    expect(parsed.plan?.stages[0]?.description).toBe("First line.\nSecond line.\n");
  });

  it("loads a file with a byte order mark, and `true` as a command", () => {
    const parsed = load("byte-order-mark.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "With a byte order mark",
        "stages": [
          "only (standard, level 0, line 7)",
        ],
      }
    `);
    expect(parsed.plan?.stages[0]?.acceptance[0]?.command).toBe("true");
  });

  it("loads the dialect with phases, numbers and blocked_by", () => {
    const parsed = load("phases-dialect.md");
    expect(outline(parsed)).toMatchInlineSnapshot(`
      {
        "name": "Implementation plan",
        "stages": [
          "1 (standard, level 0, line 8)",
          "2 (standard, level 1, line 18)",
          "3 (standard, level 1, line 26)",
          "4 (standard, level 2, line 33)",
        ],
      }
    `);
    expect(parsed.plan).toMatchObject({
      complexity: "medium",
      stages: [
        {
          name: "Schema",
          description: "Design the tables.",
          agent: "data-engineer",
          acceptance: [{ command: "make check-schema", stdoutContains: ["ok"], timeoutSecs: 60 }],
        },
        { dependencies: ["1"], files: ["src/main.ts", "src/api.ts"] },
        { dependencies: ["1"] },
        { dependencies: ["2", "3"], synthesis: true },
      ],
    });
  });

  it("gives ids from elsewhere a form that can be a branch, and dependencies follow", () => {
    const parsed = load("loud-ids.md");
    expect(parsed.plan?.stages.map(({ id, dependencies }) => [id, dependencies])).toEqual([
      ["build-api", []],
      ["deploy-api", ["build-api"]],
      ["notes", ["build-api", "deploy-api"]],
    ]);
    expect(told(parsed.problems)).toMatchInlineSnapshot(`
      [
        "7 warning stages[0].id: The stage \`Build_API\` goes by the id \`build-api\`. | Write \`build-api\` to say so yourself.",
        "10 warning stages[1].id: The stage \`Deploy API!\` goes by the id \`deploy-api\`. | Write \`deploy-api\` to say so yourself.",
        "16 warning stages[2].dependencies[0]: \`notes\` waits for \`build-api\` anyway, through another dependency. | Leave it out.",
      ]
    `);
  });

  it("loads a YAML file without Markdown", () => {
    expect(load("plain.yaml").plan).toMatchObject({
      name: null,
      maxParallel: 2,
      gate: [],
      merge: { mode: "review" },
      budget: { wallClockSecs: 7200, tokens: 2_000_000, costUsd: 12.5 },
      stages: [{ id: "one", line: 12 }],
    });
  });

  it("follows anchors, aliases and merge keys", () => {
    const stages = load("anchors.md").plan?.stages;
    expect(stages?.map(({ name, workingDir, acceptance }) => [name, workingDir, acceptance.length])).toEqual([
      ["One", "packages/one", 2],
      ["Two", "packages/one", 2],
      ["Three", ".", 2],
    ]);
  });

  it("has nothing to load from words alone", () => {
    expect(load("prose-only.md")).toMatchObject({
      plan: null,
      graph: null,
      problems: [{ severity: "error" }],
    });
  });
});
