import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/core/config/settings.ts";

const NO_FLAGS = { harness: null, maxParallel: null };
const NO_PLAN = { maxParallel: null };
const COMMAND = { LOOM_COMMAND_BIN: "agent" };

describe("settings of a local run", () => {
  it("have the documented defaults", () => {
    expect(readSettings(COMMAND, NO_FLAGS, NO_PLAN)).toEqual({
      settings: {
        harness: "command",
        harnessWins: false,
        maxParallel: 4,
        retries: 2,
        timeoutSecs: 14_400,
        noProgressSecs: 1_800,
        transientDelaysSecs: [0, 600, 3_600],
        backoffSecs: { base: 30, max: 300 },
      },
      warnings: [],
    });
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
        "LOOM_TIMEOUT=-1 is not a number of at least 0.001; using 14400.",
        "LOOM_NO_PROGRESS_SECS=x is not a number of at least 0; using 1800.",
        "LOOM_RETRY_DELAYS=0,soon is not a list of seconds such as 0,600,3600; using 0,600,3600.",
      ]
    `);
  });

  it("say what to do when no agent is chosen", () => {
    expect(() => readSettings({}, NO_FLAGS, NO_PLAN)).toThrowErrorMatchingInlineSnapshot(
      `[UserError: No agent is chosen.]`,
    );
  });
});
