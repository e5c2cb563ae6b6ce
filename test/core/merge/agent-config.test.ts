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
    ".agents/skills/x/SKILL.md",
    "sub/.Agents/skills/x/SKILL.md",
    "AGENTS~1/skills/x/SKILL.md",
    "loom-rules.md",
    "sub/LOOM-RULES.md",
    "pkg/CONTEXT.md",
    "src/.index.ts.from.json",
    ".claudeignore",
    ".claude-plugin/plugin.json",
    ".geminiignore",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules/x.md",
    ".roomodes",
    ".aider.conf.yml",
    ".goosehints",
    ".junie/guidelines.md",
    ".github/copilot-instructions.md",
    ".github/instructions/x.instructions.md",
    ".kiro/steering/x.md",
    "QWEN.md",
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
    "src/context.ts",
    "docs/contexts.md",
    "cursor/x",
    "agents/x.md",
    "tsconfig.from.json",
  ])("leaves %j out", (path) => {
    expect(isAgentConfig(path)).toBe(false);
  });
});
