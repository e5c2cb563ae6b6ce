import { describe, expect, it } from "vitest";
import { planAnswer, taskProject } from "./task-project.ts";

const AT_ONCE = { draft: [{ answer: planAnswer() }] };

describe("loom orchestrate", () => {
  it("shows the plan and runs nothing that nobody has said yes to", async () => {
    const project = taskProject(AT_ONCE);
    const asked: string[] = [];
    const person = (question: string): string => {
      asked.push(question);
      return "maybe";
    };
    expect(
      await project.tell(["orchestrate", "Count words", "--express"], { person }),
    ).toMatchInlineSnapshot(`
      "$ loom orchestrate Count words --express
      err scripted writes the plan.
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      PLAN.md is valid.

        level  stages
            1  count

      1 stage in 1 level.

      Critical path (1 stage): count
      Nothing runs yet. Read the plan, then: loom run PLAN.md
      => 0
      "
    `);
    expect(asked).toEqual(["Run it? (y/N) "]);
    expect(project.mergedStages()).toEqual([]);
  });

  it("runs the plan once the person says yes", async () => {
    const project = taskProject(AT_ONCE);
    const { code } = await project.with({ person: () => "y" }).ask("orchestrate", "Count words", "--express");
    expect(code).toBe(0);
    expect(project.mergedStages()).toEqual(["count"]);
  });

  it("runs it unread when told so, one JSON object per line", async () => {
    const project = taskProject(AT_ONCE);
    const { code, stdout } = await project.ask("orchestrate", "Count words", "--express", "--yes", "--json");
    expect(code).toBe(0);
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect([types[0], types.at(-1)]).toEqual(["plan", "run-finished"]);
    expect(project.mergedStages()).toEqual(["count"]);
  });

  it("finds out before a planner is paid what loom run would refuse", async () => {
    const project = taskProject(AT_ONCE);
    const goal = ["orchestrate", "Count words", "--express", "--yes"];
    const told: string[] = [];
    project.git("checkout", "-q", "--detach");
    told.push(await project.tell(goal));
    project.git("checkout", "-q", "main");
    project.write({ "src/a.js": "console.log(2);\n" });
    told.push(await project.tell(goal));
    project.commit("clean");
    for (const into of ["", "loom/x", "main/x"]) told.push(await project.tell([...goal, "--into", into]));
    const env = { LOOM_HARNESS: "command", LOOM_ROUTES: "planning=scripted" };
    told.push(await project.tell(goal, { env }));
    project.write({ "PLAN.md": "old\n" });
    project.commit("a plan");
    told.push(await project.tell([...goal, "--force"]));
    expect(told.join("")).toMatchInlineSnapshot(`
      "$ loom orchestrate Count words --express --yes
      err loom: HEAD is detached, so it is not clear which branch to merge into.
      err       Check out a branch, or name one with --into.
      => 1
      $ loom orchestrate Count words --express --yes
      err loom: \`main\` is checked out in /tmp/x/repo with changes that are not committed: \`src/a.js\`.
      err       Commit or stash them, or let Loom merge into another branch with --into.
      => 1
      $ loom orchestrate Count words --express --yes --into
      err loom: "" is not a name that a branch can have.
      err       Choose another name for --into.
      => 2
      $ loom orchestrate Count words --express --yes --into loom/x
      err loom: \`loom/x\` can't be the target: names that start with \`loom\` are Loom's own.
      err       Choose another branch with --into.
      => 2
      $ loom orchestrate Count words --express --yes --into main/x
      err loom: The branch \`main/x\` can't be made: cannot lock ref 'refs/heads/main/x': 'refs/heads/main' exists; cannot create 'refs/heads/main/x'
      err       Choose another name for --into.
      => 1
      $ loom orchestrate Count words --express --yes
      err loom: The agent command can't be used: LOOM_COMMAND_BIN is not set.
      err       Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.
      => 2
      $ loom orchestrate Count words --express --yes --force
      err loom: \`main\` holds \`PLAN.md\` already: written over, that would be a change in /tmp/x/repo that is not committed.
      err       Name another file with --out, or let Loom merge into another branch with --into.
      => 1
      "
    `);
    expect(project.tasks("plan")).toEqual([]);
    expect(project.read("PLAN.md")).toBe("old\n");
    expect(project.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  it("merges into the branch that was named, and plans from where that stands", async () => {
    const project = taskProject(AT_ONCE);
    project.git("checkout", "-q", "-b", "side");
    project.write({ "side.txt": "side\n" });
    project.commit("side");
    project.git("checkout", "-q", "--detach", "main");
    project.write({ "src/a.js": "console.log(2);\n" });
    const goal = ["orchestrate", "Count words", "--express", "--into"];
    expect(await project.tell([...goal, "refs/heads/side"], { person: () => "n" })).toContain(
      "Nothing runs yet. Read the plan, then: loom run PLAN.md --into side\n",
    );
    expect(project.tasks("plan")).toMatchObject([{ commit: project.git("rev-parse", "side") }]);
    expect((await project.ask(...goal, "side", "--yes", "--force")).code).toBe(0);
    expect(project.git("show", "side:count.sh")).toBe("wc -w");
    expect((await project.ask(...goal, "fresh", "--yes", "--force")).code).toBe(0);
    expect(project.git("show", "fresh:count.sh")).toBe("wc -w");
  });

  it("says how to run a plan that is there already", async () => {
    const project = taskProject(AT_ONCE);
    await project.ask("plan", "new", "Count words", "--express");
    expect(await project.tell(["orchestrate", "Count words", "--express", "--yes"])).toMatchInlineSnapshot(`
      "$ loom orchestrate Count words --express --yes
      err loom: PLAN.md is there already.
      err       \`loom run PLAN.md\` runs it. For another plan, name another file with --out, or write over it with --force.
      => 2
      "
    `);
  });
});
