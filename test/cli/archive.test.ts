import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, normalise, type Project } from "../scenario/project.ts";
import { ending } from "../support/loom-cli.ts";

async function run(project: Pick<Project, "ask">): Promise<string> {
  return ending(await project.ask("run", "PLAN.md", "--json")).run;
}

const ONE = { stages: [{ id: "one", acceptance: ["test -f one.txt"] }] };

describe("loom archive", () => {
  it("archives a run: out of the lists, with its ledger kept", async () => {
    const project = makeProject(ONE);
    const id = await run(project);
    const show = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await project.ask(...args);
      return `${normalise(stdout + stderr, project)}=> ${code}`;
    };
    const logs = join(project.root, ".git", "loom", "runs", id, "logs");
    expect(existsSync(logs)).toBe(true);
    expect(await show("archive", "plan")).toMatchInlineSnapshot(`
      "Archived plan-<hash>. What it merged stays, and \`loom report plan-<hash>\` still shows it.
      => 0"
    `);
    expect(existsSync(logs)).toBe(false);
    expect(project.git("for-each-ref", "refs/heads/loom", "refs/loom-published")).toBe("");
    expect(project.has(`.loom/${id}/PROGRESS.md`)).toBe(true);

    expect(await show("runs")).toMatchInlineSnapshot(`
      "1 run is archived; \`loom runs --all\` lists it too.
      => 0"
    `);
    expect(await show("runs", "--all")).toMatchInlineSnapshot(`
      "run            status               done  into  started           took
      plan-<hash>  completed, archived   1/1  main  <time> <span>
      => 0"
    `);
    expect(await show("status")).toMatchInlineSnapshot(`
      "loom: All runs of this repository are archived.
            \`loom status --all\` shows the newest, \`loom runs --all\` lists them.
      => 1"
    `);
    expect(await show("status", "--all")).toContain("plan-<hash>  into main");
    expect(await show("status", id)).toContain("plan-<hash>  into main");
    expect((await project.ask("runs", "--json")).stdout).toBe("");
    expect(JSON.parse((await project.ask("runs", "--json", "--all")).stdout)).toMatchObject({
      run: id,
      archived: true,
    });
    expect(await show("archive", "plan")).toMatchInlineSnapshot(`
      "The run plan-<hash> is already archived.
      => 0"
    `);
    expect(await show("run", "PLAN.md")).toContain("This plan is already built");

    const page = join(project.notes, "report.html");
    await project.ask("report", id, "--out", page);
    expect(readFileSync(page, "utf8")).toContain(id);
  });

  it("refuses a run that is not over, and knows no run that there is not", async () => {
    const project = makeProject({ stages: [{ id: "one", retries: 0 }], agent: "exit 1" });
    const id = await run(project);
    const refused = await project.ask("archive", id);
    expect(refused.code).toBe(1);
    expect(normalise(refused.stderr, project)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> is not over: unmerged work would be lost.
            \`loom cancel plan-<hash>\` ends it, \`loom resume plan-<hash>\` goes on.
      "
    `);
    expect((await project.ask("archive", "other")).code).toBe(2);
    await project.ask("cancel", id);
    expect((await project.ask("archive", id)).code).toBe(0);
    expect((await project.ask("runs", "--json")).stdout).toBe("");
  });

  it("goes by itself where LOOM_AUTO_ARCHIVE says so, and only when all is done", async () => {
    const env = { LOOM_AUTO_ARCHIVE: "true" };
    const project = makeProject({ ...ONE, env });
    const { code, stdout } = await project.ask("run", "PLAN.md");
    expect(code).toBe(0);
    expect(normalise(stdout, project)).toMatchInlineSnapshot(`
      "<time>  Run plan-<hash>: 1 stage into main with command, 4 at a time.
      <time>  one  started (attempt 1, command)
      <time>  one  changed 1 file, verifying <sha>
      <time>  one  verified: 1 check passed
      <time>  one  merged as <sha> into main (1 of 1)
      <time>  Run plan-<hash> completed: 1 of 1 stage merged into main in <span>.
      <time>  Recorded in .loom/plan-<hash>/ by commit <sha>.
      <time>  Archived by Loom.

      Run plan-<hash> completed in <span>: 1 of 1 stage merged into main.

      Merged, in this order
        1  <sha>  one  1 attempt <span>

      Where to look
        git log main               one commit per stage
        .loom/plan-<hash>/       plan, progress, history, reports
        loom report plan-<hash>  the run as a page
      "
    `);
    expect((await project.ask("runs", "--json")).stdout).toBe("");

    const broken = makeProject({ stages: [{ id: "one", retries: 0 }], agent: "exit 1", env });
    await run(broken);
    expect((await broken.ask("runs", "--json")).stdout).not.toBe("");
  });
});

describe("the folder for documents", () => {
  const env = { LOOM_STATE_DIR: "docs/loom" };

  it("is the one that LOOM_STATE_DIR named when the run began", async () => {
    const project = makeProject({ ...ONE, agent: "echo more >> one.txt", env });
    const { stdout } = await project.ask("run", "PLAN.md");
    expect(normalise(stdout, project)).toContain("Recorded in docs/loom/plan-<hash>/ by commit");
    const [id = ""] = project.git("ls-tree", "--name-only", "HEAD:docs/loom").split("\n");
    expect(project.has(`docs/loom/${id}/PROGRESS.md`)).toBe(true);
    expect(project.has(".loom")).toBe(false);

    await project.ask("clean", id);
    expect(normalise((await project.ask("run", "PLAN.md")).stdout, project)).toMatchInlineSnapshot(`
      "This plan is already built: main holds docs/loom/plan-<hash>/. \`loom run PLAN.md --clean\` starts it over.
      "
    `);
    const again = await project.ask("run", "PLAN.md", "--clean");
    expect(again.code).toBe(0);
    expect(project.git("log", "--format=%s", "-4").replaceAll(id, "<run>")).toMatchInlineSnapshot(`
      "Record the run <run>
      one
      Remove the record of the run <run>
      Record the run <run>"
    `);
  });

  it("can't be written to by agents", async () => {
    const project = makeProject({
      stages: [{ id: "one", retries: 0 }],
      agent: "mkdir -p docs/loom && echo x > docs/loom/x && echo y > one.txt",
      env,
    });
    const { code, stdout } = await project.ask("run", "PLAN.md");
    expect(code).toBe(1);
    expect(stdout).toContain("docs/loom/x");
  });
});

describe("how strict checks are", () => {
  it("is fixed when a run begins", async () => {
    const stages = [{ id: "one", retries: 0 }];
    const plan = { gate: ["test -f never.txt"] };
    const normal = makeProject({ stages, plan });
    expect((await normal.ask("run", "PLAN.md")).code).toBe(0);
    const strict = makeProject({ stages, plan, env: { LOOM_VALIDATION_STRICTNESS: "strict" } });
    const { code, stdout } = await strict.ask("run", "PLAN.md");
    expect(code).toBe(1);
    expect(stdout).toContain("test -f never.txt");
    // Another shell, another wish: the run keeps its own.
    expect(
      (await strict.with({ env: { LOOM_VALIDATION_STRICTNESS: "normal" } }).ask("retry", "plan", "one")).code,
    ).toBe(1);
  });
});
