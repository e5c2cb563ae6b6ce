import { describe, expect, it } from "vitest";
import { DEFAULTS, PACKAGE_REGISTRIES } from "../../../../src/core/config/defaults.ts";
import { runSettingsSchema } from "../../../../src/core/config/run-settings.ts";
import { chooseHarness, readSettings } from "../../../../src/core/config/settings/settings.ts";
import { type Next, UserError } from "../../../../src/core/errors.ts";

const NO_FLAGS = { harness: null, maxParallel: null };
const NO_PLAN = { maxParallel: null };
const COMMAND = { LOOM_COMMAND_BIN: "agent" };

function nextOf(choose: () => string): Next | null {
  try {
    return choose();
  } catch (error) {
    return error instanceof UserError ? error.next : null;
  }
}

describe("settings of a local run", () => {
  it("have the documented defaults", () => {
    expect(readSettings(COMMAND, NO_FLAGS, NO_PLAN)).toEqual({
      used: new Map(),
      settings: {
        harness: "command",
        harnessWins: false,
        maxParallel: 4,
        retries: 2,
        timeoutSecs: 14_400,
        noProgressSecs: 1_800,
        transientDelaysSecs: [0, 600, 3_600],
        backoffSecs: { base: 30, max: 300 },
        effort: "medium",
        planEffort: "high",
        planTimeoutSecs: 3_600,
        contract: "off",
        maxTurns: null,
        strictness: "normal",
        gateChanges: "ask",
        stateDir: ".loom",
        autoArchive: false,
        fallback: [],
        routes: [],
        network: { agent: [], setup: PACKAGE_REGISTRIES, checks: [] },
        repositoryNetwork: { agent: [], setup: [], checks: [] },
        setupNetwork: "base",
        limits: { processes: 512, memoryMb: 8_192, fileMb: 2_048, diskMb: 10_240 },
        change: { files: 5_000, megabytes: 100 },
      },
      executionMode: "parallel",
      warnings: [],
    });
  });

  it.each([
    ["LOOM_MODEL", DEFAULTS.models.claude.model, "opus"],
    ["LOOM_EFFORT", DEFAULTS.effort, "medium"],
    ["LOOM_PLAN_EFFORT", DEFAULTS.planEffort, "high"],
    ["LOOM_COMMIT_MODEL", DEFAULTS.models.claude.smallModel, "haiku"],
    ["LOOM_NO_PROGRESS_SECS", DEFAULTS.noProgressSecs, 1_800],
    ["LOOM_TIMEOUT", DEFAULTS.timeoutSecs, 14_400],
    ["LOOM_PLAN_TIMEOUT", DEFAULTS.planTimeoutSecs, 3_600],
    ["LOOM_RETRY_DELAYS", DEFAULTS.transientDelaysSecs, [0, 600, 3_600]],
    ["LOOM_WINDOW_TITLE", DEFAULTS.windowTitle, "auto"],
    ["LOOM_SANDBOX", DEFAULTS.sandbox, "auto"],
    ["LOOM_SANDBOX_CMD", DEFAULTS.sandboxCommand, null],
    ["LOOM_AUTO_ARCHIVE", DEFAULTS.autoArchive, false],
    ["LOOM_VALIDATION_STRICTNESS", DEFAULTS.strictness, "normal"],
    ["LOOM_GATE_CHANGES", DEFAULTS.gateChanges, "ask"],
    ["LOOM_STATE_DIR", DEFAULTS.stateDir, ".loom"],
    ["LOOM_EXECUTION_MODE", DEFAULTS.executionMode, "parallel"],
  ])("have the exact default of %s", (_, value, expected) => {
    expect(value).toEqual(expected);
  });

  it("are read from every variable, in a form that a ledger keeps", () => {
    const { settings, warnings } = readSettings(
      {
        LOOM_HARNESS: "codex",
        LOOM_FALLBACK: "claude, gemini,claude",
        LOOM_EFFORT: "HIGH",
        LOOM_PLAN_EFFORT: "low",
        LOOM_PLAN_TIMEOUT: "60",
        LOOM_CONTRACT: "enforce",
        LOOM_MAX_TURNS: "40",
        LOOM_ROUTES: "review=claude:opus@high",
        LOOM_ALLOWED_DOMAINS: "Docs.example.com *.example.org,example.net:8443",
        LOOM_SETUP_DOMAINS: "",
        LOOM_SETUP_NETWORK: "Commit",
        LOOM_CHECK_DOMAINS: "api.example.com",
        LOOM_LIMIT_PROCESSES: "64",
        LOOM_LIMIT_MEMORY_MB: "1024",
        LOOM_LIMIT_FILE_MB: "10",
        LOOM_LIMIT_DISK_MB: "100",
        LOOM_VALIDATION_STRICTNESS: "Strict",
        LOOM_STATE_DIR: "./docs/loom/",
        LOOM_AUTO_ARCHIVE: "TRUE",
      },
      NO_FLAGS,
      NO_PLAN,
    );
    expect(warnings).toEqual([]);
    expect(settings).toMatchObject({
      harness: "codex",
      setupNetwork: "commit",
      fallback: ["claude", "gemini"],
      effort: "high",
      planEffort: "low",
      planTimeoutSecs: 60,
      contract: "enforce",
      maxTurns: 40,
      routes: [{ role: "review", tier: "*", harness: "claude", model: "opus", effort: "high" }],
      network: {
        agent: ["docs.example.com", "*.example.org", "example.net:8443"],
        setup: [],
        checks: ["api.example.com"],
      },
      limits: { processes: 64, memoryMb: 1_024, fileMb: 10, diskMb: 100 },
      strictness: "strict",
      stateDir: "docs/loom",
      autoArchive: true,
    });
    expect(runSettingsSchema.parse(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
  });

  it("let flags win over the plan, and the plan over the environment", () => {
    const env = { ...COMMAND, LOOM_MAX_CONCURRENT: "7" };
    expect(readSettings(env, NO_FLAGS, NO_PLAN).settings.maxParallel).toBe(7);
    expect(readSettings(env, NO_FLAGS, { maxParallel: 3 }).settings.maxParallel).toBe(3);
    expect(
      readSettings(env, { harness: "scripted", maxParallel: 2 }, { maxParallel: 3 }).settings,
    ).toMatchObject({
      maxParallel: 2,
      harness: "scripted",
      harnessWins: true,
    });
  });

  it("read zero as no limit on parallel stages", () => {
    expect(
      readSettings({ ...COMMAND, LOOM_MAX_CONCURRENT: "0" }, NO_FLAGS, NO_PLAN).settings.maxParallel,
    ).toBe(10_000);
  });

  it("let one agent work at a time where the mode is sequential, unless a flag says otherwise", () => {
    const env = { ...COMMAND, LOOM_EXECUTION_MODE: "sequential", LOOM_MAX_CONCURRENT: "7" };
    expect(readSettings(env, NO_FLAGS, { maxParallel: 3 })).toMatchObject({
      settings: { maxParallel: 1 },
      executionMode: "sequential",
    });
    expect(readSettings(env, { harness: null, maxParallel: 2 }, NO_PLAN).settings.maxParallel).toBe(2);
    const asking = readSettings({ ...env, LOOM_EXECUTION_MODE: "ask" }, NO_FLAGS, NO_PLAN);
    expect([asking.executionMode, asking.settings.maxParallel]).toEqual(["ask", 7]);
  });

  it("keep the usual folder for documents when the one that is named can't be used", () => {
    const { settings, warnings } = readSettings(
      { ...COMMAND, LOOM_STATE_DIR: "../out", LOOM_AUTO_ARCHIVE: "soon", LOOM_VALIDATION_STRICTNESS: "hard" },
      NO_FLAGS,
      NO_PLAN,
    );
    expect(settings).toMatchObject({ stateDir: ".loom", autoArchive: false, strictness: "normal" });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "LOOM_VALIDATION_STRICTNESS=hard is not strict, normal or lenient; using normal.",
        "LOOM_STATE_DIR=../out leads out of the work tree; using .loom.",
        "LOOM_AUTO_ARCHIVE=soon is not true or false; using false.",
      ]
    `);
  });

  it("turn transient retries off with an empty list", () => {
    expect(
      readSettings({ ...COMMAND, LOOM_RETRY_DELAYS: "" }, NO_FLAGS, NO_PLAN).settings.transientDelaysSecs,
    ).toEqual([]);
  });

  it("fall back with a warning when a variable is malformed", () => {
    const { settings, warnings } = readSettings(
      { ...COMMAND, LOOM_RETRY_DELAYS: "0,soon", LOOM_TIMEOUT: "-1", LOOM_NO_PROGRESS_SECS: "x" },
      NO_FLAGS,
      NO_PLAN,
    );
    expect(settings).toMatchObject({
      transientDelaysSecs: [0, 600, 3_600],
      timeoutSecs: 14_400,
      noProgressSecs: 1_800,
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "LOOM_TIMEOUT=-1 is not a number above 0; using 14400.",
        "LOOM_NO_PROGRESS_SECS=x is not a number of at least 0; using 1800.",
        "LOOM_RETRY_DELAYS=0,soon is not a list of seconds such as 0,600,3600; using 0,600,3600.",
      ]
    `);
  });

  it("fall back with a warning where a number is beyond all sense, whoever wrote it", () => {
    const { settings, warnings } = readSettings(
      {
        ...COMMAND,
        LOOM_MAX_RETRIES: "1000000000",
        LOOM_MAX_CONCURRENT: "100000000",
        LOOM_TIMEOUT: "1e21",
        LOOM_NO_PROGRESS_SECS: "Infinity",
        LOOM_RETRY_DELAYS: Array(101).fill(0).join(","),
        LOOM_RETRY_BACKOFF: "0,1e9",
        LOOM_MAX_TURNS: "1e9",
      },
      NO_FLAGS,
      NO_PLAN,
    );
    expect(settings).toMatchObject({
      retries: 2,
      maxParallel: 4,
      timeoutSecs: 14_400,
      noProgressSecs: 1_800,
      transientDelaysSecs: [0, 600, 3_600],
      backoffSecs: { base: 30, max: 300 },
      maxTurns: null,
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "LOOM_RETRY_BACKOFF=0,1e9 is more than 604800 seconds; using 30,300.",
        "LOOM_MAX_CONCURRENT=100000000 is more than 10000; using 4.",
        "LOOM_MAX_RETRIES=1000000000 is more than 10000; using 2.",
        "LOOM_TIMEOUT=1e21 is more than 604800; using 14400.",
        "LOOM_NO_PROGRESS_SECS=Infinity is more than 604800; using 1800.",
        "LOOM_RETRY_DELAYS=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,… is a list of more than 100; using 0,600,3600.",
        "LOOM_MAX_TURNS=1e9 is more than 1000000; using none.",
      ]
    `);
  });

  it("keep what is right of a list and tell what is not", () => {
    const { settings, warnings } = readSettings(
      {
        ...COMMAND,
        LOOM_FALLBACK: "claud,gemini",
        LOOM_EFFORT: "heroic",
        LOOM_CONTRACT: "maybe",
        LOOM_MAX_TURNS: "0",
        LOOM_ROUTES: "work=claude, cook=claude",
        LOOM_ALLOWED_DOMAINS: "https://example.com/x a.example.com",
        LOOM_SETUP_DOMAINS: "pack ages.example.com:99999",
        LOOM_LIMIT_MEMORY_MB: "2.5",
        LOOM_PLAN_TIMEOUT: "",
      },
      NO_FLAGS,
      NO_PLAN,
    );
    expect(settings).toMatchObject({
      fallback: ["gemini"],
      effort: "medium",
      contract: "off",
      maxTurns: null,
      routes: [{ role: "work", harness: "claude" }],
      network: { agent: ["a.example.com"], setup: ["pack"], checks: [] },
      limits: { memoryMb: 8_192 },
      planTimeoutSecs: 3_600,
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "LOOM_EFFORT=heroic is not low, medium or high; using medium.",
        "LOOM_CONTRACT=maybe is not off, warn or enforce; using off.",
        "LOOM_MAX_TURNS=0 is not a whole number of at least 1; using none.",
        "LOOM_FALLBACK: \`claud\` is not a harness. It is passed over.",
        "LOOM_ROUTES: \`cook\` is not a role, there are \`work\`, \`review\`, \`conflict\`, \`investigate\`, \`planning\`, \`small\` and \`*\`. It is passed over.",
        "LOOM_ALLOWED_DOMAINS: "https://example.com/x" is an address; write the host alone, such as \`example.org\`. It is passed over.",
        "LOOM_SETUP_DOMAINS: "ages.example.com:99999" has no usable port; ports are numbers from 1 to 65535. It is passed over.",
        "LOOM_LIMIT_MEMORY_MB=2.5 is not a whole number of at least 1; using 8192.",
      ]
    `);
  });

  it("say what to do when no agent is chosen", () => {
    expect(() => readSettings({}, NO_FLAGS, NO_PLAN)).toThrowErrorMatchingInlineSnapshot(
      `[UserError: No agent is chosen.]`,
    );
    expect(nextOf(() => chooseHarness({}))).toMatchInlineSnapshot(
      `"Set LOOM_HARNESS to claude, codex, gemini or opencode; or LOOM_COMMAND_BIN to a program that works in the current folder and reads its task from standard input, or LOOM_SCRIPT to a script for the scripted agent (\`npm run demo\` shows one)."`,
    );
  });

  it("take the harness that is named, else the one that is set up", () => {
    const env = { ...COMMAND, LOOM_SCRIPT: "x.yml" };
    expect(chooseHarness({ ...env, LOOM_HARNESS: "claude" })).toBe("claude");
    expect(chooseHarness(env)).toBe("command");
    expect(chooseHarness({ LOOM_SCRIPT: "x.yml" })).toBe("scripted");
  });
});
