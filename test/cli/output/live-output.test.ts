import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { createLiveOutput, type LiveOptions } from "../../../src/cli/output/live-output.ts";
import type { Guarded } from "../../../src/cli/output/terminal-guard.ts";
import { aRun, CALCULATOR, START } from "../../support/a-run.ts";
import { SmallScreen } from "../../support/small-screen.ts";
import { steppedTimers } from "../../support/stepped-timers.ts";

function live(size: { columns?: number; rows?: number } = {}, options: Partial<LiveOptions> = {}) {
  const screen = new SmallScreen(size.columns ?? 80, size.rows ?? 24);
  const timers = steppedTimers(START);
  const guards: Guarded[] = [];
  const guard = (guarded: Guarded) => {
    guards.push(guarded);
    return () => {
      guards.length = 0;
    };
  };
  screen.write("$ loom run PLAN.md\n");
  const output = createLiveOutput(screen, {
    color: false,
    title: true,
    measure: stringWidth,
    timers,
    guard,
    ...options,
  });
  return { screen, timers, output, guards };
}

describe("the live output", () => {
  it("draws the run in place and leaves what stood above alone", () => {
    const { screen, timers, output } = live();
    const story = aRun(CALCULATOR.slice(0, 3)).starts("lexer").does("lexer", "Read src/lexer.ts");
    for (const item of story.items) output.show(item);
    timers.pass(0);
    expect(screen.text()).toMatchInlineSnapshot(`
      "$ loom run PLAN.md
      calc-3f2a1b  into main with scripted                                          0s
      ──────────────────────────────   0%  0/3 done · 1 working · 2 waiting

         lvl  stage    state         merged   elapsed  now
      ●    1  lexer    working                     0s  Read src/lexer.ts
      ·    2  parser   waiting                         after lexer
      ·    2  printer  waiting                         after lexer"
    `);
    timers.pass(2000);
    for (const item of story.at(2).passes("lexer").items.slice(-5)) output.show(item);
    timers.pass(100);
    expect(screen.text()).toMatchInlineSnapshot(`
      "$ loom run PLAN.md
      calc-3f2a1b  into main with scripted                                          2s
      ━━━━━━━━━━────────────────────  33%  1/3 done · 2 waiting

         lvl  stage    state         merged   elapsed  now
      ✓    1  lexer    merged        ba4a3f2     2.0s
      ·    2  parser   waiting
      ·    2  printer  waiting"
    `);
    output.close();
  });

  it("draws at most ten times a second, and once a second while nothing happens", () => {
    const { screen, timers, output } = live();
    const story = aRun([{ id: "build" }]).starts("build");
    for (const item of story.items) output.show(item);
    timers.pass(0);
    const before = screen.writes;
    for (let n = 0; n < 100; n += 1) {
      timers.pass(10);
      const at = new Date(timers.now()).toISOString();
      output.show({ kind: "activity", run: story.run.id, stage: "build", attempt: 1, at, text: `step ${n}` });
    }
    expect(screen.writes - before).toBeLessThanOrEqual(11);
    const busy = screen.writes;
    timers.pass(10_000);
    expect(screen.writes - busy).toBeGreaterThanOrEqual(10);
    expect(screen.writes - busy).toBeLessThanOrEqual(11);
    output.close();
  });

  it("writes only the lines that changed", () => {
    const { screen, timers, output } = live();
    for (const item of aRun(CALCULATOR).starts("lexer").items) output.show(item);
    timers.pass(0);
    screen.written = "";
    timers.pass(1000);
    expect(screen.written).toContain("lexer");
    expect(screen.written).not.toContain("parser");
    output.close();
  });

  it("is drawn anew when the window gets narrower or wider", () => {
    const { screen, timers, output } = live();
    for (const item of aRun(CALCULATOR.slice(0, 3)).starts("lexer").items) output.show(item);
    timers.pass(0);
    screen.resize(50, 24);
    timers.pass(100);
    expect(screen.text()).toMatchInlineSnapshot(`
      "$ loom run PLAN.md
      calc-3f2a1b  into main with scripted            0s
      ───────────   0%  0/3 done · 1 working · 2 waiting

         lvl  stage    state      elapsed  now
      ●    1  lexer    working         0s
      ·    2  parser   waiting             after lexer
      ·    2  printer  waiting             after lexer"
    `);
    screen.resize(100, 24);
    timers.pass(100);
    expect(screen.text().split("\n")).toHaveLength(8);
    output.close();
  });

  it("never takes more rows than the window has", () => {
    const { screen, timers, output } = live({ rows: 8 });
    const stages = Array.from({ length: 50 }, (_, n) => ({ id: `stage-${n}` }));
    for (const item of aRun(stages).starts("stage-0").items) output.show(item);
    timers.pass(5000);
    expect(screen.text()).toMatchInlineSnapshot(`
      "$ loom run PLAN.md
      calc-3f2a1b  into main with scripted                                          5s
      ──────────────────────────────   0%  0/50 done · 1 working · 49 waiting

         lvl  stage     state         merged   elapsed  now
      ●    1  stage-0   working                     5s
      ·    1  stage-1   waiting
      … 48 more: 48 waiting"
    `);
    output.close();
  });

  it("puts notes above the table", () => {
    const { screen, timers, output } = live();
    const story = aRun([{ id: "build" }]);
    output.note("The plan has a key that Loom does not know: colour.");
    for (const item of story.items) output.show(item);
    timers.pass(0);
    output.show({ kind: "notice", run: story.run.id, text: "A second \u001b[2Jsentence." });
    expect(screen.text().split("\n").slice(0, 4)).toEqual([
      "$ loom run PLAN.md",
      "The plan has a key that Loom does not know: colour.",
      "A second sentence.",
      expect.stringContaining("calc-3f2a1b  into main"),
    ]);
    output.close();
  });

  it("forgets what an earlier session was doing", () => {
    const { screen, timers, output } = live();
    const story = aRun([{ id: "build" }])
      .starts("build")
      .does("build", "Bash npm test");
    story.fails("build", { kind: "no-change", message: "Nothing.", evidence: null }).starts("build");
    for (const item of story.items) output.show(item);
    timers.pass(0);
    expect(screen.text()).not.toContain("Bash npm test");
    output.close();
  });

  it("never goes back to an older state of the run", () => {
    const { screen, timers, output } = live();
    const story = aRun([{ id: "build" }])
      .starts("build")
      .passes("build");
    for (const item of [...story.items].reverse()) output.show(item);
    timers.pass(1000);
    expect(screen.text()).toContain("1/1 done");
    output.close();
  });

  it("shows a run that is already there before its next event", () => {
    const { screen, timers, output } = live({}, { run: aRun([{ id: "build" }]).run });
    timers.pass(0);
    expect(screen.text()).toContain("0/1 done");
    output.close();
  });

  it("leaves the last frame on the screen, the summary below it, and the terminal as it was", () => {
    const { screen, timers, output, guards } = live({ columns: 70 });
    const story = aRun([{ id: "build" }]).starts("build");
    for (const item of story.items) output.show(item);
    timers.pass(0);
    expect(screen.cursorVisible).toBe(false);
    expect(screen.title).toBe("loom 0/1 calc-3f2a1b");
    story.at(12).passes("build").finishes("completed").records();
    output.finish({ run: story.run, status: "completed", elapsedMs: 12_000 });
    expect(screen.text()).toMatchInlineSnapshot(`
      "$ loom run PLAN.md
      calc-3f2a1b  into main with scripted  completed                    12s
      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 100%  1/1 done

         lvl  stage  state      merged   elapsed  now
      ✓    1  build  merged     abf6ea4      12s

      Run calc-3f2a1b completed in 12s: 1 of 1 stage merged into main.

      Merged, in this order
        1  abf6ea4  build  1 attempt  12s

      Where to look
        git log main           one commit per stage
        .loom/calc-3f2a1b/     plan, progress, history, reports
        loom logs calc-3f2a1b  what the agents wrote"
    `);
    expect(screen.cursorVisible).toBe(true);
    expect(screen.title).toBe("bash");
    expect(timers.pending).toBe(0);
    expect(guards).toHaveLength(0);
    const { writes } = screen;
    output.close();
    output.note("too late");
    for (const item of story.items) output.show(item);
    timers.pass(5000);
    expect(screen.writes).toBe(writes);
  });

  it("gives the terminal back when the process crashes or is suspended, and takes it again after that", () => {
    const { screen, timers, output, guards } = live();
    for (const item of aRun([{ id: "build" }]).starts("build").items) output.show(item);
    timers.pass(0);
    guards[0]?.restore();
    expect([screen.cursorVisible, screen.title]).toEqual([true, "bash"]);
    screen.write("[1]+  Stopped\n$ fg\n");
    guards[0]?.takeBack();
    expect([screen.cursorVisible, screen.title]).toEqual([false, "loom 0/1 calc-3f2a1b"]);
    expect(screen.text().match(/calc-3f2a1b/g)).toHaveLength(2);
    output.close();
  });

  it("waits for a terminal that can't keep up", () => {
    const { screen, timers, output } = live();
    Object.assign(screen, { writableNeedDrain: true });
    for (const item of aRun([{ id: "build" }]).starts("build").items) output.show(item);
    timers.pass(3000);
    expect(screen.text()).toBe("$ loom run PLAN.md");
    Object.assign(screen, { writableNeedDrain: false });
    screen.emit("drain");
    timers.pass(0);
    expect(screen.text()).toContain("build");
    output.close();
  });

  it("goes on without a word when the terminal is gone", () => {
    const { screen, timers, output } = live();
    screen.emit("error", new Error("EIO"));
    const { writes } = screen;
    for (const item of aRun([{ id: "build" }]).starts("build").items) output.show(item);
    timers.pass(3000);
    output.close();
    expect(screen.writes).toBe(writes);
  });
});
