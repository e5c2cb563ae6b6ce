import { describe, expect, it } from "vitest";
import { joinRepository } from "../../../../src/core/config/repository/join-repository.ts";
import { readRepositoryConfig } from "../../../../src/core/config/repository/read-repository-config.ts";
import { readSettings } from "../../../../src/core/config/settings/settings.ts";

function joined(config: string, env: Record<string, string> = {}) {
  const flags = { harness: null, maxParallel: null };
  const { settings } = readSettings({ LOOM_HARNESS: "claude", ...env }, flags, { maxParallel: null });
  const read = readRepositoryConfig(`version: 1\n${config}`);
  if (!read.config) throw new Error(JSON.stringify(read.problems));
  return { settings, result: joinRepository(settings, read.config) };
}

describe("a repository's wishes and the operator's settings", () => {
  it("are the operator's when the repository has none", () => {
    const { settings, result } = joined("", { LOOM_ROUTES: "work=codex", LOOM_FALLBACK: "gemini" });
    expect(result).toEqual(settings);
  });

  it("give the repository's choices first and its hosts beside the operator's", () => {
    const { result } = joined(
      `models: { work: { harness: codex } }
fallback: [codex]
effort: high
contract: enforce
sandbox: { network: { allowed_domains: [b.example.com, a.example.com], checks: [c.example.com] } }
`,
      {
        LOOM_ROUTES: "work=gemini, review=gemini",
        LOOM_FALLBACK: "gemini",
        LOOM_ALLOWED_DOMAINS: "a.example.com",
        LOOM_SETUP_DOMAINS: "s.example.com",
      },
    );
    expect(result).toMatchObject({ fallback: ["codex"], effort: "high", contract: "enforce" });
    expect(result.routes?.map(({ role, harness }) => `${role} ${harness}`)).toEqual([
      "work codex",
      "work gemini",
      "review gemini",
    ]);
    expect(result.network).toEqual({
      agent: ["a.example.com"],
      setup: ["s.example.com"],
      checks: [],
    });
    expect(result.repositoryNetwork).toEqual({
      agent: ["b.example.com", "a.example.com"],
      setup: [],
      checks: ["c.example.com"],
    });
  });

  it("lower the operator's limits and never raise them", () => {
    const { result } = joined("sandbox: { limits: { memory_mb: 1024, processes: 100000 } }\n");
    expect(result.limits).toEqual({ processes: 512, memoryMb: 1_024, fileMb: 2_048, diskMb: 10_240 });
  });
});
