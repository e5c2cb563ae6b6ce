import { describe, expect, it } from "vitest";
import { PACKAGE_REGISTRIES } from "../../../src/core/config/defaults.ts";
import { mergeSandboxRules } from "../../../src/core/plan/sandbox-rules.ts";
import { sandboxAccess } from "../../../src/core/sandbox/sandbox-access.ts";
import { stageFrom } from "../../support/read-plans.ts";

const { sandbox } = stageFrom(`
sandbox:
  filesystem: { deny_read: [secrets], deny_write: [db/**], allow_write: [docs/**] }
  network: { allowed_domains: [a.example.com], setup: [s.example.com], checks: [c.example.com] }
  limits: { memory_mb: 1024, processes: 100000 }
`);
const OPERATOR = {
  network: { agent: ["o.example.com", "a.example.com"], setup: [], checks: [] },
  repositoryNetwork: { agent: ["r.example.com"], setup: [], checks: [] },
  limits: { processes: 50, memoryMb: 4_096, fileMb: 10, diskMb: 20 },
};
const MB = 1_048_576;

describe("what a sandbox is opened with", () => {
  const merged = mergeSandboxRules(sandbox, sandbox, "standard");

  it("are the hosts of the operator, and apart from them those of repository and plan, for each purpose", () => {
    expect(sandboxAccess(merged, OPERATOR, "agent").network).toEqual({
      allow: ["o.example.com", "a.example.com"],
      allowPublic: ["r.example.com", "a.example.com"],
    });
    expect(sandboxAccess(merged, OPERATOR, "setup").network).toEqual({
      allow: [],
      allowPublic: ["s.example.com"],
    });
    expect(sandboxAccess(merged, OPERATOR, "checks").network).toEqual({
      allow: [],
      allowPublic: ["c.example.com"],
    });
  });

  it("takes no host for the operator's where a run of an older version does not tell whose it is", () => {
    const { repositoryNetwork: _unknown, ...older } = OPERATOR;
    expect(sandboxAccess(merged, older, "agent").network).toEqual({
      allow: [],
      allowPublic: ["o.example.com", "a.example.com"],
    });
    expect(sandboxAccess(merged, {}, "setup").network).toEqual({
      allow: [],
      allowPublic: [...PACKAGE_REGISTRIES, "s.example.com"],
    });
  });

  it("are limits that the plan can lower but not raise", () => {
    expect(sandboxAccess(merged, OPERATOR, "agent").limits).toEqual({
      processes: 50,
      memoryBytes: 1_024 * MB,
      fileBytes: 10 * MB,
      diskBytes: 20 * MB,
    });
    expect(sandboxAccess(merged, {}, "agent").limits).toMatchObject({
      processes: 512,
      diskBytes: 10_240 * MB,
    });
  });

  it("are path rules, of which checks keep those about reading", () => {
    const paths = { hidden: ["secrets"], readOnly: [".loom/**", "db/**"], writable: ["docs/**"] };
    expect(sandboxAccess(merged, OPERATOR, "agent")).toMatchObject(paths);
    expect(sandboxAccess(merged, OPERATOR, "setup")).toMatchObject(paths);
    expect(sandboxAccess(merged, OPERATOR, "checks")).toMatchObject({ ...paths, readOnly: [] });
  });

  it("is a closed tree for an agent that only gathers knowledge", () => {
    const knowledge = mergeSandboxRules(sandbox, sandbox, "knowledge");
    expect(sandboxAccess(knowledge, OPERATOR, "agent").readOnly).toEqual(["**"]);
    expect(sandboxAccess(knowledge, OPERATOR, "setup").readOnly).toEqual([".loom/**", "db/**"]);
  });
});
