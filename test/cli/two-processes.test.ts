import { describe, expect, it } from "vitest";
import { leftovers, makeProject, NOTHING_LEFT, normalise } from "../scenario/project.ts";
import { isAlive, until } from "../support/living-processes.ts";
import { ending } from "../support/loom-cli.ts";
import { BY_THE_CLOCK } from "../support/quickly.ts";

/** Works forever, with a child in a session of its own. */
const SLEEPER = `
  echo half > half.txt
  setsid sleep 600 & echo $! > "$NOTES/child"
  echo '{"type":"activity","text":"thinking hard"}'
  sleep 600`;

describe("a second process", () => {
  it(
    "is told who drives the run, may look at it, and can cancel it, agents and their children included",
    BY_THE_CLOCK,
    async () => {
      const project = makeProject({
        stages: [{ id: "sleeper" }, { id: "behind", dependencies: ["sleeper"] }],
        agent: SLEEPER,
      });
      const first = project.start("run", "PLAN.md", "--json");
      await first.line((line) => line.type === "activity" && line.text === "thinking hard");
      const child = Number(project.note("child"));
      expect(isAlive(child)).toBe(true);

      const second = await project.loom("run", "PLAN.md");
      expect(second).toMatchObject({ code: 1, stdout: "" });
      expect(second.stderr).toContain(`in process ${first.child.pid}.`);
      expect(normalise(second.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> is going on in process <pid>.
            \`loom status plan-<hash> --live\` shows it, \`loom cancel plan-<hash>\` ends it.
      "
    `);

      const status = await project.ask("status");
      expect(status).toMatchObject({ code: 0, stderr: "" });
      expect(status.stdout).toContain("thinking hard");
      expect(status.stdout).not.toContain("loom resume");
      expect((await project.ask("doctor")).stdout).toContain(`is going on in process ${first.child.pid}`);
      expect((await project.ask("clean", "plan")).code).toBe(1);
      expect((await project.ask("skip", "plan", "sleeper")).stderr).toContain("sleeper is being worked on");
      const skipped = await project.ask("skip", "plan", "behind");
      expect(skipped).toMatchObject({ code: 0, stderr: "" });
      expect(normalise(skipped.stdout)).toMatchInlineSnapshot(`
      "Done: process <pid>, which drives plan-<hash>, takes it up at once.
      "
    `);

      const asked = performance.now();
      const cancelled = await project.loom("cancel", "plan");
      expect(performance.now() - asked).toBeLessThan(10_000);
      expect(cancelled).toMatchObject({ code: 0, stderr: "" });
      expect(normalise(cancelled.stdout)).toMatchInlineSnapshot(`
      "Cancelling plan-<hash>: process <pid> is ending its agents.
      Run plan-<hash> is cancelled.
      "
    `);
      const result = await first.finished;
      expect(result).toMatchObject({ code: 1, stderr: "" });
      expect(ending(result)).toMatchObject({
        status: "cancelled",
        stages: { sleeper: { state: "skipped", merged: null }, behind: { state: "skipped" } },
      });
      expect(isAlive(child)).toBe(false);
      expect(leftovers(project)).toEqual(NOTHING_LEFT);

      const again = await project.loom("run", "PLAN.md");
      expect(again.code).toBe(1);
      expect(normalise(again.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> was cancelled.
            \`loom run PLAN.md --clean\` starts it over.
      "
    `);
    },
  );

  it("can watch a run live until it ends", async () => {
    const project = makeProject({
      stages: [{ id: "only" }],
      agent: 'until [ -e "$NOTES/go" ]; do sleep 0.01; done; echo x > only.txt',
    });
    const first = project.start("run", "PLAN.md", "--json");
    await first.event("session-started");
    const watching = project.start("status", "--live", "--json");
    project.write({ "../go": "" });
    await watching.event("run-finished");
    expect(await watching.finished).toMatchObject({ code: 0, stderr: "" });
    expect(await first.finished).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("Ctrl-C", () => {
  it("puts the work down, ends the agents, and `resume` goes on from it without charging an attempt", async () => {
    const project = makeProject({
      stages: [{ id: "only" }],
      agent: `
        [ -e half.txt ] && { cat half.txt > only.txt; rm half.txt; exit; }
        ${SLEEPER}`,
    });
    const first = project.start("run", "PLAN.md");
    await until(() => (project.note("child") ?? "") !== "", "the agent is at work");
    first.kill("SIGINT");
    const stopped = await first.finished;
    expect(stopped).toMatchObject({ code: 130, stderr: "" });
    expect(
      normalise(stopped.stdout.slice(stopped.stdout.indexOf("Stopping")), project),
    ).toMatchInlineSnapshot(`
      "Stopping: agents are being ended and their work is kept. A second Ctrl-C does not wait for them.
      <time>  only  stopped in attempt 1; its work is kept

      Run plan-<hash> was interrupted after <span>: 0 of 1 stage merged into main. Its state is kept; \`loom resume plan-<hash>\` goes on.

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);
    expect(isAlive(Number(project.note("child")))).toBe(false);
    for (const args of [["status"], ["status", "--live"]])
      expect((await project.ask(...args)).stdout).toContain("No process drives this run; `loom resume plan-");

    const resumed = await project.loom("resume", "--json");
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
    expect(ending(resumed).stages.only).toMatchObject({ state: "completed", attempts: 1 });
    expect(project.read("only.txt")).toBe("half\n");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});
