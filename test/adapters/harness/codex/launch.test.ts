import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCodex } from "../../../../src/adapters/harness/codex/codex.ts";
import type { Judge } from "../../../../src/core/policy/judgement.ts";
import type { SessionSpec } from "../../../../src/ports/harness.ts";
import { aSandbox } from "../cli/a-sandbox.ts";
import { aCliSpec } from "../cli/read-stream.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loom-codex-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const codex = createCodex();

async function launch(
  parts: Partial<SessionSpec>,
  guard: [string, ...string[]] | null = null,
  model: string | null = null,
) {
  const started = await codex.launch({
    spec: aCliSpec(parts),
    sandbox: aSandbox(home, guard),
    bin: "/opt/codex",
    model,
    extraArgs: ["--color", "never"],
    modelUrl: "http://127.0.0.1:3128/.loom/model",
    placeholder: "loom-placeholder",
    env: { OPENAI_API_KEY: "real-key" },
  });
  return { ...started, config: readFileSync(join(home, ".codex/config.toml"), "utf8") };
}

describe("starting codex", () => {
  it("gives all but the task in a config file of its own", async () => {
    const rules = 'Say "yes".\n\tNo \\ \u007f \ud800 end\u0000.';
    const { argv, env, stdin, config } = await launch(
      { rules, effort: "high" },
      ["/usr/bin/node", "/opt/a b/guard.js"],
      "gpt-x",
    );
    expect(argv.join(" ")).toMatchInlineSnapshot(
      `"/opt/codex exec --dangerously-bypass-approvals-and-sandbox --json -C /work/tree --skip-git-repo-check --dangerously-bypass-hook-trust -m gpt-x --color never -"`,
    );
    expect(env).toEqual({
      CODEX_HOME: join(home, ".codex"),
      TMPDIR: join(home, "tmp"),
      LOOM_MODEL_KEY: "loom-placeholder",
    });
    expect(stdin).toBe("Task.");
    expect(config).toMatchInlineSnapshot(`
      "model_provider = "loom"
      model_reasoning_effort = "high"
      developer_instructions = "Say \\"yes\\".\\n\\tNo \\\\ \\u007f � end\\u0000."
      project_doc_max_bytes = 0
      web_search = "disabled"
      check_for_update_on_startup = false

      [projects."/work/tree"]
      trust_level = "untrusted"

      [analytics]
      enabled = false

      [history]
      persistence = "none"

      [features]
      apps = false
      multi_agent = false
      plugins = false

      [shell_environment_policy]
      inherit = "all"
      exclude = ["LOOM_MODEL_KEY"]

      [model_providers.loom]
      name = "Loom"
      base_url = "http://127.0.0.1:3128/.loom/model"
      env_key = "LOOM_MODEL_KEY"
      wire_api = "responses"
      request_max_retries = 2
      stream_max_retries = 2

      [[hooks.PreToolUse]]
      matcher = "^Bash$"
      [[hooks.PreToolUse.hooks]]
      type = "command"
      command = "/usr/bin/node '/opt/a b/guard.js'"
      timeout = 600
      "
    `);
    expect(config).not.toContain("real-key");
  });

  it("leaves out what was not asked for", async () => {
    const { argv, config } = await launch({ rules: "" });
    expect(argv.join(" ")).toMatchInlineSnapshot(
      `"/opt/codex exec --dangerously-bypass-approvals-and-sandbox --json -C /work/tree --skip-git-repo-check --color never -"`,
    );
    expect(config).not.toMatch(/hooks|effort|instructions/);
  });

  it("goes on with a thread, whose command takes no options", async () => {
    const { argv } = await launch({ resume: "t1" });
    expect(argv.slice(-5)).toEqual(["--color", "never", "resume", "t1", "-"]);
  });

  it("leaves it to the sandbox that nothing is written, and to codex's own sandbox where the sandbox has no isolation", async () => {
    const { argv, config } = await launch({ tools: "read" });
    expect(argv.slice(0, 9)).toMatchInlineSnapshot(`
      [
        "/bin/sh",
        "-c",
        "if [ -w "$1" ]; then mode=read-only; else mode=danger-full-access; fi; bin=$2; shift 2; exec "$bin" exec -s "$mode" "$@"",
        "sh",
        "/work/tree",
        "/opt/codex",
        "--json",
        "-C",
        "/work/tree",
      ]
    `);
    expect(argv).not.toContain("--dangerously-bypass-approvals-and-sandbox");
    expect(config).not.toContain("shell_tool");
  });

  it("finds out inside the sandbox whether the tree can be written", async () => {
    const { argv } = await launch({ tools: "read", tree: home });
    const [, ...args] = argv.with(5, "/bin/echo");
    expect(execFileSync("/bin/sh", args, { encoding: "utf8" })).toMatch(/^exec -s read-only --json -C /);
    const sandboxSpec = ["--ro-bind", "/", "/", "--", "/bin/sh", ...args];
    expect(execFileSync("bwrap", sandboxSpec, { encoding: "utf8" })).toMatch(
      /^exec -s danger-full-access --json -C /,
    );
  });

  it("starts alike for reading and for a shell, but runs nothing of the home for one that only reads", async () => {
    const [shell, read] = [await launch({ tools: "shell" }), await launch({ tools: "read" })];
    expect(read.argv).toEqual(shell.argv);
    expect(shell.config).not.toContain("allow_login_shell");
    expect(read.config).toContain("allow_login_shell = false\n");
    expect(read.config).toContain("shell_snapshot = false\n");
  });

  it("for editing asks about each command and runs nothing that stands in the home", async () => {
    const { argv, config } = await launch({ tools: "edit" }, ["/opt/guard"]);
    expect(argv.slice(0, 3)).toEqual(["/opt/codex", "exec", "--dangerously-bypass-approvals-and-sandbox"]);
    expect(argv).toContain("--dangerously-bypass-hook-trust");
    expect(config).toContain("allow_login_shell = false\n");
    expect(config).toContain("shell_snapshot = false\n");
    expect(config).toContain(`command = "/opt/guard"`);
    expect(readFileSync(join(home, ".codex/hooks.json"), "utf8")).toBe("{}\n");
  });

  it("brings a judge of its own for reading and editing, which asks the other one too", () => {
    const own: Judge = ({ command }) =>
      command?.includes("secret") ? { kind: "deny", reason: "no." } : { kind: "allow" };
    const judge = (tools: SessionSpec["tools"], judge: Judge | null, command: string | null) =>
      codex.judgeFor?.(aCliSpec({ tools, judge }))?.({ tool: "Bash", command })?.kind ?? null;
    expect(judge("all", null, "make")).toBeNull();
    expect(judge("all", own, "make")).toBe("allow");
    expect(judge("edit", null, "make")).toBe("deny");
    expect(judge("edit", null, "cat a")).toBe("allow");
    expect(judge("edit", own, "cat secret")).toBe("deny");
    expect(judge("edit", null, null)).toBe("allow");
    expect(judge("read", null, "make")).toBe("deny");
    expect(judge("read", own, "cat secret")).toBe("deny");
    expect(judge("read", null, "cat a")).toBe("allow");
    expect(judge("shell", null, "make")).toBeNull();
  });

  it("leaves the temperature alone", async () => {
    const { argv, config } = await launch({ temperature: 0.2 });
    expect(argv.join() + config).not.toContain("0.2");
  });

  it("takes its tools away when it may only speak", async () => {
    const { argv, config } = await launch({ tools: "none" });
    expect(argv.join(" ")).toContain("-s read-only");
    expect(config).toContain("code_mode_host = false\nshell_tool = false\nunified_exec = false");
  });
});

describe("codex's endpoint", () => {
  const upstream = (address: string | undefined) => {
    const env = { OPENAI_API_KEY: "k", ...(address === undefined ? {} : { OPENAI_BASE_URL: address }) };
    const endpoint = codex.endpoint(env, null);
    return endpoint.kind === "endpoint" ? endpoint.model.upstream : endpoint.kind;
  };

  it("leads to the base under which responses are asked for", () => {
    expect(
      [
        undefined,
        "http://127.0.0.1:8080",
        "http://h/",
        "https://h/v1",
        "https://h/openai/v1/",
        "no address",
      ].map(upstream),
    ).toMatchInlineSnapshot(`
      [
        "https://api.openai.com/v1",
        "http://127.0.0.1:8080/v1",
        "http://h/v1",
        "https://h/v1",
        "https://h/openai/v1/",
        "no address",
      ]
    `);
  });

  it("takes the first key there is and says what is missing", () => {
    expect(codex.endpoint({ CODEX_API_KEY: "c" }, null)).toMatchObject({
      keyName: "CODEX_API_KEY",
      model: { key: "c" },
    });
    expect(codex.endpoint({ OPENAI_API_KEY: "" }, null)).toMatchInlineSnapshot(`
      {
        "kind": "missing",
        "next": "Set OPENAI_API_KEY to an API key; a login of codex itself can't be used in a sandbox.",
        "reason": "codex has no key: OPENAI_API_KEY is not set.",
      }
    `);
  });
});
