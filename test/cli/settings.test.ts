import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { makeRepo, tempFolder } from "../support/git-repo.ts";

type Scene = {
  readonly root: string;
  readonly cwd?: string;
  /** The user's own folder, as LOOM_CONFIG names it. */
  readonly config: string;
  readonly exported?: Readonly<Record<string, string>>;
};

async function loom({ root, cwd = root, config, exported }: Scene, ...args: string[]) {
  const said = { stdout: "", stderr: "" };
  const into = (name: "stdout" | "stderr") => ({
    write(text: string) {
      said[name] += text;
      return true;
    },
    on: () => {},
    off: () => {},
    columns: 150,
  });
  const env = { HOME: dirname(config), LOOM_CONFIG: config, ...exported };
  const code = await runCli(args, { cwd, env, stdout: into("stdout"), stderr: into("stderr") });
  return { code, ...said };
}

/** A repository, and a folder of the user's own beside it. */
function scene(files: { workspace?: string; user?: string; config?: string } = {}): Scene {
  const { root } = makeRepo({
    "README.md": "hello\n",
    ...(files.config ? { ".github/loom.yml": files.config } : {}),
  });
  const config = join(dirname(root), "config");
  mkdirSync(config);
  if (files.workspace !== undefined) writeFileSync(join(root, ".env"), files.workspace);
  if (files.user !== undefined) writeFileSync(join(config, ".env"), files.user);
  return { root, config };
}

type Shown = { name: string; value: string | null; source: string; default: string | null; problem?: string };

async function settingsOf(where: Scene): Promise<ReadonlyMap<string, Shown>> {
  const { code, stdout } = await loom(where, "settings", "--json");
  expect(code).toBe(0);
  const all = stdout
    .trimEnd()
    .split("\n")
    .map((line): Shown => JSON.parse(line));
  return new Map(all.map((one) => [one.name, one]));
}

describe("loom settings", () => {
  it("says for each value where it comes from: the shell, the repository, the user, or nobody", async () => {
    const where = scene({
      workspace: "LOOM_MAX_RETRIES=4\nLOOM_EFFORT=high\nLOOM_TIMEOUT=60 # a minute\n",
      user: 'LOOM_MAX_RETRIES=3\nLOOM_EFFORT=low\nexport LOOM_CONTRACT="warn"\n',
    });
    const settings = await settingsOf({ ...where, exported: { LOOM_MAX_RETRIES: "5" } });
    const names = ["LOOM_MAX_RETRIES", "LOOM_EFFORT", "LOOM_TIMEOUT", "LOOM_CONTRACT", "LOOM_MAX_CONCURRENT"];
    expect(names.map((name) => settings.get(name))).toEqual([
      { name: "LOOM_MAX_RETRIES", value: "5", source: "exported", default: "2" },
      { name: "LOOM_EFFORT", value: "high", source: "workspace", default: "medium" },
      { name: "LOOM_TIMEOUT", value: "60", source: "workspace", default: "14400" },
      { name: "LOOM_CONTRACT", value: "warn", source: "user", default: "off" },
      { name: "LOOM_MAX_CONCURRENT", value: "4", source: "default", default: "4" },
    ]);
  });

  it("shows people a table by group, with what is wrong and what is ignored", async () => {
    const where = scene({
      workspace:
        "LOOM_COMMAND_BIN=./evil.sh\nLOOM_SANDBOX=off\nLOOM_EXECUTION_MODE=fast\nLOOM_HARNESS=command\n",
      user: "ANTHROPIC_API_KEY=sk-ant-verysecret1\nLOOM_MAX_RETRY=1\nLOOM_STATE_DIR=docs/loom\n",
    });
    const exported = {
      LOOM_ROUTES: "review=codex:gpt-5.5@high, work/low=claude:sonnet, work/high=claude:opus",
    };
    const { code, stdout, stderr } = await loom({ ...where, exported }, "settings");
    expect(code).toBe(0);
    const plain = stdout
      .replaceAll(dirname(where.root), "/tmp/x")
      .replace(/config +exported/, "config  exported");
    expect(plain).toMatchInlineSnapshot(`
      "runs
        LOOM_DISABLED_AGENTS          –                                                 default    agents that no stage is given to
        LOOM_MAX_RETRIES              2                                                 default    further attempts of a stage after the first
        LOOM_MAX_CONCURRENT           4                                                 default    agents at a time; 0 lifts the limit
        LOOM_EXECUTION_MODE           parallel                                          default    parallel, sequential, or ask before a run
          ! The .env of this repository: LOOM_EXECUTION_MODE=fast is not parallel, sequential or ask; using parallel.
        LOOM_VALIDATION_STRICTNESS    normal                                            default    strict, normal or lenient checks
        LOOM_AUTO_ARCHIVE             false                                             default    put completed runs away by themselves
        LOOM_STATE_DIR                docs/loom                                         your .env  where the repository keeps the documents of runs
        LOOM_CONTRACT                 off                                               default    whether agents must say in a fixed form that they are do…
        LOOM_EFFORT                   medium                                            default    how hard agents think
        LOOM_PLAN_EFFORT              high                                              default    how hard those that plan think
        LOOM_TIMEOUT                  14400                                             default    the ceiling of one session
        LOOM_PLAN_TIMEOUT             3600                                              default    the ceiling of a session that plans
        LOOM_NO_PROGRESS_SECS         1800                                              default    the stall window; 0 turns it off
        LOOM_RETRY_DELAYS             0,600,3600                                        default    pauses while a provider is away
        LOOM_RETRY_BACKOFF            30,300                                            default    first and longest pause after a crash
        LOOM_MAX_TURNS                –                                                 default    turns of one session
        LOOM_GATE_CHANGES             ask                                               default    ask or warn when a stage redefines its gate
        LOOM_TREES                    ~/.cache/loom/trees                               default    where work trees stand
        LOOM_KEEP_DAYS                90                                                default    days that logs of ended runs are kept
        LOOM_KEEP_MB                  1024                                              default    megabytes of such logs in one repository
        LOOM_CONFIG                   /tmp/x/config  exported   your own folder: settings, prompts, policies
        planner.degraded              require-approval                                  default    when no sound plan comes out
        planner.depth                 standard                                          default    how much is designed first
        planner.mode                  guided                                            default    how much of a draft Loom fixes itself
        planner.remind_after_hours    24                                                default    when GitHub reminds of questions
        planner.default_after_hours   72                                                default    when their defaults are taken
        planner.budget_usd            10                                                default    what making one plan may cost
        commands.budget_usd           2                                                 default    what one review, answer and its like may cost
        commands.timeout_secs         1800                                              default    how long that may take

      agents
        LOOM_HARNESS                  –                                                 default    the agent of stages that name none
        LOOM_FALLBACK                 –                                                 default    agents to go on with while one is out of quota
        LOOM_ROUTES                   review=codex:gpt-5.5@high,work/low=claude:sonne…  exported   who does which work, such as review=codex@high
        LOOM_CLAUDE_MODEL             opus                                              default    the model of claude
        LOOM_MODEL                    opus                                              default    an older name of LOOM_CLAUDE_MODEL
        LOOM_CLAUDE_SMALL_MODEL       haiku                                             default    its model for small texts
        LOOM_COMMIT_MODEL             haiku                                             default    an older name of LOOM_CLAUDE_SMALL_MODEL
        LOOM_CLAUDE_BIN               –                                                 default    where the program of claude is
        LOOM_CLAUDE                   –                                                 default    an older name of LOOM_CLAUDE_BIN
        LOOM_CLAUDE_ARGS              –                                                 default    further arguments for claude
        LOOM_CODEX_MODEL              –                                                 default    the model of codex
        LOOM_CODEX_SMALL_MODEL        –                                                 default    its model for small texts
        LOOM_CODEX_BIN                –                                                 default    where the program of codex is
        LOOM_CODEX_ARGS               –                                                 default    further arguments for codex
        LOOM_GEMINI_MODEL             gemini-2.5-pro                                    default    the model of gemini
        LOOM_GEMINI_SMALL_MODEL       gemini-2.5-flash                                  default    its model for small texts
        LOOM_GEMINI_BIN               –                                                 default    where the program of gemini is
        LOOM_GEMINI_ARGS              –                                                 default    further arguments for gemini
        LOOM_OPENCODE_MODEL           –                                                 default    the model of opencode
        LOOM_OPENCODE_SMALL_MODEL     –                                                 default    its model for small texts
        LOOM_OPENCODE_BIN             –                                                 default    where the program of opencode is
        LOOM_OPENCODE_ARGS            –                                                 default    further arguments for opencode
        LOOM_OPENCODE_WINDOW          –                                                 default    tokens that the model of opencode takes
        LOOM_OPENCODE_URL             –                                                 default    a server of one's own for opencode
        LOOM_COMMAND_BIN              –                                                 default    the program that works as the agent \`command\`
        LOOM_COMMAND_ARGS             –                                                 default    its arguments
        LOOM_SCRIPT                   –                                                 default    the script of the agent \`scripted\`
        LOOM_PASS_ENV                 –                                                 default    variables that programs of agents may see

      sandbox
        LOOM_SANDBOX                  auto                                              default    auto, bubblewrap, container or off
        LOOM_SANDBOX_CMD              –                                                 default    a wrapper of one's own
        LOOM_SANDBOX_IMAGE            –                                                 default    the image of LOOM_SANDBOX=container
        LOOM_SANDBOX_SHOW             –                                                 default    further folders of programs that agents see
        LOOM_ALLOWED_DOMAINS          –                                                 default    hosts that agents may reach in addition to their model
        LOOM_SETUP_DOMAINS            package registries                                default    hosts that set-up commands may reach
        LOOM_SETUP_NETWORK            base                                              default    commit lets set-up reach hosts on agents' work as well
        LOOM_CHECK_DOMAINS            –                                                 default    hosts that checks may reach
        LOOM_MODEL_ALLOW              –                                                 default    further fields of requests to the model
        LOOM_LIMIT_PROCESSES          512                                               default    processes in one sandbox
        LOOM_LIMIT_MEMORY_MB          8192                                              default    memory of one sandbox
        LOOM_LIMIT_FILE_MB            2048                                              default    the largest file of a sandbox
        LOOM_LIMIT_DISK_MB            10240                                             default    what a sandbox may write
        LOOM_LIMIT_CHANGE_FILES       5000                                              default    files that one stage may change
        LOOM_LIMIT_CHANGE_MB          100                                               default    size of the files that one stage may change

      terminal
        LOOM_WINDOW_TITLE             auto                                              default    progress in the title of the terminal: 1, 0 or auto
        LOOM_DEBUG                    –                                                 default    1 shows where something went wrong inside Loom
        LOOM_PROFILE                  –                                                 default    1 or a folder: keeps what took time and processes

      service
        HOST                          127.0.0.1                                         default    the address that \`loom app\` listens on
        PORT                          3000                                              default    where \`loom app\` listens
        LOOM_PORT                     –                                                 default    the same, before PORT
        LOOM_URL                      –                                                 default    how GitHub reaches it
        LOOM_DATA                     ~/.local/state/loom                               default    ledgers, mirrors and work trees of a service
        LOOM_CONCURRENCY              2                                                 default    agents at a time on this machine
        LOOM_LABELS                   –                                                 default    what \`runs_on\` may ask for here
        LOOM_MAX_PER_INSTALLATION     –                                                 default    agents at a time for one account
        LOOM_WORKER                   –                                                 default    the name of this worker; the host's unless set
        LOOM_LEASE_SECS               30                                                default    how long a silent worker keeps its work
        LOOM_SWEEP_SECS               60                                                default    how often lost things are looked for
        LOOM_WRITE_PAUSE_MS           1000                                              default    the pause between writes to GitHub
        LOOM_EVENTS_URL               –                                                 default    where a service reports what happens
        LOOM_EVENTS_SECRET            –                                                 default    what those reports are signed with
        REDIS_URL                     –                                                 default    the Redis that the App and its workers share
        GHE_HOST                      –                                                 default    the name of a GitHub Enterprise server
        GHE_PROTOCOL                  https                                             default    how it is spoken to
        GH_ORG                        –                                                 default    the organisation that owns the App, for the first start
        WEBHOOK_PROXY_URL             –                                                 default    another address for webhooks, for the first start
        LOG_LEVEL                     info                                              default    how much a service logs
        LOG_FORMAT                    pretty                                            default    pretty or json
        LOOM_ENV_FILE                 .env                                              default    the file with the App's own key
        APP_ID                        –                                                 default    the App's number
        PRIVATE_KEY                   –                                                 default    the App's key
        PRIVATE_KEY_PATH              –                                                 default    the file that holds the App's key
        PREVIOUS_PRIVATE_KEY          –                                                 default    the App's key before it was replaced
        PREVIOUS_PRIVATE_KEY_PATH     –                                                 default    the file that holds that key
        WEBHOOK_SECRET                –                                                 default    what GitHub signs webhooks with

      keys
        ANTHROPIC_API_KEY             set                                               your .env  the key of claude, and of opencode
        ANTHROPIC_AUTH_TOKEN          –                                                 default    another key of claude
        CLAUDE_CODE_OAUTH_TOKEN       –                                                 default    the key of claude for a subscription
        OPENAI_API_KEY                –                                                 default    the key of codex, and of opencode
        CODEX_API_KEY                 –                                                 default    another key of codex
        GEMINI_API_KEY                –                                                 default    the key of gemini, and of opencode
        GOOGLE_API_KEY                –                                                 default    another key of gemini
        GOOGLE_GENERATIVE_AI_API_KEY  –                                                 default    a key of opencode
        DEEPSEEK_API_KEY              –                                                 default    a key of opencode
        GROQ_API_KEY                  –                                                 default    a key of opencode
        MISTRAL_API_KEY               –                                                 default    a key of opencode
        OPENROUTER_API_KEY            –                                                 default    a key of opencode
        XAI_API_KEY                   –                                                 default    a key of opencode
        LOOM_OPENCODE_KEY             –                                                 default    the key of LOOM_OPENCODE_URL
        ANTHROPIC_BASE_URL            –                                                 default    another address for claude's model
        OPENAI_BASE_URL               –                                                 default    another address for codex's model
        GOOGLE_GEMINI_BASE_URL        –                                                 default    another address for gemini's model

      Of .env files, the repository's is /tmp/x/repo/.env; yours is /tmp/x/config/.env.
      "
    `);
    expect(stderr).toMatchInlineSnapshot(`
      "loom: The .env of this repository sets LOOM_COMMAND_BIN and LOOM_SANDBOX, which a repository may not decide; they are ignored. Export them, or use your own .env.
      loom: The .env of this repository gives LOOM_HARNESS a value that a repository may not choose; it is ignored.
      loom: Your .env sets LOOM_MAX_RETRY, which Loom does not know; did you mean LOOM_MAX_RETRIES?
      "
    `);
    expect(stdout + stderr).not.toMatch(/verysecret|evil/);
  });

  it("knows which agents there are to disable", async () => {
    const settings = await settingsOf({ ...scene(), exported: { LOOM_DISABLED_AGENTS: "nonsense,coder" } });
    expect(settings.get("LOOM_DISABLED_AGENTS")).toMatchObject({
      value: "coder",
      problem: "LOOM_DISABLED_AGENTS names `nonsense`, but there is no such agent.",
    });
  });

  it("shows the agents that the repository disables besides, and where it says so", async () => {
    const where = scene({ config: "version: 1\nagents: { disabled: [coder, copywriter] }\n" });
    const settings = await settingsOf({ ...where, exported: { LOOM_DISABLED_AGENTS: "tester" } });
    expect(settings.get("LOOM_DISABLED_AGENTS")).toMatchObject({ value: "tester", source: "exported" });
    expect(settings.get("agents.disabled")).toEqual({
      name: "agents.disabled",
      value: "coder,copywriter",
      source: "repository",
      default: null,
    });
    const { stdout } = await loom(where, "settings");
    expect(stdout).toMatch(/agents\.disabled +coder,copywriter +\.github\/loom\.yml +agents that no stage/);
  });

  it("shows what the repository decides about planning and commands, which holds in a terminal too", async () => {
    const config =
      "version: 1\nplanner: { depth: deep, remind_after_hours: 12 }\ncommands: { budget_usd: 0.5 }\n";
    const settings = await settingsOf(scene({ config }));
    const names = [...settings.keys()].filter((name) => /^(?:planner|commands)\./.test(name));
    expect(
      names.map((name) => `${name} ${settings.get(name)?.value} ${settings.get(name)?.source}`),
    ).toMatchInlineSnapshot(`
      [
        "planner.degraded require-approval default",
        "planner.depth deep repository",
        "planner.mode guided default",
        "planner.remind_after_hours 12 repository",
        "planner.default_after_hours 72 default",
        "planner.budget_usd 10 default",
        "commands.budget_usd 0.5 repository",
        "commands.timeout_secs 1800 default",
      ]
    `);
    expect(settings.get("commands.budget_usd")?.default).toBe("2");
    const broken = await settingsOf(scene({ config: "version: 1\nplaner: {}\n" }));
    expect(broken.has("commands.budget_usd")).toBe(false);
  });

  it("shows the App as `loom app` would find it, from the file with its key", async () => {
    const where = scene({
      workspace:
        "APP_ID=123\nPRIVATE_KEY=verysecret1\nWEBHOOK_SECRET=verysecret2\nPORT=4000\nREDIS_URL=redis://x\n",
      user: "LOOM_CONCURRENCY=3\n",
    });
    const names = [
      "APP_ID",
      "PRIVATE_KEY",
      "WEBHOOK_SECRET",
      "PRIVATE_KEY_PATH",
      "PORT",
      "REDIS_URL",
      "LOOM_CONCURRENCY",
    ];
    const shown = async (scene: Scene) => {
      const settings = await settingsOf(scene);
      return names.map((name) => `${name} ${settings.get(name)?.value} ${settings.get(name)?.source}`);
    };
    expect(await shown({ ...where, exported: { LOOM_ENV_FILE: ".env", APP_ID: "", PORT: "5000" } })).toEqual([
      "APP_ID 123 app",
      "PRIVATE_KEY set app",
      "WEBHOOK_SECRET set app",
      "PRIVATE_KEY_PATH null default",
      "PORT 5000 exported",
      "REDIS_URL set app",
      "LOOM_CONCURRENCY 3 user",
    ]);
    const { stdout } = await loom({ ...where, exported: { LOOM_ENV_FILE: ".env" } }, "settings");
    expect(stdout).toMatch(/PRIVATE_KEY +set +App's \.env +the App's key/);
    expect(stdout).not.toContain("verysecret");

    writeFileSync(join(where.root, "app.env"), "APP_ID=456\n");
    expect((await shown({ ...where, exported: { LOOM_ENV_FILE: "app.env" } }))[0]).toBe("APP_ID 456 app");
    // `loom app` does not read the .env of a repository that it merely is started in.
    expect((await shown({ ...where, exported: {} }))[0]).toBe("APP_ID null default");
  });

  it("takes a .env that holds no App for the repository's own affair", async () => {
    const settings = await settingsOf(scene({ workspace: "PORT=4000\nREDIS_URL=redis://x\n" }));
    expect(settings.get("PORT")).toMatchObject({ value: "3000", source: "default" });
    expect(settings.get("REDIS_URL")).toMatchObject({ value: null, source: "default" });
  });

  it("shows no secret to programs either", async () => {
    const where = scene({
      user: "OPENAI_API_KEY=sk-openai-verysecret\nLOOM_CODEX_ARGS=--key sk-openai-verysecret\n",
    });
    const { stdout } = await loom(
      { ...where, exported: { ANTHROPIC_API_KEY: "sk-ant-verysecret1" } },
      "settings",
      "--json",
    );
    expect(stdout).not.toMatch(/verysecret/);
    expect(stdout).toContain('{"name":"ANTHROPIC_API_KEY","value":"set","source":"exported","default":null}');
    expect(stdout).toContain('{"name":"OPENAI_API_KEY","value":"set","source":"user","default":null}');
  });

  it("works outside of a repository, with the .env of the folder", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, ".env"), "LOOM_EFFORT=low\n");
    const settings = await settingsOf({ root: folder, config: join(folder, "none") });
    expect(settings.get("LOOM_EFFORT")).toMatchObject({ value: "low", source: "workspace" });
  });

  it("finds the repository's file from a folder below, and none of that folder's own", async () => {
    const where = scene({ workspace: "LOOM_EFFORT=low\n" });
    const below = join(where.root, "packages", "a");
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, ".env"), "LOOM_EFFORT=high\n");
    const settings = await settingsOf({ ...where, cwd: below });
    expect(settings.get("LOOM_EFFORT")).toMatchObject({ value: "low", source: "workspace" });
  });
});

describe("a .env file that can't be trusted", () => {
  const LEAKED = "LOOM_EFFORT=high\n";

  it("is not followed out of the repository, but a link within it is fine", async () => {
    const where = scene();
    const outside = join(dirname(where.root), "elsewhere");
    writeFileSync(outside, LEAKED);
    symlinkSync(outside, join(where.root, ".env"));
    expect((await settingsOf(where)).get("LOOM_EFFORT")).toMatchObject({ source: "default" });
    const { stderr } = await loom(where, "settings");
    expect(stderr.replaceAll(dirname(where.root), "/tmp/x")).toMatchInlineSnapshot(`
      "loom: /tmp/x/repo/.env is not used: it is a link that leads out of the repository.
      "
    `);

    const inside = scene();
    writeFileSync(join(inside.root, "dev.env"), LEAKED);
    symlinkSync("dev.env", join(inside.root, ".env"));
    expect((await settingsOf(inside)).get("LOOM_EFFORT")).toMatchObject({ source: "workspace" });
  });

  it("is left alone when it is too large, a folder, or no text", async () => {
    const places = [
      scene({ workspace: `${LEAKED}# ${"x".repeat(70_000)}\n` }),
      scene({ workspace: `${LEAKED}A=\0\n` }),
      scene({ user: `${LEAKED}# ${"x".repeat(70_000)}\n` }),
    ];
    const folder = scene();
    mkdirSync(join(folder.root, ".env"));
    const binary = scene();
    writeFileSync(join(binary.root, ".env"), Buffer.from([0x4c, 0xff, 0xfe, 0x0a]));
    const reasons: string[] = [];
    for (const where of [...places, folder, binary]) {
      expect((await settingsOf(where)).get("LOOM_EFFORT")).toMatchObject({ source: "default" });
      reasons.push((await loom(where, "settings")).stderr.replaceAll(dirname(where.root), "/tmp/x"));
    }
    expect(reasons.join("")).toMatchInlineSnapshot(`
      "loom: /tmp/x/repo/.env is not used: it is larger than 64 KB.
      loom: /tmp/x/repo/.env is not used: it is not UTF-8 text.
      loom: /tmp/x/config/.env is not used: it is larger than 64 KB.
      loom: /tmp/x/repo/.env is not used: it is not a file.
      loom: /tmp/x/repo/.env is not used: it is not UTF-8 text.
      "
    `);
  });
});

describe("settings from files", () => {
  it("are what commands work with, and what was ignored is told where agents could start", async () => {
    const mine = join(tempFolder(), "mine");
    const where = scene({
      workspace: "LOOM_TREES=/evil\nLOOM_HARNESS=opencode\n",
      user: `LOOM_TREES=${mine}\n`,
    });
    const { stdout, stderr } = await loom({ ...where, exported: { LOOM_SANDBOX: "off" } }, "doctor");
    expect(stdout).toContain(`✓ work trees      ${mine}\n`);
    expect(stdout).toMatch(/✗ agent opencode/);
    expect(stderr).toMatchInlineSnapshot(`
      "loom: The .env of this repository sets LOOM_TREES, which a repository may not decide; it is ignored. Export it, or use your own .env.
      "
    `);
    expect((await loom(where, "runs")).stderr).toBe("");
  });
});
