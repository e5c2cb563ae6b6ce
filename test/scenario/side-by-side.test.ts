import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ending } from "../support/loom-cli.ts";
import { makeProject, type Project } from "./project.ts";

/** A pipe at which whoever comes first waits for the other. */
function makeMeetings(project: Project, ...names: readonly string[]): void {
  for (const name of names) execFileSync("mkfifo", [join(project.notes, name)]);
}

/** A check that lets the other agent begin, and waits until that one's work is being checked as well. */
const WAITS_IN_CHECK = `echo go > "\${PROJECT_ROOT}/../committed"; cat "\${PROJECT_ROOT}/../late" > /dev/null`;

const startsBehind = (first: string): string =>
  `[ $LOOM_STAGE_ID = ${first} ] || cat "$NOTES/committed" > /dev/null; echo hi > $LOOM_STAGE_ID.txt`;

const proofs = (project: Project): string[] => (project.note("proofs") ?? "").trim().split("\n");

describe("stages that are at work side by side", () => {
  it("are proved once each, on what the target is when they come in", async () => {
    const check = (id: string): string =>
      `echo ${id}: *.txt >> "\${PROJECT_ROOT}/../proofs"; test -f ${id}.txt`;
    const project = makeProject({
      plan: { max_parallel: 2 },
      stages: [
        { id: "one", acceptance: [`${WAITS_IN_CHECK}; ${check("one")}`] },
        { id: "two", acceptance: [`echo go > "\${PROJECT_ROOT}/../late"; ${check("two")}`] },
      ],
      agent: startsBehind("one"),
    });
    makeMeetings(project, "committed", "late");
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages()).toEqual(["one", "two"]);
    expect(proofs(project).sort()).toEqual(["one: one.txt", "two: one.txt two.txt"]);
  });

  it("are not blamed for what stood before them in line", async () => {
    const project = makeProject({
      plan: { max_parallel: 2 },
      stages: [
        {
          id: "bad",
          retries: 0,
          acceptance: [`${WAITS_IN_CHECK}; exit 1`],
        },
        {
          id: "good",
          retries: 0,
          acceptance: [
            `echo *.txt >> "\${PROJECT_ROOT}/../proofs"; if test -f bad.txt; then echo go > "\${PROJECT_ROOT}/../late"; exit 1; fi`,
          ],
        },
      ],
      agent: startsBehind("bad"),
    });
    makeMeetings(project, "committed", "late");
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.code).toBe(1);
    const { stages } = ending(result);
    expect(stages.good).toMatchObject({ state: "completed", attempts: 1 });
    expect(stages.bad).toMatchObject({ state: "blocked", attempts: 1 });
    expect(proofs(project)).toEqual(["bad.txt good.txt", "good.txt"]);
    expect(project.mergedStages()).toEqual(["good"]);
    expect(project.has("bad.txt")).toBe(false);
  });
});
