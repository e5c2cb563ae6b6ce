import { afterEach, describe, expect, it } from "vitest";
import { runGit } from "../../../playground/git/run-git.ts";
import { afterPush } from "../../../playground/model/pulls/after-push.ts";
import { check, panel } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  AUTO,
  aGate,
  ended,
  expectAllMerged,
  type Gate,
  script,
  stage,
  stagePulls,
  stageState,
  start,
  waiting,
  write,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
let gate: Gate | null = null;
afterEach(async () => {
  gate?.close();
  gate = null;
  await world?.end();
});

const working = (id: string) => stageState(world, id, "executing");

describe("the target moves while a stage is at work", () => {
  it("is proved again on the new base before it is merged", async () => {
    gate = aGate();
    world = await aGitHubWorld({
      config: AUTO,
      script: { one: [gate.wait, write("one.txt", "one\n")], ...script("two") },
    });
    await start(world, [
      stage("one", [], { acceptance: ["test -f one.txt", "! test -f poison.txt || test -f antidote.txt"] }),
      stage("two", ["one"]),
    ]);
    await working("one");
    const theirs = await world.push("main", { "poison.txt": "no\n", "antidote.txt": "yes\n" }, "ada");
    gate.open();
    const run = await ended(world);
    await expectAllMerged(world, ["one", "two"]);
    const { events } = await (await world.engine()).store.load(run.id);
    const proofs = events.filter(
      (event) =>
        (event.type === "attempt-verified" || event.type === "merge-proved") && event.stage === "one",
    );
    expect(proofs).toMatchObject([
      { type: "attempt-verified" },
      { type: "merge-proved", onto: theirs, with: 0 },
    ]);
    const { stdout } = await runGit(world.repository.gitDir, [
      "log",
      "--first-parent",
      "--format=%H",
      "main",
    ]);
    expect(stdout.split("\n")).toContain(theirs);
  });

  it("lets an agent resolve what conflicts with it, and merges what is proved", async () => {
    gate = aGate();
    world = await aGitHubWorld({
      config: AUTO,
      files: { "color.txt": "one\ngray\ntwo\n" },
      script: {
        paint: {
          attempts: [[gate.wait, write("color.txt", "one\nred\ntwo\n")]],
          conflict: [write("color.txt", "one\nred and blue\ntwo\n")],
        },
      },
    });
    await start(world, [stage("paint", [], { acceptance: ["grep -q red color.txt"] })]);
    await working("paint");
    await world.push("main", { "color.txt": "one\nblue\ntwo\n" }, "ada");
    gate.open();
    const run = await ended(world);
    expect(await world.file("color.txt")).toBe("one\nred and blue\ntwo\n");
    expect(run.stages.get("paint")).toMatchObject({ conflicts: 1, attempts: 2 });
    expect(stagePulls(world, "paint")).toHaveLength(1);
  });

  it("asks a person when what was merged is gone from it", async () => {
    gate = aGate();
    world = await aGitHubWorld({
      config: AUTO,
      script: { ...script("one"), two: [gate.wait, write("two.txt", "two\n")] },
    });
    const { issue } = await start(world, [stage("one"), stage("two", ["one"])]);
    await working("two");
    const before = await world.world.git.tip(world.repository.gitDir, "main");
    const { stdout } = await runGit(world.repository.gitDir, ["rev-list", "--max-parents=0", "main"]);
    const first = stdout.trim();
    await runGit(world.repository.gitDir, ["update-ref", "refs/heads/main", first]);
    await afterPush(world.world, world.repository, [{ ref: "refs/heads/main", before, after: first }], {
      by: "ada",
    });
    gate.open();
    await stageState(world, "two", "blocked");
    expect(await panel(world, issue, "rewound")).toContain("main no longer contains the merged stage one");
    expect(await world.file("two.txt")).toBeNull();
  });
});

describe("where people merge", () => {
  it("resolves a conflict with what somebody else merged", async () => {
    world = await aGitHubWorld({
      files: { "color.txt": "one\ngray\ntwo\n" },
      script: {
        paint: {
          attempts: [[write("color.txt", "one\nred\ntwo\n")]],
          conflict: [write("color.txt", "one\nred and blue\ntwo\n")],
        },
      },
    });
    await start(world, [stage("paint", [], { acceptance: ["grep -q red color.txt"] })]);
    await waiting(world, "paint", "waits to be merged");
    const pull = await world.stagePull("paint");
    await world.push("main", { "color.txt": "one\nblue\ntwo\n" }, "ada");
    await world.run((run) => run.stages.get("paint")?.conflicts === 1, "the conflict to be noticed");
    await waiting(world, "paint", "waits to be merged");
    await world.until(
      async () =>
        !(await world.world.git.conflicts(world.repository.gitDir, "main", pull.pull?.headSha ?? "")),
      "no conflict",
    );
    await world.merge(pull.number);
    await ended(world);
    expect(await world.file("color.txt")).toBe("one\nred and blue\ntwo\n");
    expect(stagePulls(world, "paint")).toHaveLength(1);
  });

  it("waits where two dependencies don't go together, and starts when one of them is merged", async () => {
    world = await aGitHubWorld({
      files: { "color.txt": "gray\n" },
      script: {
        red: {
          attempts: [[write("color.txt", "red\n"), write("red.txt", "red\n")]],
          conflict: [write("color.txt", "blue and red\n"), write("red.txt", "red\n")],
        },
        blue: {
          attempts: [[write("color.txt", "blue\n"), write("blue.txt", "blue\n")]],
          conflict: [write("color.txt", "red and blue\n"), write("blue.txt", "blue\n")],
        },
        ...script("both"),
      },
    });
    const { issue } = await start(world, [stage("red"), stage("blue"), stage("both", ["red", "blue"])]);
    await world.run((run) => run.stages.get("both")?.stackConflict != null, "the conflict of both");
    expect(await panel(world, issue, "queued")).toContain("both");
    await world.merge((await world.stagePull("red")).number);
    await world.run((run) => run.stages.get("blue")?.conflicts === 1, "blue to be resolved");
    const both = await world.stagePull("both");
    const blue = await world.stagePull("blue");
    await waiting(world, "blue", "waits to be merged");
    await world.merge(blue.number);
    await world.until(() => world.get(both.number).pull?.baseRef === "main", "both on main");
    await world.run(
      (run) => run.stages.get("both")?.stack.length === 0 && run.stages.get("both")?.waiting !== null,
      "both at rest",
    );
    await world.merge(both.number);
    await ended(world);
    expect(await world.file("color.txt")).toBe("red and blue\n");
    await expectAllMerged(world, ["red", "blue", "both"], { review: true });
  });
});

describe("what an agent may not write", () => {
  it("is refused with a finding and never pushed", async () => {
    world = await aGitHubWorld({
      config: AUTO,
      script: {
        sly: [
          write("sly.txt", "sly\n"),
          write(".github/workflows/x.yml", "on: push\n"),
          write("docs/CODEOWNERS", "* @sam\n"),
        ],
      },
      env: { LOOM_MAX_RETRIES: "0" },
    });
    const { issue } = await start(world, [stage("sly")]);
    await stageState(world, "sly", "blocked");
    const text = await panel(world, issue, "does not take from an agent");
    expect(text).toContain(".github/workflows/x.yml");
    expect(text).toContain("docs/CODEOWNERS");
    expect((await check(world, "loom / sly")).conclusion).toBe("failure");
    expect(stagePulls(world, "sly")).toEqual([]);
    const { stdout } = await runGit(world.repository.gitDir, [
      "for-each-ref",
      "--format=%(refname)",
      "refs/heads/loom/",
    ]);
    expect(stdout).not.toContain("/sly");
  });
});
