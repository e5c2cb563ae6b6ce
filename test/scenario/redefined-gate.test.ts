import { describe, expect, it } from "vitest";
import { makeProject, normalise, type Project } from "./project.ts";

/** The second stage stands on the first, which breaks the library and empties its test (T37). */
const STORY = {
  stages: [{ id: "sly" }, { id: "next", dependencies: ["sly"] }],
  plan: { gate: ["node test/add.test.js"] },
  files: {
    "lib.js": "exports.add = (a, b) => a + b;\n",
    "test/add.test.js": 'require("node:assert").equal(require("../lib.js").add(1, 2), 3);\n',
  },
  agent: `if [ "$LOOM_STAGE_ID" = sly ]; then echo "exports.add = () => 0;" > lib.js; echo > test/add.test.js; fi
    echo x > "$LOOM_STAGE_ID.txt"`,
};

const stageBranch = (project: Project): string =>
  project.git("for-each-ref", "--format=%(refname:short)", "refs/heads/loom/*/sly");

describe("a stage that redefines its own gate", () => {
  it("is not merged by Loom, and the run goes on when a person has merged it", async () => {
    // What the repository says about it does not count.
    const project = makeProject({ ...STORY, files: { ...STORY.files, ".env": "LOOM_GATE_CHANGES=warn\n" } });
    const result = await project.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(project.mergedStages()).toEqual([]);
    expect(normalise(result.stdout, project)).toMatchInlineSnapshot(`
      "PLAN.md has 2 warnings; \`loom plan check PLAN.md\` shows them.
      <time>  Run plan-<hash>: 2 stages into main with command, 4 at a time.
      <time>  sly   started (attempt 1, command)
      <time>  sly   changed 3 files, verifying <sha>
      <time>  sly   verified: 1 of 2 checks passed, 1 needs a person
      <time>  sly   blocked: \`node test/add.test.js\` exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; a person has to decide. Loom does not merge it by itself: look at what loom/plan-<hash>/sly changes there. If that is right, merge it into main; if not, \`loom skip plan-<hash> sly\` leaves it out.
      <time>  next  blocked: It waits for sly, which is blocked.
      <time>  Run plan-<hash> blocked: 0 of 2 stages merged into main in <span>.

      Run plan-<hash> is blocked after <span>: 0 of 2 stages merged into main; the rest needs you.

      Blocked
        sly: \`node test/add.test.js\` exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; a person has to decide. Loom does not merge it by itself: look at what loom/plan-<hash>/sly changes there. If that is right, merge it into main; if not, \`loom skip plan-<hash> sly\` leaves it out.
          When that is done, \`loom resume plan-<hash>\` goes on.
        Waiting behind: next

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);

    // Asking again changes nothing.
    const id = stageBranch(project).split("/")[1] ?? "";
    expect((await project.loom("resume", id)).code).toBe(1);
    expect(project.mergedStages()).toEqual([]);

    project.git("merge", "-q", "--ff-only", stageBranch(project));
    const resumed = await project.loom("resume", id);
    expect(resumed.code).toBe(0);
    expect(project.mergedStages()).toEqual(["sly", "next"]);
  });

  it("is found by the proof on the newest target, when it was none on an older one", async () => {
    const project = makeProject({
      ...STORY,
      stages: [{ id: "sly" }],
      files: { ...STORY.files, "offset.js": "module.exports = 0;\n" },
      // What is added is 0 until somebody makes it 1.
      agent: `echo 'exports.add = (a, b) => a + b + require("./offset.js");' > lib.js; echo > test/add.test.js; echo x > sly.txt
        cd "$REPO" && echo "module.exports = 1;" > offset.js && git -c user.name=Pat -c user.email=pat@example.com commit -qam offset`,
    });
    const result = await project.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(project.mergedStages()).toEqual([]);
    expect(result.stdout).toMatch(/sly +verified: 2 checks passed\n/);
    expect(result.stdout).toMatch(/sly +verified: 1 of 2 checks passed, 1 needs a person\n/);
  });

  it("is found by its only proof, on top of what the run merged while the agent worked", async () => {
    const project = makeProject({
      ...STORY,
      stages: [{ id: "offset" }, { id: "sly" }],
      files: { ...STORY.files, "offset.js": "module.exports = 0;\n" },
      // What is added is 0 until another stage, which nothing depends on, makes it 1.
      agent: `if [ "$LOOM_STAGE_ID" = sly ]; then
          n=0; until grep -q 1 "$REPO/offset.js" || [ $n -gt 600 ]; do n=$((n+1)); sleep 0.1; done
          echo 'exports.add = (a, b) => a + b + require("./offset.js");' > lib.js; echo > test/add.test.js
        else echo "module.exports = 1;" > offset.js; fi
        echo x > "$LOOM_STAGE_ID.txt"`,
    });
    const result = await project.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(project.mergedStages()).toEqual(["offset"]);
    expect(result.stdout.match(/sly +verified/g)).toHaveLength(1);
    expect(result.stdout).toMatch(/sly +verified: 1 of 2 checks passed, 1 needs a person\n/);
  });

  it("is merged with a warning where the operator said so", async () => {
    const project = makeProject({ ...STORY, env: { LOOM_GATE_CHANGES: "warn" } });
    const result = await project.loom("run", "PLAN.md");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages()).toEqual(["sly", "next"]);
    expect(result.stdout).toMatch(/sly .*with warnings/);
  });
});
