import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ending } from "../support/loom-cli.ts";
import { leftovers, makeProject, NOTHING_LEFT, normalise, type Project } from "./project.ts";

/** A diamond, and a pair beside it that depends on nothing. */
function makeDiamond(): Project {
  return makeProject({
    stages: [
      { id: "base", acceptance: ["test -f base.txt"] },
      { id: "left", dependencies: ["base"], acceptance: ["test -f base.txt", "test -f left.txt"] },
      { id: "right", dependencies: ["base"], acceptance: ["test -f base.txt"] },
      { id: "top", dependencies: ["left", "right"], acceptance: ["test -f left.txt && test -f right.txt"] },
      { id: "one", files: ["one.txt"] },
      { id: "two", files: ["two.txt"] },
    ],
  });
}

function makePair(): Project {
  return makeProject({
    stages: [
      { id: "first", acceptance: ["test -f first.txt"] },
      { id: "second", dependencies: ["first"], acceptance: ["test -f second.txt"] },
    ],
  });
}

describe("a plan whose stages all go well", () => {
  it("becomes one commit per stage in dependency order and leaves nothing else behind", async () => {
    const project = makeDiamond();
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });

    const order = project.mergedStages();
    expect([...order].sort()).toEqual(["base", "left", "one", "right", "top", "two"]);
    expect(order.indexOf("base")).toBeLessThan(Math.min(order.indexOf("left"), order.indexOf("right")));
    expect(order.indexOf("top")).toBeGreaterThan(Math.max(order.indexOf("left"), order.indexOf("right")));
    // A line without merge commits: the start, one per stage, and the record of the run.
    expect(project.git("rev-list", "--count", "main")).toBe("8");
    expect(project.git("rev-list", "--count", "--min-parents=2", "main")).toBe("0");

    const { run } = ending(result);
    const messages = project.git("log", "--format=%B", "--grep=Loom-Stage: top").trim();
    expect(messages).toBe(`top\n\nDo top.\n\nLoom-Run: ${run}\nLoom-Stage: top\nLoom-Attempt: 1`);
    expect(project.git("log", "-1", "--format=%B").trim()).toBe(
      `Record the run ${run}\n\nLoom-Run: ${run}\nLoom-Record: completed`,
    );
    expect(project.git("log", "-1", "--skip=1", "--format=%an <%ae>")).toBe("Pat Person <pat@example.com>");

    // The checkout followed, and git finds nothing to remark about it.
    expect(project.read("top.txt")).toBe("top\n");
    expect(project.git("rev-parse", "--abbrev-ref", "HEAD")).toBe("main");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("keeps the plan, the progress, the history, the gate and a report per stage in .loom/<run>", async () => {
    const project = makePair();
    const { run } = ending(await project.loom("run", "PLAN.md", "--json"));
    const folder = `.loom/${run}`;
    const files = readdirSync(join(project.root, folder), { recursive: true }).map(String).sort();
    expect(files).toEqual([
      "01-first.md",
      "02-second.md",
      "PLAN.md",
      "PROGRESS.md",
      "about.md",
      "gate",
      "history.jsonl",
      "reports",
      "reports/first.md",
      "reports/second.md",
      "session-state.md",
    ]);
    expect(project.read(`${folder}/PLAN.md`)).toBe(project.read("PLAN.md"));
    const history = project
      .read(`${folder}/history.jsonl`)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(history[0]).toMatchObject({ type: "run-created", run, target: "main" });
    expect(history.at(-1)).toMatchObject({ type: "run-finished", status: "completed" });
    // Published with the code, so nothing about this machine may stand in it.
    for (const file of files.filter((name) => name !== "reports"))
      expect(project.read(`${folder}/${file}`)).not.toContain(project.notes);
    expect(project.read(`${folder}/PROGRESS.md`)).toContain("second");
    expect(project.read(`${folder}/reports/first.md`)).toContain("test -f first.txt");
  });

  it("prints one JSON object per line with --json, the last one as documented", async () => {
    const project = makePair();
    const result = await project.loom("run", "PLAN.md", "--json");
    const lines = result.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { run } = ending(result);
    expect(lines.every((line) => typeof line.type === "string" && line.run === run)).toBe(true);
    expect(lines[0]).toMatchObject({ type: "run-created", run });
    expect(lines.filter((line) => line.type === "run-finished")).toHaveLength(1);

    const last = lines.at(-1);
    expect(Object.keys(last)).toEqual(["type", "run", "status", "stages", "elapsedMs"]);
    expect(last).toMatchObject({ type: "run-finished", run, status: "completed" });
    expect(last.elapsedMs).toBeGreaterThan(0);
    for (const [id, stage] of Object.entries(ending(result).stages)) {
      expect(stage).toEqual({
        state: "completed",
        attempts: 1,
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        merged: stage.commit,
      });
      expect(
        project.git("log", "-1", "--format=%(trailers:key=Loom-Stage,valueonly)", stage.merged ?? ""),
      ).toContain(id);
    }
  });

  it("prints plain lines into a pipe", async () => {
    const project = makePair();
    const { stdout } = await project.loom("run", "PLAN.md");
    expect(normalise(stdout, project)).toMatchInlineSnapshot(`
      "<time>  Run plan-<hash>: 2 stages into main with command, 4 at a time.
      <time>  first   started (attempt 1, command)
      <time>  first   changed 1 file, verifying <sha>
      <time>  first   verified: 1 check passed
      <time>  first   merged as <sha> into main (1 of 2)
      <time>  second  started (attempt 1, command)
      <time>  second  changed 1 file, verifying <sha>
      <time>  second  verified: 1 check passed
      <time>  second  merged as <sha> into main (2 of 2)
      <time>  Run plan-<hash> completed: 2 of 2 stages merged into main in <span>.
      <time>  Recorded in .loom/plan-<hash>/ by commit <sha>.

      Run plan-<hash> completed in <span>: 2 of 2 stages merged into main.

      Merged, in this order
        1  <sha>  first   1 attempt <span>
        2  <sha>  second  1 attempt <span>

      Where to look
        git log main             one commit per stage
        .loom/plan-<hash>/     plan, progress, history, reports
        loom logs plan-<hash>  what the agents wrote
      "
    `);
  });

  it("can be started from a folder below the root, into a branch of its own, with one agent at a time", async () => {
    const project = makeProject({
      stages: [{ id: "one" }, { id: "two" }],
      files: { "docs/guide.md": "guide\n" },
      agent:
        'echo "in $LOOM_STAGE_ID" >> "$NOTES/order"; echo x > "$LOOM_STAGE_ID.txt"; echo "out $LOOM_STAGE_ID" >> "$NOTES/order"',
    });
    const result = await project
      .with({ cwd: join(project.root, "docs"), env: { LOOM_TREES: join(project.notes, "trees") } })
      .loom("run", "../PLAN.md", "--into", "refs/heads/feature", "--max-parallel", "1", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages("feature").sort()).toEqual(["one", "two"]);
    expect(project.mergedStages("main")).toEqual([]);
    expect(project.has("one.txt")).toBe(false);
    expect(project.note("order")).toMatch(/^in (one|two)\nout \1\nin (one|two)\nout \2\n$/);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});
