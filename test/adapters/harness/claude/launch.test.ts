import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClaude } from "../../../../src/adapters/harness/claude/claude.ts";
import type { SessionSpec } from "../../../../src/ports/harness.ts";
import { aSandbox } from "../cli/a-sandbox.ts";
import { aCliSpec } from "../cli/read-stream.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loom-claude-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const claude = createClaude();

function launch(
  parts: Partial<SessionSpec> = {},
  more: { guard?: [string, ...string[]]; env?: Record<string, string>; model?: string | null } = {},
) {
  return claude.launch({
    spec: aCliSpec(parts),
    sandbox: aSandbox(home, more.guard ?? null),
    bin: "/opt/claude",
    model: more.model === undefined ? "opus" : more.model,
    extraArgs: ["--betas", "x"],
    modelUrl: "http://127.0.0.1:3128/.loom/model",
    placeholder: "loom-placeholder",
    env: more.env ?? { ANTHROPIC_API_KEY: "real-key" },
  });
}

describe("starting claude", () => {
  it("gives rules as system text, the task on standard input and nothing from the repository", async () => {
    const { argv, env, stdin } = await launch({ effort: "high", maxTurns: 30 });
    expect(argv.map((word) => word.replace(home, "HOME"))).toMatchInlineSnapshot(`
      [
        "/opt/claude",
        "-p",
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--verbose",
        "--dangerously-skip-permissions",
        "--tools",
        "Bash,Edit,Glob,Grep,NotebookEdit,Read,Task,Write",
        "--setting-sources",
        "user",
        "--settings",
        "{"includeCoAuthoredBy":false,"attribution":{"commit":"","pr":""}}",
        "--strict-mcp-config",
        "--append-system-prompt-file",
        "HOME/.claude/loom-rules.md",
        "--model",
        "opus",
        "--effort",
        "high",
        "--max-turns",
        "30",
        "--betas",
        "x",
      ]
    `);
    expect(
      Object.entries(env).map(([name, value]) => `${name}=${value.replace(home, "HOME")}`),
    ).toMatchInlineSnapshot(`
      [
        "CLAUDE_CONFIG_DIR=HOME/.claude",
        "CLAUDE_CODE_TMPDIR=HOME/tmp",
        "ANTHROPIC_BASE_URL=http://127.0.0.1:3128/.loom/model",
        "ANTHROPIC_API_KEY=loom-placeholder",
        "CLAUDE_CODE_MAX_RETRIES=2",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
        "DISABLE_AUTO_COMPACT=1",
        "DISABLE_AUTOUPDATER=1",
        "DISABLE_ERROR_REPORTING=1",
        "DISABLE_TELEMETRY=1",
        "IS_SANDBOX=1",
      ]
    `);
    expect(stdin).toMatchInlineSnapshot(`
      "{"type":"control_request","request_id":"loom-window","request":{"subtype":"get_context_usage","detail":"summary"}}
      {"type":"user","message":{"role":"user","content":[{"type":"text","text":"Task."}]},"parent_tool_use_id":null,"session_id":""}
      "
    `);
    expect(readFileSync(join(home, ".claude/loom-rules.md"), "utf8")).toBe("Rules.");
    expect(`${argv.join()}${Object.values(env).join()}`).not.toContain("real-key");
  });

  it("leaves out what was not asked for", async () => {
    const { argv } = await launch({ rules: " \n" }, { model: null });
    for (const option of [
      "--model",
      "--effort",
      "--max-turns",
      "--max-budget-usd",
      "--resume",
      "--append-system-prompt-file",
    ])
      expect(argv).not.toContain(option);
  });

  it("is told what it may spend", async () => {
    const { argv } = await launch({ budgetUsd: 1e-9 });
    expect(argv.slice(argv.indexOf("--max-budget-usd"), -2)).toEqual(["--max-budget-usd", "0.0001"]);
  });

  it("goes on with a conversation", async () => {
    const { argv } = await launch({ resume: "c1" });
    expect(argv.slice(argv.indexOf("--resume"), -2)).toEqual(["--resume", "c1"]);
  });

  it("offers only what was asked for, or nothing at all", async () => {
    const toolsOf = async (tools: SessionSpec["tools"]) => {
      const { argv } = await launch({ tools });
      return argv[argv.indexOf("--tools") + 1];
    };
    expect([await toolsOf("edit"), await toolsOf("shell")]).toEqual([
      "Edit,Glob,Grep,NotebookEdit,Read,Write",
      "Bash,Glob,Grep,Read",
    ]);
    expect([await toolsOf("read"), await toolsOf("none")]).toEqual(["Glob,Grep,Read", ""]);
  });

  it("leaves the temperature alone, and no hooks of an earlier session", async () => {
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), `{"hooks":{}}`);
    const { argv, env } = await launch({ temperature: 0.2 });
    expect(JSON.stringify({ argv, env })).not.toContain("0.2");
    expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toBe("{}\n");
  });

  it("asks the guard before each command", async () => {
    const { argv } = await launch({}, { guard: ["/usr/bin/node", "/opt/it's here/guard.js"] });
    expect(JSON.parse(argv[argv.indexOf("--settings") + 1] ?? "")).toMatchInlineSnapshot(`
      {
        "attribution": {
          "commit": "",
          "pr": "",
        },
        "hooks": {
          "PreToolUse": [
            {
              "hooks": [
                {
                  "command": "/usr/bin/node '/opt/it'\\''s here/guard.js'",
                  "timeout": 600,
                  "type": "command",
                },
              ],
              "matcher": "Bash",
            },
          ],
        },
        "includeCoAuthoredBy": false,
      }
    `);
  });

  it("puts the placeholder where the operator has the key", async () => {
    const { env } = await launch(
      {},
      { env: { CLAUDE_CODE_OAUTH_TOKEN: "t", ANTHROPIC_DEFAULT_OPUS_MODEL: "claude-y" } },
    );
    expect(env.CLAUDE_CODE_OAUTH_TOKEN).toBe("loom-placeholder");
    expect(env.ANTHROPIC_API_KEY).toBeUndefined();
    expect(env.ANTHROPIC_DEFAULT_OPUS_MODEL).toBe("claude-y");
  });
});

describe("claude's endpoint", () => {
  it("takes the first key there is", () => {
    const env = { ANTHROPIC_API_KEY: " ", ANTHROPIC_AUTH_TOKEN: "a", CLAUDE_CODE_OAUTH_TOKEN: "o" };
    expect(claude.endpoint(env, null)).toEqual({
      kind: "endpoint",
      keyName: "ANTHROPIC_AUTH_TOKEN",
      model: { upstream: "https://api.anthropic.com", key: "a", api: expect.any(Array) },
    });
  });

  it("leads where the operator says", () => {
    const endpoint = claude.endpoint(
      { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://gate.example/anthropic" },
      null,
    );
    expect(endpoint).toMatchObject({ model: { upstream: "http://gate.example/anthropic" } });
  });

  it("says what is missing", () => {
    expect(claude.endpoint({}, null)).toMatchInlineSnapshot(`
      {
        "kind": "missing",
        "next": "Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN with what \`claude setup-token\` prints.",
        "reason": "claude has no key: ANTHROPIC_API_KEY is not set.",
      }
    `);
  });
});
