import { describe, expect, it } from "vitest";
import { errandProject, planAnswer } from "./errand-project.ts";

const AT_ONCE = { draft: [{ answer: planAnswer() }] };

describe("loom orchestrate", () => {
  it("shows the plan and runs nothing that nobody has said yes to", async () => {
    const project = errandProject(AT_ONCE);
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
    const project = errandProject(AT_ONCE);
    const { code } = await project.with({ person: () => "y" }).ask("orchestrate", "Count words", "--express");
    expect(code).toBe(0);
    expect(project.mergedStages()).toEqual(["count"]);
  });

  it("runs it unread when told so, one JSON object per line", async () => {
    const project = errandProject(AT_ONCE);
    const { code, stdout } = await project.ask("orchestrate", "Count words", "--express", "--yes", "--json");
    expect(code).toBe(0);
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect([types[0], types.at(-1)]).toEqual(["plan", "run-finished"]);
    expect(project.mergedStages()).toEqual(["count"]);
  });
});
