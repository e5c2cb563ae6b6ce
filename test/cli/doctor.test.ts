import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, normalise, type Project } from "../scenario/project.ts";
import { tempFolder } from "../support/git-repo.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode"];

/** A machine without any agent, so that what is found here does not depend on whose machine it is. */
function bareMachine(): Record<string, string> {
  const keys = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY"];
  const others = ["CODEX_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];
  const unset = [...keys, ...others].map((name) => [name, ""]);
  return { PATH: tempFolder(), ...Object.fromEntries(unset) };
}

/** A CLI that can tell its version and nothing else. */
function fakeCli(name: string, script: string): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function onePlan(): Project {
  return makeProject({ stages: [{ id: "only" }] });
}

async function examine(project: Pick<Project, "ask">): Promise<{ code: number | null; text: string }> {
  const { code, stdout, stderr } = await project.ask("doctor");
  expect(stderr).toBe("");
  return { code, text: stdout.replace(/^(✓ (?:Node|git) +).*/gm, "$1<version>") };
}

/** What is said of one thing: its line, and the one below it that says what to do. */
function about(text: string, what: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.slice(2).startsWith(`${what} `));
  const next = lines[at + 1]?.startsWith("   ") ? [lines[at + 1]] : [];
  return [lines[at], ...next].map((line) => line?.replace(/ {2,}/g, "  ")).join("\n");
}

describe("loom doctor", () => {
  it("tells a broken agent file by itself, and still looks at all else", async () => {
    const config = tempFolder();
    mkdirSync(join(config, "agents"));
    writeFileSync(join(config, "agents", "welder.md"), "broken\n");
    const project = onePlan();
    const { code, text } = await examine(project.with({ env: { ...bareMachine(), LOOM_CONFIG: config } }));
    expect(code).toBe(1);
    expect(about(text, "roster").replaceAll(config, "<config>")).toMatchInlineSnapshot(`
      "✗ roster  The agent <config>/agents/welder.md can't be used. Line 1: The file has to open with a line \`---\`. Write fields such as \`name: coder\` below it.
        Fix the file, or remove it."
    `);
    expect(about(text, "repository")).toMatch(/^✓/);
    expect(about(text, "sandbox")).toMatch(/^!/);
  });

  it("tells rules for the shell that can't be used, which keep nobody from looking", async () => {
    const config = tempFolder();
    mkdirSync(join(config, "policies"));
    writeFileSync(join(config, "policies", "shell.yml"), "version: 1\notherwise: perhaps\nrules: []\n");
    const project = onePlan();
    const broken = project.with({ env: { ...bareMachine(), LOOM_CONFIG: config } });
    const { code, text } = await examine(broken);
    expect(code).toBe(1);
    expect(about(text, "shell rules").replaceAll(config, "<config>")).toMatchInlineSnapshot(`
      "✗ shell rules  <config>/policies/shell.yml:2: \`otherwise\` must be \`deny\`, \`ask\` or \`allow\`, but is \`perhaps\`.
        Write, for example, \`otherwise: allow\`."
    `);
    expect((await broken.ask("status")).stderr).toContain("There are no runs in this repository yet.");
    expect(await broken.ask("run", "PLAN.md")).toMatchObject({ code: 2 });
  });

  it("tells rules that are no file", async () => {
    const config = tempFolder();
    mkdirSync(join(config, "policies", "shell.yml"), { recursive: true });
    const { text } = await examine(onePlan().with({ env: { ...bareMachine(), LOOM_CONFIG: config } }));
    expect(about(text, "shell rules").replaceAll(config, "<config>")).toMatchInlineSnapshot(`
      "✗ shell rules  The rules <config>/policies/shell.yml can't be read: EISDIR: illegal operation on a directory, read.
        Fix the file, or remove it to use the rules that come with Loom."
    `);
  });

  it("tells what commands of one agent refuse: no commit, a loom.yml and prompts that can't be used", async () => {
    const config = tempFolder();
    mkdirSync(join(config, "tasks"));
    writeFileSync(join(config, "tasks", "common.md"), " \n");
    writeFileSync(join(config, "tasks", "ask.md"), "");
    const project = onePlan();
    project.write({ ".github/loom.yml": "version: 9\n" });
    project.commit("settings");
    const env = { ...bareMachine(), LOOM_CONFIG: config };
    const broken = await examine(project.with({ env }));
    expect(broken.code).toBe(1);
    project.write({ ".github/loom.yml": "version: 1\nagents: { disabled: [codr] }\n" });
    project.commit("fixed");
    const fixed = await examine(project.with({ env: bareMachine() }));
    expect(fixed.code).toBe(0);
    project.git("update-ref", "-d", "HEAD");
    const empty = await examine(project.with({ env: bareMachine() }));
    expect(empty.code).toBe(1);
    const json = JSON.parse((await project.with({ env: bareMachine() }).ask("doctor", "--json")).stdout);
    expect(json.healthy).toBe(false);
    const told = [
      about(broken.text, "prompts"),
      about(broken.text, "loom.yml"),
      about(fixed.text, "loom.yml"),
      about(empty.text, "commit"),
    ];
    expect(told.join("\n").replaceAll(config, "<config>")).toMatchInlineSnapshot(`
      "✗ prompts  The prompt <config>/tasks/common.md can't be used: it is empty. Write what Loom should say to agents, or remove the file. The prompt <config>/tasks/ask.md can't be used: it is empty. Write what Loom should say to agents, or remove the file.
      ✗ loom.yml  .github/loom.yml of the last commit can't be used: line 1: \`version\` must be 1, but is \`9\`. Write, for example, \`version: 1\`.
        Fix it and commit that.
      ! loom.yml  .github/loom.yml: line 2: There is no agent \`codr\` to disable. Did you mean \`coder\`?
      ✗ commit  This repository has no commit yet.
        Make a first commit (\`git commit --allow-empty -m start\` will do) and try again."
    `);
  });

  it("finds a good repository good and changes nothing", async () => {
    const project = onePlan();
    const machine = project.with({ env: bareMachine() });
    const { code, text } = await examine(machine);
    expect(code).toBe(0);
    expect(normalise(text, project)).toMatchInlineSnapshot(`
      "✓ Node            <version>
      ✓ work trees      /tmp/x/trees
      ✓ roster          22 agents
      ✓ git             <version>
      ✓ repository      /tmp/x/repo
      ✓ branch          main
      ✓ disk            0 KB of logs, 0 KB of ledgers, 0 work trees
      ! sandbox         No sandbox: agents and checks run with your rights and can read your files and use your network.
                        Set LOOM_SANDBOX=auto to have one.
      ! agent claude    claude was not found.
                        Install it with \`npm install -g @anthropic-ai/claude-code\`. Or set LOOM_CLAUDE_BIN to where it is.
      ! agent codex     codex was not found.
                        Install it with \`npm install -g @openai/codex\`. Or set LOOM_CODEX_BIN to where it is.
      ! agent gemini    gemini was not found.
                        Install it with \`npm install -g @google/gemini-cli\`. Or set LOOM_GEMINI_BIN to where it is.
      ! agent opencode  opencode was not found.
                        Install it with \`npm install -g opencode-ai\`. Or set LOOM_OPENCODE_BIN to where it is.
      ✓ agent command   /bin/sh
      ! agent scripted  LOOM_SCRIPT is not set.
                        Set LOOM_SCRIPT to the file that says what the scripted agent does.

      Loom can run here.
      "
    `);
    expect(project.git("status", "--porcelain", "--ignored")).toBe("");
    const json = JSON.parse((await machine.ask("doctor", "--json")).stdout);
    expect(json.healthy).toBe(true);
  });

  it("says what is missing and what to do about it", async () => {
    const folder = tempFolder();
    const file = join(folder, "file");
    writeFileSync(file, "");
    mkdirSync(join(folder, "empty"));
    const project = onePlan();
    const outside = await examine(project.with({ cwd: join(folder, "empty"), env: bareMachine() }));
    const env = { ...bareMachine(), LOOM_TREES: join(file, "trees") };
    const bare = await examine(project.with({ agent: undefined, env }));
    expect([outside.code, bare.code]).toEqual([1, 1]);
    const text = (outside.text + bare.text).replaceAll(folder, "/tmp/y");
    expect(normalise(text, project)).toMatchInlineSnapshot(`
      "✓ Node        <version>
      ✓ work trees  /tmp/y/trees
      ✓ roster      22 agents
      ✗ repository  /tmp/y/empty is not in a git repository.
                    Change to your repository, or make one with \`git init\` and a first commit.

      1 thing has to be fixed before Loom can run here.
      ✓ Node            <version>
      ✗ work trees      /tmp/y/file is not a folder.
                        Set LOOM_TREES to a folder that you may write to.
      ✓ roster          22 agents
      ✓ git             <version>
      ✓ repository      /tmp/x/repo
      ✓ branch          main
      ✓ disk            0 KB of logs, 0 KB of ledgers, 0 work trees
      ! sandbox         No sandbox: agents and checks run with your rights and can read your files and use your network.
                        Set LOOM_SANDBOX=auto to have one.
      ✗ agent claude    claude was not found.
                        Install it with \`npm install -g @anthropic-ai/claude-code\`. Or set LOOM_CLAUDE_BIN to where it is.
      ! agent codex     codex was not found.
                        Install it with \`npm install -g @openai/codex\`. Or set LOOM_CODEX_BIN to where it is.
      ! agent gemini    gemini was not found.
                        Install it with \`npm install -g @google/gemini-cli\`. Or set LOOM_GEMINI_BIN to where it is.
      ! agent opencode  opencode was not found.
                        Install it with \`npm install -g opencode-ai\`. Or set LOOM_OPENCODE_BIN to where it is.
      ! agent command   LOOM_COMMAND_BIN is not set.
                        Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.
      ! agent scripted  LOOM_SCRIPT is not set.
                        Set LOOM_SCRIPT to the file that says what the scripted agent does.

      2 things have to be fixed before Loom can run here.
      "
    `);
  });
});

describe("what loom doctor says of agents", () => {
  it("tells for each how it is installed when it is not there", async () => {
    const { text } = await examine(onePlan().with({ env: bareMachine() }));
    expect(AGENTS.map((id) => about(text, `agent ${id}`)).join("\n")).toMatchInlineSnapshot(`
      "! agent claude  claude was not found.
        Install it with \`npm install -g @anthropic-ai/claude-code\`. Or set LOOM_CLAUDE_BIN to where it is.
      ! agent codex  codex was not found.
        Install it with \`npm install -g @openai/codex\`. Or set LOOM_CODEX_BIN to where it is.
      ! agent gemini  gemini was not found.
        Install it with \`npm install -g @google/gemini-cli\`. Or set LOOM_GEMINI_BIN to where it is.
      ! agent opencode  opencode was not found.
        Install it with \`npm install -g opencode-ai\`. Or set LOOM_OPENCODE_BIN to where it is."
    `);
  });

  it("names the file that is no program, where one was named", async () => {
    const file = join(tempFolder(), "claude");
    writeFileSync(file, "no program");
    const env = { ...bareMachine(), LOOM_CLAUDE_BIN: file, LOOM_CODEX_BIN: `${file}-x` };
    const { text } = await examine(onePlan().with({ env }));
    const said = ["claude", "codex"].map((id) => about(text, `agent ${id}`)).join("\n");
    expect(said.replaceAll(file, "/opt/claude")).toMatchInlineSnapshot(`
      "! agent claude  /opt/claude is not executable.
        Run \`chmod +x /opt/claude\`, or set LOOM_CLAUDE_BIN to another file.
      ! agent codex  /opt/claude-x was not found.
        Install it with \`npm install -g @openai/codex\`. Or set LOOM_CODEX_BIN to where it is."
    `);
  });

  it("tells which key is missing", async () => {
    const bins = AGENTS.map((id) => [`LOOM_${id.toUpperCase()}_BIN`, fakeCli(id, "echo 1.2.3")]);
    const env = { ...bareMachine(), ...Object.fromEntries(bins) };
    const unnamed = await examine(onePlan().with({ env }));
    expect(AGENTS.map((id) => about(unnamed.text, `agent ${id}`)).join("\n")).toMatchInlineSnapshot(`
      "! agent claude  claude has no key: ANTHROPIC_API_KEY is not set.
        Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN with what \`claude setup-token\` prints.
      ! agent codex  codex has no key: OPENAI_API_KEY is not set.
        Set OPENAI_API_KEY to an API key; a login of codex itself can't be used in a sandbox.
      ! agent gemini  gemini has no key: GEMINI_API_KEY is not set.
        Set GEMINI_API_KEY to a key from Google AI Studio.
      ! agent opencode  opencode has no model of its own.
        Set LOOM_OPENCODE_MODEL=provider/model, such as anthropic/claude-sonnet-4-5."
    `);
    const named = { ...env, LOOM_OPENCODE_MODEL: "anthropic/claude-sonnet-4-5" };
    const { text } = await examine(onePlan().with({ env: named }));
    expect(about(text, "agent opencode")).toMatchInlineSnapshot(`
      "! agent opencode  opencode has no key for anthropic: ANTHROPIC_API_KEY is not set.
        Set ANTHROPIC_API_KEY, or choose another provider's model with LOOM_OPENCODE_MODEL."
    `);
  });

  it("tells version, model and where the key comes from when one can be started, and never the key", async () => {
    const bin = fakeCli("claude", 'echo "2.1.92 (Claude Code)"');
    const env = { ...bareMachine(), LOOM_CLAUDE_BIN: bin, ANTHROPIC_API_KEY: "sk-ant-very-secret" };
    const { code, text } = await examine(onePlan().with({ agent: undefined, env }));
    expect(code).toBe(0);
    expect(about(text, "agent claude").replace(bin, "/opt/claude")).toMatchInlineSnapshot(
      `"✓ agent claude  2.1.92, model opus, key from ANTHROPIC_API_KEY (/opt/claude)"`,
    );
    expect(text).not.toContain("very-secret");
  });

  it("starts them where agents will be: in a sandbox, and without the key", async () => {
    const bin = fakeCli(
      "claude",
      `test -z "$ANTHROPIC_API_KEY" && ! test -e '${tempFolder()}' && echo 2.1.92`,
    );
    const env = { ...bareMachine(), LOOM_CLAUDE_BIN: bin, ANTHROPIC_API_KEY: "sk-ant-very-secret" };
    const project = onePlan();
    const walled = await examine(project.with({ agent: undefined, env: { ...env, LOOM_SANDBOX: "auto" } }));
    expect(about(walled.text, "agent claude")).toContain("✓ agent claude  2.1.92, ");
    const open = await examine(project.with({ agent: undefined, env }));
    expect(about(open.text, "agent claude")).toContain("does not tell its version");
  });

  it("misses the one that is chosen, though another could work", async () => {
    const env = { ...bareMachine(), LOOM_HARNESS: "codex" };
    const { code, text } = await examine(onePlan().with({ env }));
    expect(code).toBe(1);
    expect(["claude", "codex", "command"].map((id) => about(text, `agent ${id}`)[0])).toEqual([
      "!",
      "✗",
      "✓",
    ]);
    expect(text).toContain("\n1 thing has to be fixed before Loom can run here.\n");
  });

  it("says so when the CLI can't be started", async () => {
    const bin = fakeCli("claude", "exit 1");
    const env = { ...bareMachine(), LOOM_CLAUDE_BIN: bin, ANTHROPIC_API_KEY: "sk-ant-very-secret" };
    const { code, text } = await examine(onePlan().with({ agent: undefined, env }));
    expect(code).toBe(1);
    expect(about(text, "agent claude").replaceAll(bin, "/opt/claude")).toMatchInlineSnapshot(`
      "✗ agent claude  /opt/claude does not tell its version.
        Run it by hand to see why: /opt/claude --version"
    `);
  });
});

describe("what loom doctor says of the sandbox", () => {
  const sandbox = async (env: Record<string, string>): Promise<string> => {
    const { code, text } = await examine(onePlan().with({ env }));
    return `${about(text, "sandbox")}\n=> ${code}`;
  };

  it("is content with isolation", async () => {
    expect(
      (await sandbox({ LOOM_SANDBOX: "auto" })).replace(/\d+(\.\d+)+/, "<version>"),
    ).toMatchInlineSnapshot(`
      "✓ sandbox  bubblewrap <version>
      => 0"
    `);
    expect(await sandbox({ LOOM_SANDBOX: "", LOOM_SANDBOX_CMD: "/usr/bin/env" })).toMatchInlineSnapshot(`
      "✓ sandbox  /usr/bin/env (LOOM_SANDBOX_CMD)
      => 0"
    `);
  });

  it("tells what it means to have none", async () => {
    expect(await sandbox({ LOOM_SANDBOX: "off" })).toMatchInlineSnapshot(`
      "! sandbox  No sandbox: agents and checks run with your rights and can read your files and use your network.
        Set LOOM_SANDBOX=auto to have one.
      => 0"
    `);
  });

  it("finds wrong what was asked for and can't be had", async () => {
    expect(await sandbox({ LOOM_SANDBOX: "yes" })).toMatchInlineSnapshot(`
      "✗ sandbox  LOOM_SANDBOX is "yes", which Loom does not know.
        Set it to one of: auto, bubblewrap, container, off.
      => 1"
    `);
    expect(await sandbox({ LOOM_SANDBOX: "container", PATH: tempFolder() })).toMatchInlineSnapshot(`
      "✗ sandbox  LOOM_SANDBOX=container needs the name of an image.
        Set LOOM_SANDBOX_IMAGE to an image that has Node and git, such as LOOM_SANDBOX_IMAGE=node:22.
      => 1"
    `);
    expect(await sandbox({ LOOM_SANDBOX: "off", LOOM_SANDBOX_CMD: "boundary" })).toMatchInlineSnapshot(`
      "✗ sandbox  Both LOOM_SANDBOX=off and LOOM_SANDBOX_CMD are set.
        Unset one of them: LOOM_SANDBOX_CMD brings its own sandbox.
      => 1"
    `);
  });
});
