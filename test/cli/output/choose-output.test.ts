import { describe, expect, it } from "vitest";
import { canDrawLive, chooseOutput } from "../../../src/cli/output/choose-output.ts";
import { formatLocalDay, formatLocalTime } from "../../../src/cli/output/local-time.ts";
import { wantsColor } from "../../../src/cli/output/wants-color.ts";
import { wantsTitle } from "../../../src/cli/output/window-title.ts";
import { aRun } from "../../support/a-run.ts";
import { SmallScreen } from "../../support/small-screen.ts";

const TTY = { isTTY: true };
const PIPE = {};

describe("the output of a run", () => {
  it.each([
    ["a terminal", TTY, { TERM: "xterm-256color" }, true],
    ["a pipe", PIPE, { TERM: "xterm-256color" }, false],
    ["a terminal that can't move its cursor", TTY, { TERM: "dumb" }, false],
    ["a terminal in CI", TTY, { CI: "true" }, false],
    ["a terminal where CI says no", TTY, { CI: "false" }, true],
  ])("for %s", (_what, stream, env, isLive) => {
    expect(canDrawLive(stream, env)).toBe(isLive);
  });

  it("is JSON when asked for, whatever is at the other end", () => {
    const screen = new SmallScreen(80, 24);
    const output = chooseOutput({ stream: screen, json: true, env: {} });
    output.note("Hello.");
    output.close();
    expect(screen.written).toBe('{"type":"notice","text":"Hello."}\n');
  });

  it("is plain lines without escapes for CI on a terminal that wants no colour", () => {
    const screen = new SmallScreen(80, 24);
    const output = chooseOutput({ stream: screen, json: false, env: { CI: "1", NO_COLOR: "1" } });
    const story = aRun([{ id: "build" }])
      .starts("build")
      .passes("build")
      .finishes("completed");
    for (const item of story.items) output.show(item);
    output.finish({ run: story.run, status: "completed", elapsedMs: 1 });
    output.close();
    expect(screen.written).toContain("build  started (attempt 1, scripted)");
    expect(screen.written).not.toContain("\u001b");
  });

  it("leaves no listener behind when a live one is closed", () => {
    const screen = new SmallScreen(80, 24);
    const before = process.listenerCount("exit") + process.listenerCount("SIGCONT");
    chooseOutput({ stream: screen, json: false, env: {} }).close();
    expect(process.listenerCount("exit") + process.listenerCount("SIGCONT")).toBe(before);
    expect(screen.listenerCount("resize")).toBe(0);
  });
});

describe("colour", () => {
  it.each([
    [TTY, {}, true],
    [PIPE, {}, false],
    [TTY, { TERM: "dumb" }, false],
    [TTY, { NO_COLOR: "1" }, false],
    [TTY, { NO_COLOR: "" }, true],
    [PIPE, { FORCE_COLOR: "1" }, true],
    [TTY, { FORCE_COLOR: "0" }, false],
    [PIPE, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ])("for %j with %j: %s", (stream, env, expected) => {
    expect(wantsColor(stream, env)).toBe(expected);
  });
});

describe("the window title", () => {
  it.each([
    [{}, "table", true],
    [{}, "lines", false],
    [{ LOOM_WINDOW_TITLE: "auto" }, "table", true],
    [{ LOOM_WINDOW_TITLE: "0" }, "table", false],
    [{ LOOM_WINDOW_TITLE: "1" }, "lines", true],
  ])("with %j and the %s: %s", (env, shown, expected) => {
    expect(wantsTitle(env, shown === "table")).toBe(expected);
  });

  it("follows the run in plain output too when it is asked for", () => {
    const screen = new SmallScreen(80, 24);
    const output = chooseOutput({ stream: screen, json: false, env: { CI: "1", LOOM_WINDOW_TITLE: "1" } });
    for (const item of aRun([{ id: "build" }])
      .starts("build")
      .passes("build").items)
      output.show(item);
    expect(screen.title).toBe("loom 1/1 calc-3f2a1b");
    output.close();
    expect(screen.title).toBe("bash");
  });
});

describe("local times", () => {
  it("are those of the reader", () => {
    const at = new Date(2026, 0, 31, 9, 4, 5).getTime();
    expect(formatLocalTime(at)).toBe("09:04:05");
    expect(formatLocalDay(at)).toBe("2026-01-31 09:04");
  });
});
