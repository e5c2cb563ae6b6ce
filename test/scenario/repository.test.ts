import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, tempFolder } from "../support/git-repo.ts";
import { ending } from "../support/loom-cli.ts";
import { leftovers, makeProject, NOTHING_LEFT, normalise, type Project } from "./project.ts";

const ONE_STAGE = { stages: [{ id: "only" }] };
const BLANK_LINE = "\n\n";

/** Everything a refused command must leave as it was. */
function stateOf(project: Project): string {
  return [
    project.git("for-each-ref"),
    project.git("status", "--porcelain=v2", "--branch"),
    project.git("stash", "list"),
  ].join("\n");
}

describe("a repository that is not ready", () => {
  it("is refused with uncommitted changes, and none of them is touched", async () => {
    const project = makeProject(ONE_STAGE);
    project.write({ "README.md": "mine\n", "staged.txt": "mine too\n" });
    project.git("add", "staged.txt");
    const before = stateOf(project);
    const result = await project.ask("run", "PLAN.md");
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(normalise(result.stderr, project)).toMatchInlineSnapshot(`
      "loom: \`main\` is checked out in /tmp/x/repo with changes that are not committed: \`README.md\`, \`staged.txt\`.
            Commit or stash them, or let Loom merge into another branch with --into.
      "
    `);
    expect(stateOf(project)).toBe(before);
    expect(project.read("README.md")).toBe("mine\n");

    // In another branch nothing is in the way.
    const into = await project.loom("run", "PLAN.md", "--into", "other");
    expect(into).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages("other")).toEqual(["only"]);
    expect(project.git("status", "--porcelain")).toBe(" M README.md\nA  staged.txt");
  });

  it("is refused when it does not say where to merge, when it is empty, and when there is none", async () => {
    const project = makeProject(ONE_STAGE);
    project.git("checkout", "-q", "--detach");
    const detached = await project.ask("run", "PLAN.md");
    expect(detached.code).toBe(1);
    const empty = tempFolder();
    git(empty, "init", "-q", "-b", "main");
    const plan = join(project.root, "PLAN.md");
    const none = tempFolder();
    const answers = [
      detached,
      await project.with({ cwd: empty }).ask("run", plan),
      await project.with({ cwd: none }).ask("run", plan),
    ];
    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ""],
      [1, ""],
      [1, ""],
    ]);
    const texts = answers.map(({ stderr }) => stderr.replace(none, "/tmp/none"));
    expect(normalise(texts.join(""), project)).toMatchInlineSnapshot(`
      "loom: HEAD is detached, so it is not clear which branch to merge into.
            Check out a branch, or name one with --into.
      loom: This repository has no commit yet.
            Make a first commit (\`git commit --allow-empty -m start\` will do) and try again.
      loom: /tmp/none is not in a git repository.
            Change to your repository, or make one with \`git init\` and a first commit.
      "
    `);

    // A detached HEAD is no obstacle when a branch is named.
    const named = await project.loom("run", "PLAN.md", "--into", "main");
    expect(named).toMatchObject({ code: 0, stderr: "" });
    expect(project.git("rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
    expect(project.mergedStages("main")).toEqual(["only"]);
  });
});

describe("what a person keeps in the repository", () => {
  it("stays: untracked files, other branches, stashes and edits that the merges do not touch", async () => {
    const project = makeProject({
      stages: [{ id: "first" }, { id: "second", dependencies: ["first"] }],
      // While the first agent works, the person goes on editing.
      agent: `
        [ "$LOOM_STAGE_ID" = first ] && echo 'edited meanwhile' > "$REPO/README.md"
        echo x > "$LOOM_STAGE_ID.txt"`,
    });
    project.write({ "README.md": "stashed\n" });
    project.git("stash");
    project.git("branch", "loose");
    project.write({ "scratch/notes.txt": "untracked\n" });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(project.read("README.md")).toBe("edited meanwhile\n");
    expect(project.read("scratch/notes.txt")).toBe("untracked\n");
    expect(project.git("show", "stash@{0}:README.md")).toBe("stashed");
    expect(project.sha("loose")).toBe(ending(result).stages.first?.merged && project.sha("main~3"));
    expect(leftovers(project)).toEqual({ ...NOTHING_LEFT, status: " M README.md\n?? scratch/" });
  });

  it("stays: a commit that they make in mid-run, on top of which the stage is proved again", async () => {
    const project = makeProject({
      stages: [{ id: "only", acceptance: ['echo "$(ls)" > "$NOTES/checked"'] }],
      agent: `
        echo theirs > "$REPO/theirs.txt"
        git -C "$REPO" add theirs.txt
        git -C "$REPO" commit -qm 'A commit of their own'
        echo x > only.txt`,
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(project.git("log", "--format=%s", "--reverse")).toMatch(
      /^start\nA commit of their own\nonly\nRecord the run /,
    );
    expect(result.lines.filter((line) => line.type === "attempt-verified")).toHaveLength(2);
    expect(project.note("checked")).toContain("theirs.txt");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("stays: an untracked file that a merge would overwrite, until they have moved it away", async () => {
    const project = makeProject({ stages: [{ id: "only" }, { id: "behind", dependencies: ["only"] }] });
    project.write({ "only.txt": "mine\n" });
    const held = await project.loom("run", "PLAN.md");
    expect(held).toMatchObject({ code: 1, stderr: "" });
    expect(normalise(held.stdout.slice(held.stdout.indexOf(BLANK_LINE)), project)).toMatchInlineSnapshot(`
      "

      Run plan-<hash> is blocked after <span>: 0 of 2 stages merged into main; the rest needs you.

      Blocked
        only: The checkout in /tmp/x/repo can't follow the merge: it would overwrite \`only.txt\`. Commit, stash or move these files away, then run \`loom resume\`.
          When that is done, \`loom resume plan-<hash>\` goes on.
        Waiting behind: behind

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);
    expect(project.read("only.txt")).toBe("mine\n");
    expect(project.mergedStages()).toEqual([]);
    // The finished work waits in its branch, where a person can look at it.
    expect(project.git("branch", "--list", "loom/*/only")).not.toBe("");

    renameSync(join(project.root, "only.txt"), join(project.notes, "mine.txt"));
    const resumed = await project.loom("resume", "--json");
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
    expect(ending(resumed)).toMatchObject({ status: "completed", stages: { only: { attempts: 1 } } });
    expect(project.read("only.txt")).toBe("only\n");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});

describe("a target branch that changes under the run", () => {
  it("is missed when it is deleted, and the run goes on once it is back", async () => {
    const project = makeProject({
      ...ONE_STAGE,
      agent: 'git -C "$REPO" update-ref -d refs/heads/feature; echo x > only.txt',
    });
    const start = project.sha("main");
    const result = await project.loom("run", "PLAN.md", "--into", "feature");
    expect(result.code).toBe(1);
    expect(result.stdout).toContain("feature");
    expect(normalise(result.stdout.slice(result.stdout.indexOf(BLANK_LINE)), project)).toMatchInlineSnapshot(`
      "

      Run plan-<hash> is blocked after <span>: 0 of 1 stage merged into feature; the rest needs you.

      Blocked
        only: The branch \`feature\` is gone. Bring it back with \`git branch feature <commit>\`, then run \`loom resume\`.
          When that is done, \`loom resume plan-<hash>\` goes on.

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);
    project.git("branch", "feature", start);
    const resumed = await project.loom("resume", "--json");
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages("feature")).toEqual(["only"]);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("is not built upon when it was rewound past a merged stage", async () => {
    const project = makeProject({
      stages: [{ id: "first" }, { id: "second", dependencies: ["first"] }],
      agent: `
        [ "$LOOM_STAGE_ID" = second ] && git -C "$REPO" reset -q --hard HEAD~1
        echo x > "$LOOM_STAGE_ID.txt"`,
    });
    const result = await project.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(project.mergedStages()).toEqual([]);
    expect(normalise(result.stdout.slice(result.stdout.indexOf(BLANK_LINE)), project)).toMatchInlineSnapshot(`
      "

      Run plan-<hash> is blocked after <span>: 1 of 2 stages merged into main; the rest needs you.

      Merged, in this order
        1  <sha>  first  1 attempt <span>

      Blocked
        second: main no longer contains the merged stage first: it was rewound or rewritten during the run.
          Put the merged commits back onto the branch, then \`loom resume plan-<hash>\`. If that was on purpose, \`loom run --clean\` with its plan starts over.

      Where to look
        git log main               one commit per stage
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);
    // What was merged can be put back, as the sentence says, and the run is completed.
    project.git("reset", "-q", "--hard", "ORIG_HEAD");
    const resumed = await project.loom("resume", "--json");
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
    expect(project.mergedStages()).toEqual(["first", "second"]);
  });

  it("is followed in whichever checkout it is checked out", async () => {
    const project = makeProject(ONE_STAGE);
    const linked = join(project.notes, "linked");
    project.git("worktree", "add", "-q", "-b", "feature", linked);
    const result = await project.loom("run", "PLAN.md", "--into", "feature", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(git(linked, "status", "--porcelain")).toBe("");
    expect(git(linked, "show", "HEAD:only.txt")).toBe("only");
    expect(project.has("only.txt")).toBe(false);
    project.git("worktree", "remove", linked);
    rmSync(linked, { recursive: true, force: true });
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});
