import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, normalise, type Project } from "../scenario/project.ts";
import { ending } from "../support/loom-cli.ts";

const HALF_BROKEN = {
  stages: [
    { id: "fine", acceptance: ["test -f fine.txt"] },
    { id: "broken", dependencies: ["fine"], acceptance: ["echo 1 of 2 tests failed; exit 1"], retries: 0 },
    { id: "behind", dependencies: ["broken"] },
  ],
  agent: 'echo "working on $LOOM_STAGE_ID"; printf "\\033[31mred\\033[0m\\n"; echo x > "$LOOM_STAGE_ID.txt"',
};

async function run(project: Pick<Project, "ask">, ...args: string[]): Promise<string> {
  return ending(await project.ask("run", ...args, "--json")).run;
}

describe("looking at runs", () => {
  it("shows how a run stands, what waits for a person, and what the agents wrote", async () => {
    const project = makeProject(HALF_BROKEN);
    const id = await run(project, "PLAN.md");
    const show = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await project.ask(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return normalise(stdout, project);
    };
    expect(await show("status")).toMatchInlineSnapshot(`
      "plan-<hash>  into main with command  blocked <span>
      ━━━━━━━━━━────────────────────  33%  1/3 done · 2 blocked

         lvl  stage   state                merged   elapsed  now
      ✓    1  fine    merged               <sha> <span>
      ✗    2  broken  blocked <span>  \`echo 1 of 2 tests failed; exit 1\` exited with 1 (expected 0).
      ✗    3  behind  blocked                                It waits for broken, which is blocked.

        broken: \`echo 1 of 2 tests failed; exit 1\` exited with 1 (expected 0).
          The output of the failed checks stands in \`loom logs plan-<hash> broken\`. Give the agent fresh attempts with
          \`loom retry plan-<hash> broken\`, or fix it yourself and go on with \`loom skip plan-<hash> broken\`.
      "
    `);
    expect(await show("runs")).toMatchInlineSnapshot(`
      "run            status   done  into  started           took
      plan-<hash>  blocked   1/3  main  <time> <span>
      "
    `);
    expect(await show("logs", id)).toMatchInlineSnapshot(`
      "Logs of run plan-<hash>:
        fine: merged, \`loom logs plan-<hash> fine\`
        broken: blocked, \`loom logs plan-<hash> broken\`
      "
    `);
    expect(await show("logs", "plan", "broken")).toMatchInlineSnapshot(`
      "== broken, attempt 1 (/tmp/x/repo/.git/loom/runs/plan-<hash>/logs/broken.1.log)
      working on broken
      red

      == The last failure
      \`echo 1 of 2 tests failed; exit 1\` exited with 1 (expected 0).
      $ echo 1 of 2 tests failed; exit 1
      (exited with 1 (expected 0))
      1 of 2 tests failed
      "
    `);
    expect(await show("logs", "plan", "behind")).toMatchInlineSnapshot(`
      "behind has no log: it has not been started yet.

      == The last failure
      It waits for broken, which is blocked.
      "
    `);

    const json = JSON.parse((await project.ask("status", id.slice(0, -2), "--json")).stdout);
    expect(json).toMatchObject({
      run: id,
      status: "blocked",
      stages: { broken: { state: "blocked", failure: { kind: "checks-failed" } } },
    });
    const [line] = (await project.ask("runs", "--json")).stdout.trimEnd().split("\n");
    expect(JSON.parse(line ?? "")).toMatchObject({ run: id, status: "blocked" });
  });

  it("asks for a run that is there, and for enough of its name", async () => {
    const project = makeProject({ stages: [{ id: "only" }] });
    const none = await project.ask("status");
    expect(none).toMatchObject({ code: 1, stdout: "" });
    const empty = await project.ask("runs");
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    project.write({ "PLAN.md": `${project.read("PLAN.md")}\n` });
    project.commit("change the plan");
    await run(project, "PLAN.md");
    project.write({ "PLAN.md": `${project.read("PLAN.md")}\n` });
    project.commit("change the plan again");
    await project.with({ agent: "echo more >> only.txt" }).ask("run", "PLAN.md");

    const answers = [
      none,
      await project.ask("status", "nothing"),
      await project.ask("cancel", "../../etc"),
      await project.ask("logs", "--", "--help"),
      await project.ask("status", "plan"),
      await project.ask("status", ""),
      await project.ask("cancel", "\u200b"),
    ];
    expect(answers.map(({ code }) => code)).toEqual([1, 2, 2, 2, 2, 2, 2]);
    expect(normalise(empty.stdout + answers.map(({ stderr }) => stderr).join(""))).toMatchInlineSnapshot(`
      "No runs yet. \`loom run PLAN.md\` starts one.
      loom: There are no runs in this repository yet.
            \`loom run PLAN.md\` starts one.
      loom: There is no run nothing.
            \`loom runs\` lists the runs of this repository.
      loom: There is no run ../../etc.
            \`loom runs\` lists the runs of this repository.
      loom: There is no run --help.
            \`loom runs\` lists the runs of this repository.
      loom: plan could be plan-<hash> or plan-<hash>.
            Write a little more of it.
      loom: The name of the run is empty.
            \`loom runs\` lists the runs of this repository.
      loom: The name of the run is empty.
            \`loom runs\` lists the runs of this repository.
      "
    `);
    const stage = await project.ask(
      "logs",
      ending(await project.ask("run", "PLAN.md", "--json")).run,
      "nope",
    );
    expect(stage.code).toBe(2);
    expect(normalise(stage.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> has no stage nope.
            \`loom logs plan-<hash>\` lists its stages.
      "
    `);
  });

  it("does not let one damaged run hide the others, and forgets it when asked", async () => {
    const project = makeProject({ stages: [{ id: "only" }] });
    const broken = await run(project, "PLAN.md");
    project.write({ "other/PLAN.md": `${project.read("PLAN.md")}\n` });
    const healthy = await run(project.with({ agent: "echo more >> only.txt" }), "other/PLAN.md");
    const ledger = join(project.root, ".git/loom/runs", broken, "events.jsonl");
    const lines = readFileSync(ledger, "utf8").split("\n");
    writeFileSync(ledger, ["{}", ...lines.slice(1)].join("\n"));

    const listed = await project.ask("runs");
    expect(listed.code).toBe(1);
    expect(listed.stdout).toContain(healthy);
    expect(listed.stderr).toContain(`\`loom clean ${broken}\``);
    expect((await project.ask("status")).stdout).toContain(healthy);
    for (const args of [["status", broken], ["run", "PLAN.md"], ["resume", broken], ["doctor"]]) {
      const { stdout, stderr } = await project.ask(...args);
      expect(stdout + stderr).toContain("damaged");
      expect(stdout + stderr).not.toMatch(/^\s+at /m);
    }
    expect(await project.ask("clean", broken)).toMatchObject({ code: 0, stderr: "" });
    expect(await project.ask("runs")).toMatchObject({ code: 0, stderr: "" });
    // What it merged is still there, so there is nothing to build.
    expect((await project.ask("run", "PLAN.md")).stdout).toContain("already built");
  });

  it("forgets only runs that are over", async () => {
    const project = makeProject(HALF_BROKEN);
    const id = await run(project, "PLAN.md");
    const refused = await project.ask("clean", id);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(normalise(refused.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> is not over: unmerged work would be lost.
            \`loom cancel plan-<hash>\` ends it, \`loom resume plan-<hash>\` goes on.
      "
    `);
    expect(await project.ask("cancel", id)).toMatchObject({ code: 0, stderr: "" });
    expect(await project.ask("clean", id)).toMatchObject({ code: 0, stderr: "" });
    expect((await project.ask("runs")).stdout).toContain("No runs yet");
    expect(project.mergedStages()).toEqual(["fine"]);
  });
});
