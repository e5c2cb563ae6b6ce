import { describe, expect, it } from "vitest";
import { ending } from "../support/loom-cli.ts";
import { leftovers, makeProject, NOTHING_LEFT, normalise } from "./project.ts";

describe("a stage that does not get through at first", () => {
  it("is told what failed and what it has changed already, on standard input and in a file alike", async () => {
    const project = makeProject({
      stages: [{ id: "sum", acceptance: ["cat sum.txt; echo 'the sum is off' >&2; grep -q 4 sum.txt"] }],
      agent: `
        cat > "$NOTES/stdin-$LOOM_ATTEMPT"
        cp "$LOOM_PROMPT" "$NOTES/file-$LOOM_ATTEMPT"
        ls > "$NOTES/tree-$LOOM_ATTEMPT"
        if [ "$LOOM_ATTEMPT" = 1 ]; then echo 5 > sum.txt; else sed -i s/5/4/ sum.txt; fi`,
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.code).toBe(0);
    expect(ending(result).stages.sum).toMatchObject({ state: "completed", attempts: 2 });

    const second = project.note("stdin-2") ?? "";
    expect(second).toBe(project.note("file-2"));
    expect(project.note("stdin-1")).toBe(project.note("file-1"));
    expect(second).toContain("the sum is off");
    expect(second).toContain("+5");
    expect(project.note("stdin-1")).not.toContain("Already changed");
    // The tree of the second attempt starts with the work of the first.
    expect(project.note("tree-1")).not.toContain("sum.txt");
    expect(project.note("tree-2")).toContain("sum.txt");
    expect(
      project.git("log", "--format=%(trailers:key=Loom-Attempt,valueonly,separator=)", "--grep=Loom-Stage"),
    ).toBe("2");
    expect(project.read("sum.txt")).toBe("4\n");
  });

  it("fails when the agent ends well but changes nothing (F28)", async () => {
    const project = makeProject({ stages: [{ id: "idle", retries: 0 }], agent: "echo all done" });
    const result = await project.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(project.mergedStages()).toEqual([]);
    expect(normalise(result.stdout, project)).toMatchInlineSnapshot(`
      "PLAN.md has 1 warning; \`loom plan check PLAN.md\` shows it.
      <time>  Run plan-<hash>: 1 stage into main with command, 4 at a time.
      <time>  idle  started (attempt 1, command)
      <time>  idle  attempt 1 failed: The agent ended without an error but changed nothing
      <time>  idle  blocked after 1 attempt
      <time>  Run plan-<hash> blocked: 0 of 1 stage merged into main in <span>.

      Run plan-<hash> is blocked after <span>: 0 of 1 stage merged into main; the rest needs you.

      Blocked
        idle: The agent ended without an error but changed nothing.
          If there is nothing to do, go on with \`loom skip plan-<hash> idle\`. Otherwise read \`loom logs plan-<hash> idle\` and try again with \`loom retry plan-<hash> idle\`.

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);
  });

  it("is a person's at once when its agent can't change files, and starts from what they fixed", async () => {
    const project = makeProject({
      stages: [
        {
          id: "read",
          agent: "code-reviewer",
          stage_type: "code-review",
          acceptance: ["test -e fixed.txt"],
        },
      ],
      agent: `
        echo "$LOOM_ATTEMPT" >> "$NOTES/sessions"
        cp "$LOOM_PROMPT" "$NOTES/prompt-$LOOM_ATTEMPT"`,
    });
    const result = await project.loom("run", "PLAN.md");
    expect(result).toMatchObject({ code: 1, stderr: "" });
    expect(project.note("sessions")).toBe("1\n");
    expect(normalise(result.stdout, project)).toMatchInlineSnapshot(`
      "<time>  Run plan-<hash>: 1 stage into main with command, 4 at a time.
      <time>  read  started (attempt 1, command)
      <time>  read  changed 0 files, verifying <sha>
      <time>  read  attempt 1 failed: \`test -e fixed.txt\` exited with 1 (expected 0). \`code-reviewer\` can't change files, so another session of it would end the same way. Fix it by hand or in a new stage, then retry this one
      <time>  read  blocked after 1 attempt
      <time>  Run plan-<hash> blocked: 0 of 1 stage merged into main in <span>.

      Run plan-<hash> is blocked after <span>: 0 of 1 stage merged into main; the rest needs you.

      Blocked
        read: \`test -e fixed.txt\` exited with 1 (expected 0). \`code-reviewer\` can't change files, so another session of it would end the same way. Fix it by hand or in a new stage, then retry this one.
          The output of the failed checks stands in \`loom logs plan-<hash> read\`. When they hold on the target branch, \`loom retry plan-<hash> read\` lets the agent look again; \`loom skip plan-<hash> read\` goes on without it.

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);

    project.write({ "fixed.txt": "x\n" });
    project.commit("Fix it by hand");
    const again = await project.loom("retry", "plan", "read", "--json");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(ending(again).stages.read).toMatchObject({ state: "completed", attempts: 2 });
    expect(project.note("sessions")).toBe("1\n2\n");
    expect(project.note("prompt-2")).not.toContain("Why the last attempt did not get through");
    expect(project.has("fixed.txt")).toBe(true);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("blocks what depends on it when its attempts are used up, while the rest is merged", async () => {
    const project = makeProject({
      stages: [
        { id: "broken", retries: 1 },
        { id: "behind", dependencies: ["broken"] },
        { id: "far-behind", dependencies: ["behind"] },
        { id: "apart" },
      ],
      agent: `
        echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$NOTES/started"
        [ "$LOOM_STAGE_ID" = broken ] && [ ! -e "$NOTES/fixed" ] && { echo 'no compiler here' >&2; exit 3; }
        echo x > "$LOOM_STAGE_ID.txt"`,
    });
    const result = await project.loom("run", "PLAN.md");
    expect(result).toMatchObject({ code: 1, stderr: "" });
    expect(project.mergedStages()).toEqual(["apart"]);
    expect(project.note("started")?.trim().split("\n").sort()).toEqual(["apart 1", "broken 1", "broken 2"]);
    const summary = result.stdout.slice(result.stdout.indexOf("\n\n"));
    expect(normalise(summary, project)).toMatchInlineSnapshot(`
      "

      Run plan-<hash> is blocked after <span>: 1 of 4 stages merged into main; the rest needs you.

      Merged, in this order
        1  <sha>  apart  1 attempt <span>

      Blocked
        broken: The agent ended with exit code 3.
          See what the agent wrote with \`loom logs plan-<hash> broken\`. Give it fresh attempts with \`loom retry plan-<hash> broken\`, or do the work yourself and go on with \`loom skip plan-<hash> broken\`.
        Waiting behind: behind, far-behind

      Where to look
        git log main               one commit per stage
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);

    // Running the plan again does not repeat what a person has to look at first.
    const again = await project.ask("run", "PLAN.md", "--json");
    expect(again.code).toBe(1);
    expect(ending(again).status).toBe("blocked");
    expect(project.note("started")?.trim().split("\n")).toHaveLength(3);

    // Once the cause is gone, `retry` completes the run.
    project.write({ "../fixed": "" });
    const retried = await project.loom("retry", "plan", "broken", "--json");
    expect(retried).toMatchObject({ code: 0, stderr: "" });
    expect(ending(retried)).toMatchObject({
      status: "completed",
      stages: { broken: { state: "completed", attempts: 3 }, "far-behind": { state: "completed" } },
    });
    expect(project.mergedStages()).toEqual(["apart", "broken", "behind", "far-behind"]);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("can be skipped, and what depends on it goes on", async () => {
    const project = makeProject({
      stages: [
        { id: "broken", retries: 0 },
        { id: "behind", dependencies: ["broken"] },
      ],
      agent: '[ "$LOOM_STAGE_ID" = broken ] && exit 1; echo x > "$LOOM_STAGE_ID.txt"',
    });
    expect((await project.ask("run", "PLAN.md")).code).toBe(1);
    const skipped = await project.loom("skip", "plan", "broken", "--json");
    expect(skipped).toMatchObject({ code: 0, stderr: "" });
    expect(ending(skipped)).toMatchObject({
      status: "completed",
      stages: { broken: { state: "skipped", merged: null }, behind: { state: "completed" } },
    });
    expect(project.mergedStages()).toEqual(["behind"]);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);

    const late = await project.ask("retry", "plan", "broken");
    expect(late.code).toBe(1);
    expect(normalise(late.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> is completed.
      "
    `);
  });

  it("ends the run at once when the plan calls it critical", async () => {
    const project = makeProject({
      stages: [{ id: "heart", critical: true, retries: 0 }, { id: "slow" }],
      // The other stage waits for something that never comes: only Loom ends it.
      agent:
        '[ "$LOOM_STAGE_ID" = heart ] && { until [ -e "$NOTES/slow" ]; do sleep 0.01; done; exit 1; }; touch "$NOTES/slow"; sleep 600',
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.code).toBe(1);
    expect(ending(result)).toMatchObject({
      status: "failed",
      stages: { heart: { state: "blocked" }, slow: { state: "blocked", merged: null } },
    });
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("runs its set-up before the agent and before the checks, and says which command failed", async () => {
    const project = makeProject({
      stages: [{ id: "build", setup: ["echo ready > .ready"], acceptance: ["test -f .ready"], retries: 0 }],
      files: { ".gitignore": ".ready\n" },
      agent: 'cat .ready > "$NOTES/seen"; echo x > built.txt',
    });
    expect((await project.loom("run", "PLAN.md")).code).toBe(0);
    expect(project.note("seen")).toBe("ready\n");

    const broken = makeProject({ stages: [{ id: "build", setup: ["no-such-tool install"], retries: 0 }] });
    const result = await broken.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(result.stdout).toContain("The set-up command `no-such-tool install` exited with 127");
  });
});
