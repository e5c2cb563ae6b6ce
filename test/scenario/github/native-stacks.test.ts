import { afterEach, describe, expect, it } from "vitest";
import type { PullIssue } from "../../../playground/model/find.ts";
import { asyncMerge, settleAsyncMerges } from "../../../playground/model/pulls/async-merge.ts";
import type { MergeMethod } from "../../../playground/model/types.ts";
import { ask } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  ended,
  expectAllMerged,
  script,
  stage,
  stageState,
  start,
  waiting,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const proved = (id: string) => waiting(world, id, "waits to be merged");
const base = (number: number): string | undefined => world.get(number).pull?.baseRef;

/** What the button on a stacked pull request does. */
async function merge(number: number, method: MergeMethod): Promise<void> {
  const issue = world.get(number) as PullIssue;
  if (issue.pull.stack === null) return void (await world.merge(number, "wes", method));
  asyncMerge(world.world, world.repository, issue, { by: "wes", method });
  await world.until(async () => {
    await settleAsyncMerges(world.world, world.repository);
    return issue.pull.merged;
  }, `#${number} to be merged`);
}

async function mergeWhenAtRest(id: string, method: MergeMethod = "squash"): Promise<void> {
  const pull = await world.stagePull(id);
  await world.until(() => base(pull.number) === "main", `${id} on main`);
  await world.run((run) => {
    const record = run.stages.get(id);
    return record?.stack.length === 0 && record.waiting !== null;
  }, `${id} at rest`);
  await merge(pull.number, method);
}

describe("a repository with native stacks", () => {
  it.each<MergeMethod>(["squash", "merge", "rebase"])(
    "shows a chain as one stack, which is merged from the bottom, by %s",
    async (method) => {
      world = await aGitHubWorld({
        script: script("one", "two", "three"),
        repository: { stacksEnabled: true, mergeMethods: [method] },
      });
      await start(world, [stage("one"), stage("two", ["one"]), stage("three", ["two"])]);
      await proved("three");
      const numbers = await Promise.all(
        ["one", "two", "three"].map(async (id) => (await world.stagePull(id)).number),
      );
      expect(world.repository.stacks.map(({ pulls }) => pulls)).toEqual([numbers]);
      for (const id of ["one", "two", "three"]) await mergeWhenAtRest(id, method);
      await ended(world);
      await expectAllMerged(world, ["one", "two", "three"], { review: true });
    },
  );

  it("takes a pull request out of its stack when it has to stand on something else", async () => {
    world = await aGitHubWorld({ script: script("one", "two"), repository: { stacksEnabled: true } });
    const { issue } = await start(world, [
      stage("one"),
      stage("two", ["one"], { acceptance: ["test -f two.txt"] }),
    ]);
    await proved("two");
    const one = await world.stagePull("one");
    expect(world.repository.stacks).toHaveLength(1);
    world.close(one.number);
    await stageState(world, "one", "blocked");
    await ask(world, issue, "/loom skip one");
    await mergeWhenAtRest("two");
    await ended(world);
    await expectAllMerged(world, ["two"], { review: true });
    expect(await world.file("one.txt")).toBeNull();
  });

  it("leaves what is no chain as ordinary pull requests", async () => {
    world = await aGitHubWorld({
      script: script("base", "left", "right", "top"),
      repository: { stacksEnabled: true },
      config: { version: 1, merge: { mode: "review", stack: "native" } },
    });
    await start(world, [
      stage("base"),
      stage("left", ["base"]),
      stage("right", ["base"]),
      stage("top", ["left", "right"]),
    ]);
    await proved("top");
    expect(world.repository.stacks).toHaveLength(1);
    expect(world.repository.stacks[0]?.pulls).toHaveLength(2);
    for (const id of ["base", "left", "right", "top"]) await mergeWhenAtRest(id);
    await ended(world);
    await expectAllMerged(world, ["base", "left", "right", "top"], { review: true });
  });

  it("does without them where GitHub does not offer them", async () => {
    world = await aGitHubWorld({
      script: script("one", "two"),
      config: { version: 1, merge: { mode: "review", stack: "native" } },
    });
    await start(world, [stage("one"), stage("two", ["one"])]);
    await proved("two");
    const two = await world.stagePull("two");
    expect(base(two.number)).toMatch(/\/one$/);
    for (const id of ["one", "two"]) await mergeWhenAtRest(id);
    await ended(world);
    await expectAllMerged(world, ["one", "two"], { review: true });
  });
});
