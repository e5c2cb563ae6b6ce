import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../support/git-repo.ts";
import { ending } from "../support/loom-cli.ts";
import { leftovers, makeProject, NOTHING_LEFT, normalise, type Project } from "./project.ts";

/** Each agent leaves a note, so that a test can count them; what it writes differs every time. */
const COUNTED = 'echo "$LOOM_STAGE_ID" >> "$NOTES/started"; wc -l < "$NOTES/started" > "$LOOM_STAGE_ID.txt"';

async function makeBuilt(): Promise<Project> {
  const project = makeProject({ stages: [{ id: "only" }], agent: COUNTED });
  expect((await project.ask("run", "PLAN.md")).code).toBe(0);
  return project;
}

const started = (project: Project): number => project.note("started")?.trim().split("\n").length ?? 0;

describe("a plan that was run before", () => {
  it("is said to be built already, under another name and without an agent too", async () => {
    const project = await makeBuilt();
    const tip = project.sha("main");
    const again = await project.ask("run", "PLAN.md");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(normalise(again.stdout)).toMatchInlineSnapshot(`
      "This plan is already built: its stage is in main (run plan-<hash>). \`loom run PLAN.md --clean\` starts it over.
      "
    `);

    project.write({ "docs/OTHER.md": project.read("PLAN.md") });
    const renamed = await project.with({ agent: undefined }).loom("run", "docs/OTHER.md", "--json");
    expect(renamed).toMatchObject({ code: 0, stderr: "" });
    expect(renamed.lines[0]).toMatchObject({
      type: "notice",
      text: expect.stringContaining("already built"),
    });
    expect(ending(renamed)).toMatchObject({
      type: "run-finished",
      status: "completed",
      stages: { only: { state: "completed", attempts: 1 } },
    });

    expect(started(project)).toBe(1);
    expect(project.sha("main")).toBe(tip);
  });

  it("is said to be built already in a fresh clone, whatever the file is called there", async () => {
    const project = await makeBuilt();
    git(project.notes, "clone", "-q", project.root, "clone");
    const clone = join(project.notes, "clone");
    const there = project.with({ cwd: clone });
    const again = await there.ask("run", "PLAN.md");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(normalise(again.stdout)).toMatchInlineSnapshot(`
      "This plan is already built: main holds .loom/plan-<hash>/. \`loom run PLAN.md --clean\` starts it over.
      "
    `);

    git(clone, "mv", "PLAN.md", "OTHER.md");
    git(clone, "-c", "user.name=P", "-c", "user.email=p@e", "commit", "-qm", "rename");
    const renamed = await there.loom("run", "OTHER.md", "--json");
    expect(renamed).toMatchObject({ code: 0, stderr: "" });
    expect(ending(renamed)).toMatchObject({ status: "completed", stages: { only: { attempts: 1 } } });
    expect(started(project)).toBe(1);
  });

  it("is built again with --clean, and the earlier commits stay", async () => {
    const project = await makeBuilt();
    const first = project.sha("main");
    const again = await project.loom("run", "PLAN.md", "--clean");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(started(project)).toBe(2);
    expect(project.read("only.txt").trim()).toBe("2");
    expect(project.mergedStages()).toEqual(["only", "only"]);
    expect(project.git("merge-base", "--is-ancestor", first, "main")).toBe("");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
    expect((await project.ask("run", "PLAN.md")).stdout).toContain("already built");
  });

  it("says that its commits are gone when the branch was reset to before the run", async () => {
    const project = await makeBuilt();
    project.git("reset", "-q", "--hard", "HEAD~2");
    const again = await project.ask("run", "PLAN.md");
    expect(again.code).toBe(1);
    expect(normalise(again.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> was completed, but its commits are no longer in main.
            \`loom run PLAN.md --clean\` starts it over.
      "
    `);
    expect(started(project)).toBe(1);
    expect((await project.loom("run", "PLAN.md", "--clean")).code).toBe(0);
    expect(project.mergedStages()).toEqual(["only"]);
  });

  it("keeps the branch that it was started for", async () => {
    const project = await makeBuilt();
    const other = await project.ask("run", "PLAN.md", "--into", "other");
    expect(other.code).toBe(2);
    expect(normalise(other.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> merges into main, not into other.
            Leave out --into or say --into main to go on; --clean starts over with another target.
      "
    `);
    expect(project.git("branch", "--list", "other")).toBe("");
    expect((await project.ask("run", "PLAN.md", "--into", "main")).code).toBe(0);
  });
});
