import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGemini } from "../../../../src/adapters/harness/gemini/gemini.ts";
import type { SessionSpec } from "../../../../src/ports/harness.ts";
import { aSandbox } from "../cli/a-sandbox.ts";
import { aCliSpec } from "../cli/read-stream.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loom-gemini-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const gemini = createGemini();

async function launch(parts: Partial<SessionSpec> = {}, model = "gemini-2.5-pro") {
  const sandbox = {
    ...aSandbox(home, ["/usr/bin/node", "/opt/a guard.js"]),
    env: { PATH: "/usr/bin", CERT_FILE: "/c" },
  };
  const started = await gemini.launch({
    spec: aCliSpec(parts),
    sandbox,
    bin: "/opt/gemini",
    model,
    extraArgs: ["--debug"],
    modelUrl: "http://127.0.0.1:3128/.loom/model",
    placeholder: "loom-placeholder",
    env: { GEMINI_API_KEY: "real-key" },
  });
  const own = started.env.GEMINI_CLI_HOME ?? "";
  const read = (name: string): string => readFileSync(join(own, name), "utf8");
  return { ...started, own, read, settings: JSON.parse(read(".gemini/settings.json")) };
}

describe("starting gemini", () => {
  it("gives it settings of its own, a placeholder for the key and the task on standard input", async () => {
    const { argv, env, stdin, own } = await launch({ resume: "8dcbb2f9" });
    const shown = (text: string): string => text.replaceAll(own, "OWN");
    expect(argv.map(shown)).toMatchInlineSnapshot(`
      [
        "/opt/gemini",
        "--output-format",
        "stream-json",
        "--model",
        "gemini-2.5-pro",
        "--approval-mode",
        "yolo",
        "--skip-trust",
        "--policy",
        "OWN/policy.toml",
        "--resume",
        "8dcbb2f9",
        "--debug",
      ]
    `);
    expect(
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, shown(value)])),
    ).toMatchInlineSnapshot(`
      {
        "GEMINI_API_KEY": "loom-placeholder",
        "GEMINI_CLI_HOME": "OWN",
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:3128/.loom/model",
        "NODE_OPTIONS": "--require "OWN/blindfold.cjs"",
        "NO_COLOR": "1",
      }
    `);
    expect(stdin).toBe("Task.");
    expect(readlinkSync(join(own, ".gemini", "tmp"))).toBe(join(home, "gemini-conversations"));
  });

  it("switches off what a session without a person must not do", async () => {
    const { settings } = await launch({ maxTurns: 30 });
    expect(settings).toMatchInlineSnapshot(`
      {
        "advanced": {
          "autoConfigureMemory": false,
          "ignoreLocalEnv": true,
        },
        "context": {
          "fileName": [
            "loom-rules.md",
            "GEMINI.md",
            "AGENTS.md",
          ],
        },
        "experimental": {
          "autoMemory": false,
          "enableAgents": false,
        },
        "general": {
          "enableAutoUpdate": false,
          "enableAutoUpdateNotification": false,
          "maxAttempts": 3,
          "plan": {
            "enabled": false,
          },
          "sessionRetention": {
            "enabled": false,
          },
        },
        "hooks": {
          "BeforeTool": [
            {
              "hooks": [
                {
                  "command": "/usr/bin/node '/opt/a guard.js'",
                  "name": "loom",
                  "timeout": 600000,
                  "type": "command",
                },
              ],
              "matcher": "run_shell_command",
            },
          ],
        },
        "model": {
          "compressionThreshold": 1,
          "maxSessionTurns": 30,
        },
        "modelConfigs": {
          "customOverrides": [],
        },
        "privacy": {
          "usageStatisticsEnabled": false,
        },
        "security": {
          "auth": {
            "selectedType": "gemini-api-key",
          },
          "environmentVariableRedaction": {
            "allowed": [
              "PATH",
              "CERT_FILE",
            ],
            "enabled": true,
          },
        },
        "skills": {
          "enabled": false,
        },
        "telemetry": {
          "enabled": false,
        },
        "tools": {
          "shell": {
            "inactivityTimeout": 86400,
          },
          "useRipgrep": false,
        },
      }
    `);
  });

  it("puts the rules where the CLI looks for them, with what its tools can't do", async () => {
    const { read } = await launch();
    expect(read(".gemini/loom-rules.md")).toMatchInlineSnapshot(`
      "Rules.

      In the task, \`\\@\` stands for a plain at sign.
      The tools write_file and replace refuse build files such as package.json, Makefile or Cargo.toml, because nobody is there
      to confirm it. Where the task needs such a file changed, that is approved: change it with run_shell_command.
      "
    `);
  });

  it("does not send an agent that has no shell to it", async () => {
    expect((await launch({ tools: "edit" })).read(".gemini/loom-rules.md")).toMatchInlineSnapshot(`
      "Rules.

      In the task, \`\\@\` stands for a plain at sign.
      The tools write_file and replace refuse build files such as package.json, Makefile or Cargo.toml, because nobody is there
      to confirm it. Where the task needs such a file changed, say so in your last words.
      "
    `);
    expect((await launch({ tools: "shell" })).read(".gemini/loom-rules.md")).not.toContain("write_file");
  });

  it("tells a temperature, beside how hard to think", async () => {
    const told = async (parts: Partial<SessionSpec>) =>
      (await launch(parts)).settings.modelConfigs.customOverrides;
    expect(await told({ temperature: 0, effort: "low" })).toEqual([
      {
        match: { overrideScope: "core" },
        modelConfig: {
          generateContentConfig: { thinkingConfig: { thinkingBudget: 1_024 }, temperature: 0 },
        },
      },
    ]);
    expect(JSON.stringify(await told({ temperature: 0.2 }))).toContain(
      '"generateContentConfig":{"temperature":0.2}',
    );
  });

  it("tells older models how long to think and newer ones how hard", async () => {
    const thinking = async (model: string, effort: SessionSpec["effort"]) =>
      (await launch({ effort }, model)).settings.modelConfigs.customOverrides;
    expect(await thinking("gemini-2.5-pro", null)).toEqual([]);
    expect(JSON.stringify(await thinking("gemini-2.5-pro", "low"))).toContain('{"thinkingBudget":1024}');
    expect(JSON.stringify(await thinking("gemini-3-pro-preview", "high"))).toContain(
      '{"thinkingLevel":"HIGH"}',
    );
  });

  it("offers the tools that are asked for, and never those that reach past the sandbox", async () => {
    const policy = async (tools: SessionSpec["tools"]) => (await launch({ tools })).read("policy.toml");
    expect(await policy("all")).toMatchInlineSnapshot(`
      "[[rule]]
      toolName = ["google_web_search", "web_fetch", "invoke_agent", "activate_skill", "enter_plan_mode", "exit_plan_mode", "save_memory"]
      decision = "deny"
      priority = 998

      "
    `);
    expect(await policy("read")).toMatchInlineSnapshot(`
      "[[rule]]
      toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search"]
      decision = "allow"
      priority = 998

      [[rule]]
      toolName = ["*"]
      decision = "deny"
      priority = 997

      "
    `);
    expect(await policy("edit")).toContain('"grep_search", "write_file", "replace"]\ndecision = "allow"');
    expect(await policy("shell")).toContain('"grep_search", "run_shell_command"]\ndecision = "allow"');
    expect(await policy("none")).toMatchInlineSnapshot(`
      "[[rule]]
      toolName = ["*"]
      decision = "deny"
      priority = 998

      "
    `);
  });

  it("keeps the CLI from taking words of the task for files or commands of its own", async () => {
    expect((await launch({ task: "Ask @ann about a@b.org." })).stdin).toBe("Ask \\@ann about a\\@b.org.");
    expect((await launch({ task: "/clear is broken." })).stdin).toBe("Task:\n/clear is broken.");
  });

  it("begins with a new folder each time, so that nothing of an earlier session is read", async () => {
    const [first, second] = [await launch(), await launch()];
    expect(first.own).not.toBe(second.own);
    expect(readdirSync(home).filter((name) => !name.startsWith("gemini-"))).toEqual([]);
  });

  it("never holds the key", async () => {
    const { argv, env, stdin, settings } = await launch();
    expect(JSON.stringify({ argv, env, stdin, settings })).not.toContain("real-key");
  });
});
