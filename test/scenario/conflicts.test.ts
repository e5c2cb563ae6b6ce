import { describe, expect, it } from "vitest";
import { ending } from "../support/loom-cli.ts";
import { leftovers, makeProject, NOTHING_LEFT } from "./project.ts";

/** Both agents have seen the same base before either of them is done. */
const TOGETHER = `
  touch "$NOTES/here-$LOOM_STAGE_ID"
  until [ -e "$NOTES/here-red" ] && [ -e "$NOTES/here-blue" ]; do sleep 0.01; done`;

const KEEPS_THE_PROMPT = `cp "$LOOM_PROMPT" "$NOTES/prompt-$LOOM_STAGE_ID-$LOOM_ATTEMPT"`;

describe("two stages that change the same line at the same time", () => {
  const stages = ["red", "blue"].map((id) => ({ id, acceptance: [`grep -q ${id} color.txt`] }));
  const files = { "color.txt": "one\ngray\ntwo\n" };

  it("are both merged: a session gets both sides of the conflict, and its result is proved", async () => {
    const project = makeProject({
      stages,
      files,
      agent: `
        ${KEEPS_THE_PROMPT}
        if [ "$LOOM_ATTEMPT" = 1 ]; then ${TOGETHER}; sed -i "s/gray/$LOOM_STAGE_ID/" color.txt; exit; fi
        cp color.txt "$NOTES/conflict"
        printf 'one\\nred and blue\\ntwo\\n' > color.txt`,
    });
    const run = project.start("run", "PLAN.md", "--json");
    const { stage, files: conflicting } = await run.event("merge-conflicted");
    const result = await run.finished;
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(conflicting).toEqual(["color.txt"]);
    expect(project.read("color.txt")).toBe("one\nred and blue\ntwo\n");
    expect(project.mergedStages().at(-1)).toBe(stage);
    expect(ending(result).stages[String(stage)]).toMatchObject({ state: "completed", attempts: 2 });

    const prompt = project.note(`prompt-${stage}-2`) ?? "";
    expect(prompt).toContain("Merge Conflict Signal");
    expect(prompt).toContain("+red");
    expect(prompt).toContain("+blue");
    const marked = project.note("conflict") ?? "";
    expect(marked).toMatch(/^<{7} .*\n(red|blue)\n(\|{7}.*\ngray\n)?={7}\n(red|blue)\n>{7} /m);
    // The conflict's result was checked like any other work.
    const lines = result.lines.filter((line) => line.stage === stage);
    const conflict = lines.findIndex((line) => line.type === "merge-conflicted");
    expect(lines.slice(conflict).map((line) => line.type)).toContain("attempt-verified");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("are merged in spite of a session that leaves markers, and nothing merged meanwhile is lost", async () => {
    const project = makeProject({
      stages: [...stages, { id: "late", dependencies: [] }],
      files,
      agent: `
        ${KEEPS_THE_PROMPT}
        case "$LOOM_STAGE_ID-$LOOM_ATTEMPT" in
          late-*)
            until [ -e "$NOTES/conflicting" ]; do sleep 0.01; done
            echo x > late.txt ;;
          *-1) ${TOGETHER}; sed -i "s/gray/$LOOM_STAGE_ID/" color.txt ;;
          *-2)
            touch "$NOTES/conflicting"
            until git -C "$REPO" cat-file -e main:late.txt 2> "$NOTES/missing"; do sleep 0.01; done
            echo 'left as it is' ;;
          *) printf 'one\\nred and blue\\ntwo\\n' > color.txt ;;
        esac`,
    });
    const run = project.start("run", "PLAN.md", "--json");
    const { stage } = await run.event("merge-conflicted");
    const result = await run.finished;
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const refused = result.lines.find((line) => line.type === "attempt-failed");
    expect(refused).toMatchObject({ stage, attempt: 2, failure: { kind: "conflict-unresolved" } });
    expect(JSON.stringify(refused)).toContain("color.txt");
    expect(project.note(`prompt-${stage}-3`)).toContain("The session left conflict markers in color.txt.");
    expect(project.read("color.txt")).toBe("one\nred and blue\ntwo\n");
    expect(project.read("late.txt")).toBe("x\n");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});

describe("two stages that each pass alone and fail together", () => {
  it("are proved again on top of each other, and the second one is told", async () => {
    // Each adds a unit; together they are more than the check allows. Neither is merged before both are being proved.
    const BOTH = 'until [ -e "$NOTES/proof-red" ] && [ -e "$NOTES/proof-blue" ]; do sleep 0.01; done';
    const project = makeProject({
      stages: ["red", "blue"].map((id) => ({
        id,
        acceptance: [`touch "$NOTES/proof-${id}"; ${BOTH}; test $(ls units | wc -l) -le 2`],
      })),
      files: { "units/first": "" },
      agent: `
        ${KEEPS_THE_PROMPT}
        if [ "$LOOM_ATTEMPT" = 1 ]; then ${TOGETHER}; touch "units/$LOOM_STAGE_ID"; exit; fi
        ls units > "$NOTES/units"
        git rm -q --cached units/first; rm units/first`,
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const failed = result.lines.filter((line) => line.type === "attempt-failed");
    expect(failed).toHaveLength(1);
    const stage = String(failed[0]?.stage);
    expect(failed[0]).toMatchObject({ attempt: 1, failure: { kind: "checks-failed" } });
    expect(project.note(`prompt-${stage}-2`)).toContain(
      "It passed alone, but not on top of what was merged into main",
    );
    // It goes on from the merged base, where the other's work is.
    expect(project.note("units")).toBe("blue\nfirst\nred\n");
    expect(project.git("ls-tree", "--name-only", "main:units")).toBe("blue\nred");
    expect(ending(result).stages[stage]).toMatchObject({ state: "completed", attempts: 2 });
  });
});
