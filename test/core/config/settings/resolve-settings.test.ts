import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../../../src/core/config/harness-settings.ts";
import {
  type ResolvedSettings,
  resolveSettings,
} from "../../../../src/core/config/settings/resolve-settings.ts";
import { SETTINGS } from "../../../../src/core/config/settings/setting-table.ts";

const NOTHING = { exported: {}, workspace: {}, user: {} };

function shown({ settings }: ResolvedSettings, name: string): string {
  const one = settings.find((setting) => setting.name === name);
  return one ? `${one.value} (${one.source})${one.problem ? ` ${one.problem}` : ""}` : "unknown";
}

describe("where a setting comes from", () => {
  it("is the process, then the repository's file, then the user's own, then the default", () => {
    const name = "LOOM_MAX_RETRIES";
    const user = { [name]: "3" };
    const workspace = { [name]: "4" };
    const exported = { [name]: "5", PATH: "/bin" };
    expect(shown(resolveSettings(NOTHING), name)).toBe("2 (default)");
    expect(shown(resolveSettings({ ...NOTHING, user }), name)).toBe("3 (user)");
    expect(shown(resolveSettings({ ...NOTHING, workspace, user }), name)).toBe("4 (workspace)");
    const all = resolveSettings({ exported, workspace, user });
    expect(shown(all, name)).toBe("5 (exported)");
    expect(all.env).toEqual(exported);
    expect(resolveSettings({ exported: { PATH: "/bin" }, workspace, user }).env).toEqual({
      PATH: "/bin",
      [name]: "4",
    });
  });

  it("is one of a stronger source also by its older name", () => {
    const sources = {
      exported: { LOOM_MODEL: "sonnet" },
      workspace: { LOOM_CLAUDE_MODEL: "haiku", LOOM_COMMIT_MODEL: "tiny" },
      user: { LOOM_CLAUDE_SMALL_MODEL: "other" },
    };
    const resolved = resolveSettings(sources);
    expect(resolved.env).toEqual({ LOOM_MODEL: "sonnet", LOOM_COMMIT_MODEL: "tiny" });
    expect(resolved.warnings).toEqual([]);
    expect(shown(resolved, "LOOM_CLAUDE_MODEL")).toBe("sonnet (exported)");
    expect(shown(resolved, "LOOM_CLAUDE_SMALL_MODEL")).toBe("tiny (workspace)");
  });

  it("counts an empty text as given, since it means something for lists", () => {
    const resolved = resolveSettings({
      ...NOTHING,
      exported: { LOOM_RETRY_DELAYS: "" },
      user: { LOOM_RETRY_DELAYS: "1" },
    });
    expect(shown(resolved, "LOOM_RETRY_DELAYS")).toBe(" (exported)");
  });
});

describe("what a repository's .env says", () => {
  const workspace = {
    DATABASE_URL: "postgres://app",
    LOOM_MAX_CONCURRENT: "9",
    LOOM_HARNESS: "codex",
    LOOM_CODEX_MODEL: "gpt-5.5",
    LOOM_STATE_DIR: "docs/loom",
    LOOM_CODEX_BIN: "./evil",
    LOOM_CLAUDE: "./evil",
    LOOM_CLAUDE_ARGS: "--evil",
    LOOM_COMMAND_BIN: "./evil",
    LOOM_COMMAND_ARGS: "evil",
    LOOM_SCRIPT: "evil.yml",
    LOOM_SANDBOX: "off",
    LOOM_SANDBOX_CMD: "./evil",
    LOOM_ALLOWED_DOMAINS: "evil.example.com",
    LOOM_SETUP_NETWORK: "commit",
    LOOM_LIMIT_MEMORY_MB: "999999",
    LOOM_CONFIG: "./evil",
    LOOM_PASS_ENV: "SECRET",
    ANTHROPIC_BASE_URL: "https://evil.example.com",
    ANTHROPIC_API_KEY: "sk-of-the-repository",
  };

  it("counts for what is harmless and for nothing else, and what is ignored is told by name", () => {
    const { env, warnings } = resolveSettings({ exported: { HOME: "/home/ada" }, workspace, user: {} });
    expect(env).toEqual({
      HOME: "/home/ada",
      LOOM_MAX_CONCURRENT: "9",
      LOOM_HARNESS: "codex",
      LOOM_CODEX_MODEL: "gpt-5.5",
      LOOM_STATE_DIR: "docs/loom",
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "The .env of this repository sets LOOM_CONFIG, LOOM_CLAUDE, LOOM_CLAUDE_ARGS, LOOM_CODEX_BIN, LOOM_COMMAND_BIN, LOOM_COMMAND_ARGS, LOOM_SCRIPT, LOOM_PASS_ENV, LOOM_SANDBOX, LOOM_SANDBOX_CMD, LOOM_ALLOWED_DOMAINS, LOOM_SETUP_NETWORK, LOOM_LIMIT_MEMORY_MB, ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL, which a repository may not decide; they are ignored. Export them, or use your own .env.",
      ]
    `);
    expect(warnings.join()).not.toMatch(/evil|off|sk-of|postgres/);
  });

  it.each([
    ["LOOM_HARNESS", "command"],
    ["LOOM_HARNESS", "scripted"],
    ["LOOM_HARNESS", "./evil"],
    ["LOOM_FALLBACK", "codex,command"],
    ["LOOM_ROUTES", "work=command"],
    ["LOOM_ROUTES", "work=claude:--evil"],
    ["LOOM_CLAUDE_MODEL", "--evil"],
    ["LOOM_CLAUDE_MODEL", "opus --evil"],
    ["LOOM_OPENCODE_SMALL_MODEL", "$(evil)"],
    ["LOOM_MAX_RETRIES", "101"],
    ["LOOM_MAX_RETRIES", "1000000000"],
    ["LOOM_MAX_CONCURRENT", "100000000"],
    ["LOOM_MAX_CONCURRENT", "0"],
    ["LOOM_TIMEOUT", "1e21"],
    ["LOOM_TIMEOUT", "Infinity"],
    ["LOOM_PLAN_TIMEOUT", "604801"],
    ["LOOM_NO_PROGRESS_SECS", "0"],
    ["LOOM_RETRY_DELAYS", "0,0,0,0,0,0,0,0,0,0,0"],
    ["LOOM_RETRY_BACKOFF", "0,1e9"],
    ["LOOM_MAX_TURNS", "1001"],
  ])("can't give %s the value %s", (name, value) => {
    const { env, warnings } = resolveSettings({ ...NOTHING, workspace: { [name]: value } });
    expect(env).toEqual({});
    expect(warnings).toEqual([
      `The .env of this repository gives ${name} a value that a repository may not choose; it is ignored.`,
    ]);
    expect(resolveSettings({ ...NOTHING, user: { [name]: value } }).env).toEqual({ [name]: value });
  });

  it("may set brakes, and what is no number at all is told as such", () => {
    const brakes = {
      LOOM_MAX_RETRIES: "100",
      LOOM_MAX_CONCURRENT: "1",
      LOOM_TIMEOUT: "604800",
      LOOM_NO_PROGRESS_SECS: "60",
      LOOM_RETRY_DELAYS: "0,600",
      LOOM_RETRY_BACKOFF: "1,2",
      LOOM_MAX_TURNS: "40",
    };
    expect(resolveSettings({ ...NOTHING, workspace: brakes }).env).toEqual(brakes);
    const wrong = resolveSettings({ ...NOTHING, workspace: { LOOM_TIMEOUT: "soon" } });
    expect(wrong.settings.find(({ name }) => name === "LOOM_TIMEOUT")?.problem).toBe(
      "The .env of this repository: LOOM_TIMEOUT=soon is not a number above 0; using 14400.",
    );
  });

  it("never reaches further than the names that a repository may set, whatever it holds", () => {
    const allowed = new Set(
      SETTINGS.filter(({ weakest }) => weakest === "workspace").map(({ name }) => name),
    );
    const name = fc.oneof(
      fc.constantFrom(...SETTINGS.map((one) => one.name)),
      fc.string(),
      fc.constant("__proto__"),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (file: Environment) => {
        const { env, settings, warnings } = resolveSettings({ ...NOTHING, workspace: file });
        expect(Object.keys(env).filter((one) => !allowed.has(one))).toEqual([]);
        expect(settings.length).toBe(SETTINGS.length);
        expect(warnings.every((text) => /^[\x20-\x7e…]*$/.test(text) && text.length < 2_000)).toBe(true);
      }),
    );
  });
});

describe("what the user's own .env says", () => {
  it("may hold keys and programs; a misspelled name is told, and what is none of Loom's is not looked at", () => {
    const { env, warnings } = resolveSettings({
      ...NOTHING,
      user: {
        ANTHROPIC_API_KEY: "sk-mine",
        LOOM_CODEX_BIN: "/opt/codex",
        LOOM_MAX_RETRY: "3",
        LOOM_CONFIG: "/elsewhere",
        AWS_SECRET_ACCESS_KEY: "x",
        PATH: "/evil",
        "LOOM_\u001b[31m": "x",
      },
    });
    expect(env).toEqual({ ANTHROPIC_API_KEY: "sk-mine", LOOM_CODEX_BIN: "/opt/codex" });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "Your .env sets LOOM_CONFIG, which counts only when it is exported; it is ignored.",
        "Your .env sets LOOM_MAX_RETRY, which Loom does not know; did you mean LOOM_MAX_RETRIES?",
        "Your .env sets LOOM_??31m, which Loom does not know.",
      ]
    `);
  });

  it("is told in a few sentences even when it is full of nonsense", () => {
    const user = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`LOOM_${"X".repeat(n % 90)}${n}`, "1"]),
    );
    const { warnings } = resolveSettings({ ...NOTHING, user });
    expect(warnings.length).toBe(6);
    expect(warnings.at(-1)).toMatchInlineSnapshot(`"4995 more such names are not known either."`);
  });
});

describe("a value that is set to nothing", () => {
  it("is none, so that a weaker source or the default counts, for all but lists and what may be done without", () => {
    const exported = {
      LOOM_MAX_RETRIES: "",
      LOOM_EFFORT: " ",
      LOOM_CLAUDE_MODEL: "",
      LOOM_MODEL: "sonnet",
      LOOM_CLAUDE_SMALL_MODEL: "",
      LOOM_SETUP_DOMAINS: "",
      PATH: "",
    };
    const resolved = resolveSettings({ exported, workspace: {}, user: { LOOM_EFFORT: "high" } });
    expect(resolved.env).toEqual({
      PATH: "",
      LOOM_EFFORT: "high",
      LOOM_MODEL: "sonnet",
      LOOM_CLAUDE_SMALL_MODEL: "",
      LOOM_SETUP_DOMAINS: "",
    });
    expect(Object.keys(exported).map((name) => shown(resolved, name))).toEqual([
      "2 (default)",
      "high (user)",
      "sonnet (exported)",
      "sonnet (exported)",
      " (exported)",
      " (exported)",
      "unknown",
    ]);
  });
});

describe("what is shown of a setting", () => {
  it("is what is used, whichever way it is written", () => {
    const exported = {
      LOOM_MAX_RETRIES: "2.7",
      LOOM_EFFORT: "HIGH",
      LOOM_STATE_DIR: "docs/loom/",
      LOOM_FALLBACK: "Codex, gemini",
      LOOM_ROUTES: "review=codex:gpt-5.5@high, work=nobody",
      LOOM_RETRY_DELAYS: " 1, 2",
      LOOM_MAX_TURNS: " 7 ",
    };
    const resolved = resolveSettings({ ...NOTHING, exported });
    expect(Object.keys(exported).map((name) => shown(resolved, name))).toMatchInlineSnapshot(`
      [
        "2 (exported)",
        "high (exported)",
        "docs/loom (exported)",
        "codex,gemini (exported)",
        "review=codex:gpt-5.5@high (exported) LOOM_ROUTES: \`nobody\` in \`work=nobody\` is not a harness; a model of the usual harness is written \`:nobody\`. It is passed over.",
        "1,2 (exported)",
        "7 (exported)",
      ]
    `);
  });

  it("says of every value that is read what is wrong with it", () => {
    const exported = {
      LOOM_SANDBOX: "maybe",
      LOOM_HARNESS: "cloude",
      LOOM_WINDOW_TITLE: "banana",
      LOOM_OPENCODE_WINDOW: "abc",
      LOOM_CONCURRENCY: "0",
      LOOM_LEASE_SECS: "-5",
      LOOM_PORT: "1e3",
    };
    const resolved = resolveSettings({ ...NOTHING, exported });
    expect(Object.keys(exported).map((name) => shown(resolved, name))).toMatchInlineSnapshot(`
      [
        "maybe (exported) LOOM_SANDBOX=maybe is not auto, bubblewrap, container or off; no agent starts with it.",
        "cloude (exported) LOOM_HARNESS=cloude is not claude, codex, gemini, opencode, command or scripted; no run starts with it. Did you mean claude?",
        "auto (default) LOOM_WINDOW_TITLE=banana is not auto, 1 or 0; using auto.",
        "null (default) LOOM_OPENCODE_WINDOW=abc is not a whole number of at least 1; using none.",
        "0 (exported) LOOM_CONCURRENCY is "0". Give a whole number from 1 to 64. A service does not start with it.",
        "-5 (exported) LOOM_LEASE_SECS is "-5". Give a number of seconds from 3 to 3600. A service does not start with it.",
        "1e3 (exported) LOOM_PORT is "1e3". Give a number from 0 to 65535. A service does not start with it.",
      ]
    `);
  });

  it("has nothing of an address that may be a key", () => {
    const exported = {
      LOOM_OPENCODE_URL: "https://user:pw@host.example/v1?api_key=abcd1234efgh&x=1&bare#frag",
      OPENAI_BASE_URL: "https://token@host.example:8443/v1",
      ANTHROPIC_BASE_URL: "https://host.example/a@b/v1",
    };
    const resolved = resolveSettings({ ...NOTHING, exported });
    expect(Object.keys(exported).map((name) => shown(resolved, name))).toMatchInlineSnapshot(`
      [
        "https://[hidden]@host.example/v1?api_key=[hidden]&x=[hidden]&[hidden] (exported)",
        "https://[hidden]@host.example:8443/v1 (exported)",
        "https://host.example/a@b/v1 (exported)",
      ]
    `);
  });

  it("is never a secret", () => {
    const resolved = resolveSettings({
      exported: {
        ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
        LOOM_COMMAND_ARGS: "--token sk-ant-0123456789abcdef",
        OPENAI_BASE_URL: "https://ada:hunter2hunter2@example.com/v1",
        LOOM_OPENCODE_KEY: " ",
        LOOM_TIMEOUT: "sk-ant-0123456789abcdef",
      },
      workspace: {},
      user: { LOOM_EVENTS_SECRET: "shhhhhhhhh" },
    });
    expect(shown(resolved, "ANTHROPIC_API_KEY")).toBe("set (exported)");
    expect(shown(resolved, "LOOM_EVENTS_SECRET")).toBe("set (user)");
    expect(shown(resolved, "LOOM_OPENCODE_KEY")).toBe("null (default)");
    expect(shown(resolved, "LOOM_COMMAND_ARGS")).toBe("--token [secret] (exported)");
    expect(JSON.stringify(resolved.settings)).not.toMatch(/sk-ant|hunter2|shhh/);
  });

  it("is what is used when a value is malformed, with what is wrong beside it", () => {
    const resolved = resolveSettings({
      exported: { LOOM_TIMEOUT: "soon", LOOM_FALLBACK: "codex,chatty", LOOM_CONCURRENCY: "many" },
      workspace: { LOOM_STATE_DIR: "../..", LOOM_EXECUTION_MODE: "fast" },
      user: { LOOM_LIMIT_MEMORY_MB: "lots" },
    });
    const names = [
      ...["LOOM_TIMEOUT", "LOOM_FALLBACK", "LOOM_CONCURRENCY", "LOOM_STATE_DIR"],
      ...["LOOM_EXECUTION_MODE", "LOOM_LIMIT_MEMORY_MB"],
    ];
    expect(names.map((name) => shown(resolved, name))).toMatchInlineSnapshot(`
      [
        "14400 (default) LOOM_TIMEOUT=soon is not a number above 0; using 14400.",
        "codex (exported) LOOM_FALLBACK: \`chatty\` is not a harness. It is passed over.",
        "many (exported) LOOM_CONCURRENCY is "many". Give a whole number from 1 to 64. A service does not start with it.",
        ".loom (default) The .env of this repository: LOOM_STATE_DIR=../.. leads out of the work tree; using .loom.",
        "parallel (default) The .env of this repository: LOOM_EXECUTION_MODE=fast is not parallel, sequential or ask; using parallel.",
        "8192 (default) Your .env: LOOM_LIMIT_MEMORY_MB=lots is not a whole number of at least 1; using 8192.",
      ]
    `);
  });
});
