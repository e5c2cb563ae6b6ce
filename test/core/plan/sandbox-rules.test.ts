import { describe, expect, it } from "vitest";
import { NO_LIMITS, NO_SANDBOX_RULES, type SandboxRules } from "../../../src/core/plan/plan.ts";
import { checkDenyWrite, mergeSandboxRules, sandboxOf } from "../../../src/core/plan/sandbox-rules.ts";
import { aPlan, aStage } from "../../support/check-values.ts";
import { stageFrom } from "../../support/read-plans.ts";

function rules(yaml: string): SandboxRules {
  return stageFrom(`sandbox:\n${yaml.trim().replaceAll(/^(?=.)/gm, "  ")}`).sandbox;
}

const PLAN = rules(`
filesystem: { deny_read: [secrets], deny_write: [db/**], allow_write: [docs/**] }
network: { allowed_domains: [a.example.com], setup: [s.example.com], checks: [c.example.com] }
excluded_commands: [docker]
limits: { memory_mb: 2048, processes: 100 }
`);
const STAGE = rules(`
filesystem: { deny_read: [keys], deny_write: [db/**, api/**], allow_write: [docs/**, api/gen/**] }
network: { allowed_domains: [b.example.com, a.example.com], setup: [t.example.com], checks: [d.example.com] }
excluded_commands: [docker, npm publish]
limits: { memory_mb: 4096, processes: 10, disk_mb: 500 }
`);

/** Enough of a matcher for these tests. */
function matches(glob: string, path: string): boolean {
  return glob === path || (glob.endsWith("**") && path.startsWith(glob.slice(0, -2)));
}

describe("sandbox rules of plan and stage", () => {
  it("are united, with the lower limits", () => {
    expect(mergeSandboxRules(PLAN, STAGE, "standard")).toEqual({
      treeAccess: "write",
      hidden: ["secrets", "keys"],
      readOnly: [".loom/**", "db/**", "api/**"],
      writable: ["docs/**", "api/gen/**"],
      network: {
        agent: ["a.example.com", "b.example.com"],
        setup: ["s.example.com", "t.example.com"],
        checks: ["c.example.com", "d.example.com"],
      },
      excludedCommands: ["docker", "npm publish"],
      limits: { memoryMb: 2_048, processes: 10, fileMb: null, diskMb: 500 },
    });
  });

  it("leave nothing open but the tree when nobody asks for anything", () => {
    expect(mergeSandboxRules(NO_SANDBOX_RULES, NO_SANDBOX_RULES, "standard")).toEqual({
      treeAccess: "write",
      hidden: [],
      readOnly: [".loom/**"],
      writable: [],
      network: { agent: [], setup: [], checks: [] },
      excludedCommands: [],
      limits: NO_LIMITS,
    });
  });

  it("let stages for knowledge and integration write down what they learned", () => {
    const of = (type: "knowledge" | "integration-verify" | "code-review" | "investigate") =>
      mergeSandboxRules(PLAN, NO_SANDBOX_RULES, type);
    expect(of("knowledge").writable).toEqual(["doc/loom/knowledge/**", "docs/**"]);
    expect(of("integration-verify").writable).toEqual(["doc/loom/knowledge/**", "docs/**"]);
    expect(of("code-review").writable).toEqual(["docs/**"]);
    expect(of("investigate").writable).toEqual(["docs/**"]);
  });

  it("close the rest of the tree to a stage for knowledge, but for the files it owns", () => {
    const stage = aStage({ type: "knowledge", workingDir: "web", files: ["notes/", "../docs/map.md"] });
    const merged = sandboxOf(aPlan(stage), stage);
    expect(merged).toMatchObject({
      treeAccess: "read",
      writable: ["doc/loom/knowledge/**", "web/notes", "docs/map.md"],
    });
    const files = ["doc/loom/knowledge/a.md", "web/notes/b.md", "docs/map.md", "src/a.ts", "web/notes2"];
    expect(checkDenyWrite(files, merged, matches)).toEqual(["src/a.ts", "web/notes2"]);
  });

  it("leave a stage's own files out of it where the tree is open", () => {
    const stage = aStage({ files: ["src/**"] });
    expect(sandboxOf(aPlan(stage), stage).writable).toEqual([]);
  });
});

describe("changed files", () => {
  it("are held against the rules, exceptions considered", () => {
    const merged = mergeSandboxRules(PLAN, STAGE, "standard");
    const files = [
      "src/a.ts",
      "db/1.sql",
      "api/a.ts",
      "api/gen/b.ts",
      "docs/x.md",
      "secrets/key.pem",
      "secrets",
      "secretsauce.md",
      ".loom/run/PLAN.md",
    ];
    expect(checkDenyWrite(files, merged, matches)).toEqual([
      "db/1.sql",
      "api/a.ts",
      "secrets/key.pem",
      "secrets",
      ".loom/run/PLAN.md",
    ]);
  });

  it("may not be ones that can't be read, even where they could be written", () => {
    const merged = mergeSandboxRules(PLAN, rules("filesystem: { allow_write: [secrets/**] }"), "standard");
    expect(checkDenyWrite(["secrets/key.pem"], merged, matches)).toEqual(["secrets/key.pem"]);
  });
});
