import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guardPlugin } from "../../../../src/adapters/harness/opencode/guard-plugin.ts";
import { createOpencode } from "../../../../src/adapters/harness/opencode/opencode.ts";
import type { SessionSpec } from "../../../../src/ports/harness.ts";
import { aSandbox } from "../cli/a-sandbox.ts";
import { aCliSpec, outLine } from "../cli/read-stream.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loom-opencode-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function launch(parts: Partial<SessionSpec> = {}, model = "anthropic/claude-sonnet-4-5", env = {}) {
  const started = await createOpencode().launch({
    spec: aCliSpec(parts),
    sandbox: aSandbox(home, ["/usr/bin/node", "/opt/guard.js"]),
    bin: "/opt/opencode",
    model,
    extraArgs: ["--print-logs"],
    modelUrl: "http://127.0.0.1:3128/.loom/model",
    placeholder: "loom-placeholder",
    env: { ANTHROPIC_API_KEY: "real-key", ...env },
  });
  const folder = started.env.OPENCODE_TEST_HOME ?? "";
  const shown = (text: string): string => text.replaceAll(folder, "OWN").replaceAll(home, "HOME");
  return {
    ...started,
    folder,
    shown,
    config: JSON.parse(shown(readFileSync(join(folder, "opencode.json"), "utf8"))),
  };
}

describe("starting opencode", () => {
  it("gives it folders of its own, no configuration of the repository, and the task on standard input", async () => {
    const { argv, env, stdin, shown } = await launch({ effort: "high", resume: "ses_1" });
    expect(argv).toMatchInlineSnapshot(`
      [
        "/opt/opencode",
        "run",
        "--format",
        "json",
        "--model",
        "anthropic/claude-sonnet-4-5",
        "--dir",
        "/work/tree",
        "--title",
        "loom",
        "--variant",
        "high",
        "--session",
        "ses_1",
        "--print-logs",
      ]
    `);
    expect(
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, shown(value)])),
    ).toMatchInlineSnapshot(`
      {
        "OPENCODE_CONFIG": "OWN/opencode.json",
        "OPENCODE_DISABLE_AUTOCOMPACT": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_CLAUDE_CODE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_DISABLE_SHARE": "1",
        "OPENCODE_TEST_HOME": "OWN",
        "XDG_CACHE_HOME": "OWN/cache",
        "XDG_CONFIG_HOME": "OWN/config",
        "XDG_DATA_HOME": "HOME/opencode-data",
        "XDG_STATE_HOME": "OWN/state",
      }
    `);
    expect(stdin).toBe("Task.");
  });

  it("reaches a known provider through Loom's endpoint and leaves it its own limits", async () => {
    const { config } = await launch({ maxTurns: 30 });
    expect(config).toMatchInlineSnapshot(`
      {
        "agent": {
          "build": {
            "steps": 31,
          },
        },
        "autoupdate": false,
        "compaction": {
          "auto": false,
          "prune": false,
        },
        "enabled_providers": [
          "anthropic",
        ],
        "instructions": [
          "OWN/rules.md",
          "/work/tree/AGENTS.md",
        ],
        "permission": {
          "*": "allow",
          "question": "deny",
          "skill": "deny",
          "task": "deny",
        },
        "plugin": [
          "file://OWN/guard.js",
        ],
        "provider": {
          "anthropic": {
            "models": {
              "claude-sonnet-4-5": {},
            },
            "options": {
              "apiKey": "loom-placeholder",
              "baseURL": "http://127.0.0.1:3128/.loom/model",
            },
          },
        },
        "share": "disabled",
        "small_model": "anthropic/claude-sonnet-4-5",
        "snapshot": false,
      }
    `);
  });

  it("reaches any other as one that speaks as OpenAI's does", async () => {
    const { config } = await launch({}, "own/some/model", { LOOM_OPENCODE_WINDOW: "64000" });
    expect(config.provider).toMatchInlineSnapshot(`
      {
        "own": {
          "models": {
            "some/model": {
              "limit": {
                "context": 64000,
                "output": 16000,
              },
            },
          },
          "name": "own",
          "npm": "@ai-sdk/openai-compatible",
          "options": {
            "apiKey": "loom-placeholder",
            "baseURL": "http://127.0.0.1:3128/.loom/model",
          },
        },
      }
    `);
  });

  it("allows the tools that are asked for", async () => {
    expect((await launch({ tools: "read" })).config.permission).toMatchInlineSnapshot(`
      {
        "*": "deny",
        "glob": "allow",
        "grep": "allow",
        "list": "allow",
        "read": "allow",
      }
    `);
    const reading = (await launch({ tools: "read" })).config.permission;
    expect((await launch({ tools: "edit" })).config.permission).toEqual({ ...reading, edit: "allow" });
    expect((await launch({ tools: "shell" })).config.permission).toEqual({
      ...reading,
      bash: "allow",
      external_directory: "allow",
    });
    expect((await launch({ tools: "none" })).config.permission).toEqual({ "*": "deny" });
  });

  it("tells a temperature, and of a model that it does not know that it takes one", async () => {
    const known = (await launch({ temperature: 0 })).config;
    expect(known.agent).toEqual({ build: { temperature: 0 } });
    expect(known.provider.anthropic.models).toEqual({ "claude-sonnet-4-5": {} });
    const { config } = await launch({ temperature: 0.2, maxTurns: 3 }, "own/model");
    expect(config.agent).toEqual({ build: { steps: 4, temperature: 0.2 } });
    expect(config.provider.own.models.model).toMatchObject({ temperature: true });
  });

  it("reads the rules and the repository's AGENTS.md", async () => {
    const { config, folder } = await launch();
    expect(config.instructions).toEqual(["OWN/rules.md", "/work/tree/AGENTS.md"]);
    expect(readFileSync(join(folder, "rules.md"), "utf8")).toBe("Rules.");
  });

  it("never holds the key", async () => {
    const { argv, env, stdin, config } = await launch();
    expect(JSON.stringify({ argv, env, stdin, config })).not.toContain("real-key");
  });

  it("tells the share of the window that the operator gave", () => {
    const env = { LOOM_OPENCODE_WINDOW: "64000" };
    const reader = createOpencode().createReader({ spec: aCliSpec(), model: "own/model", env, home });
    const step = { type: "step_finish", part: { reason: "stop", tokens: { input: 5, output: 1 } } };
    expect(reader.read(outLine(JSON.stringify(step)))).toContainEqual({
      kind: "context",
      used: 6,
      window: 64_000,
    });
  });
});

describe("opencode's guard", () => {
  /** What the plugin does with a call, asked in a program of its own. */
  function judge(guard: [string, ...string[]], tool: string, command: string): string {
    const plugin = join(home, "plugin.mjs");
    writeFileSync(plugin, guardPlugin(guard));
    const program = `
      const { Loom } = await import(${JSON.stringify(pathToFileURL(plugin).href)});
      const before = (await Loom())["tool.execute.before"];
      const call = [{ tool: ${JSON.stringify(tool)} }, { args: { command: ${JSON.stringify(command)} } }];
      await before(...call).then(() => console.log("allowed"), (error) => console.log(error.message));`;
    return execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    }).trim();
  }

  const guard = (script: string): [string, ...string[]] => [process.execPath, "-e", script];
  const refuse = guard(
    `process.stdin.on("data", (said) => { console.error("No: " + said); process.exitCode = 2; });`,
  );

  it("lets a command through that the guard allows", () => {
    expect(judge(guard("process.stdin.resume()"), "bash", "ls")).toBe("allowed");
  });

  it("tells the agent why a command is refused", () => {
    expect(judge(refuse, "bash", "git push")).toBe('No: {"tool":"bash","command":"git push"}');
  });

  it("does not ask about tools that run no command", () => {
    expect(judge(refuse, "read", "")).toBe("allowed");
  });

  it("allows nothing when the guard can't be asked", () => {
    expect(judge(["/does/not/exist"], "bash", "ls")).toMatchInlineSnapshot(
      `"Loom could not be asked about this command, so it is not allowed."`,
    );
    expect(judge(guard("process.exit(1)"), "bash", "ls")).toMatch(/is not allowed/);
  });
});
