import { describe, expect, it } from "vitest";
import { isProtectedPath } from "../../../src/core/merge/protected-paths.ts";

describe("isProtectedPath", () => {
  it.each([
    ".github",
    ".github/workflows/ci.yml",
    ".GitHub/workflows/ci.yml",
    ".GITHUB/x",
    ".git\u200chub/x",
    ".github./x",
    ".github /x",
    ".github::$INDEX_ALLOCATION/x",
    "GITHUB~1/workflows/ci.yml",
    "\uff0egithub/x",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    "Docs/CodeOwners",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "Jenkinsfile",
    "CLAUDE.md",
    "packages/a/claude.md",
    "CLAUDE~1.MD",
    "AGENTS.md",
    "agents.md/x",
    "sub/GEMINI.md",
    ".claude/settings.json",
    "sub/.claude/commands/x.md",
    ".mcp.json",
    "x/.mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    "opencode.json",
    ".opencode/x",
    ".cursor/rules/x.mdc",
    ".env",
    ".ENV",
    ".env.local",
    "app/.env.production",
    ".husky/pre-commit",
    ".gitmodules",
    ".loom/run/PLAN.md",
  ])("covers %s", (path) => {
    expect(isProtectedPath(path)).toBe(true);
  });

  it.each([
    "README.md",
    ".gitignore",
    ".gitattributes",
    ".env.example",
    "app/.env.sample",
    ".envrc",
    "src/env.ts",
    "env/x",
    "docs/agents.txt",
    "src/agents/index.ts",
    "src/claude/client.ts",
    "sub/.github/x",
    "github/x",
    "src/CODEOWNERS",
    "sub/.loom/x",
    "loom/x",
    "file~1",
  ])("leaves %s alone", (path) => {
    expect(isProtectedPath(path)).toBe(false);
  });

  it("covers what a run names besides, as a file or a folder, in any spelling", () => {
    expect(isProtectedPath("plans/PLAN.md", ["Plans/plan.md"])).toBe(true);
    expect(isProtectedPath("plans/deep/x", ["plans"])).toBe(true);
    expect(isProtectedPath("plans2/x", ["plans"])).toBe(false);
  });
});
