import { describe, expect, it } from "vitest";
import { isAgentConfig } from "../../../src/core/merge/agent-config.ts";

describe("isAgentConfig", () => {
  it.each([
    "CLAUDE.md",
    "claude.md",
    "CLAUDE.local.md",
    "packages/a/AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md/x",
    ".claude",
    ".claude/settings.json",
    "sub/.Claude/agents/x.md",
    ".cl\u200baude/x",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".opencode/plugin/x.js",
    "opencode.jsonc",
    ".cursor/rules/x.mdc",
    ".mcp.json",
    ".husky/pre-commit",
    ".gitmodules",
    ".env",
    "app/.env.production",
    "CLAUDE~1/settings.json",
  ])("names %s", (path) => {
    expect(isAgentConfig(path)).toBe(true);
  });

  it.each([
    "",
    "README.md",
    ".github/workflows/ci.yml",
    ".loom/x",
    "CODEOWNERS",
    ".env.example",
    ".envrc",
    "src/claude/client.ts",
    "docs/agents.txt",
    "opencode.json5",
  ])("leaves %j out", (path) => {
    expect(isAgentConfig(path)).toBe(false);
  });
});
