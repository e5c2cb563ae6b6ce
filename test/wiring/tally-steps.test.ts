import { describe, expect, it } from "vitest";
import { renderProfile } from "../../src/core/report/commands/profile-report.ts";
import type { RunEvent } from "../../src/core/run/events.ts";
import type { Run } from "../../src/core/run/run.ts";
import type { Job } from "../../src/ports/job-queue.ts";
import { createStepTally } from "../../src/wiring/tally-steps.ts";

const JOB: Job = { kind: "stage", run: "r", stage: "a", attempt: 1 };

describe("the steps of a profile", () => {
  const tally = createStepTally();
  const see = (type: RunEvent["type"], now: number, stage = "a", run = "r"): void =>
    tally.see({ kind: "event", event: { type, stage } as RunEvent, run: { id: run } as Run }, now);

  it("begin with an event and end with the next that begins one", () => {
    see("stage-queued", 0);
    see("attempt-started", 1_000);
    tally.programStarted(tally.stepOf(JOB), "git read-tree");
    see("attempt-warned", 1_500);
    see("session-started", 3_000);
    see("session-started", 4_000, "a", "another");
    see("session-ended", 63_000);
    see("attempt-failed", 64_000);
    tally.programStarted(tally.stepOf(JOB), "git read-tree");
    tally.programEnded("git read-tree", 40);
    tally.programEnded("git read-tree", 20);
    tally.jobDone({ kind: "advance", run: "r" }, 12);
    tally.jobDone(JOB, 64_000);
    tally.programStarted(tally.stepOf(null), "bwrap");
    tally.programEnded("bwrap", 100);
    const text = renderProfile({
      elapsedMs: 65_000,
      cpuMs: 1_200,
      peakMb: 99.6,
      steps: tally.rows(),
      programs: tally.programs(),
    });
    expect(text).toMatchInlineSnapshot(`
      "Loom ran for 1m 05s, used 1.2s of CPU time itself and 100 MB of memory at most,
      and started 3 programs.

      step         times    time  longest  programs
      queue            1    1.0s     1.0s  none
      prepare          1    2.0s     2.0s  1: 1 git read-tree
      agent            1  1m 00s   1m 00s  none
      commit           1    1.0s     1.0s  none
      advance job      1    0.0s     0.0s  none
      stage job        0    0.0s     0.0s  1: 1 git read-tree
      beside jobs      0    0.0s     0.0s  1: 1 bwrap

      program        times  time
      bwrap              1  0.1s
      git read-tree      2  0.1s
      "
    `);
  });

  it("shows the four programs that were started most", () => {
    const programs = new Map(["a", "b", "c", "d", "e"].map((name, index) => [name, 9 - index]));
    const steps = [{ step: "prove", times: 1, ms: 1, longestMs: 1, programs }];
    expect(renderProfile({ elapsedMs: 1, cpuMs: 1, peakMb: 1, steps, programs: [] })).toContain(
      "35: 9 a, 8 b, 7 c, 6 d, …",
    );
  });
});
