import { afterEach, describe, expect, it } from "vitest";
import type { MergeMethod } from "../../../playground/model/types.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  AUTO,
  commitsOf,
  ended,
  expectAllMerged,
  script,
  stage,
  stagePulls,
  start,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const DIAMOND = [
  stage("base"),
  stage("left", ["base"]),
  stage("right", ["base"]),
  stage("top", ["left", "right"]),
];
const IDS = ["base", "left", "right", "top"];

describe("where Loom merges", () => {
  for (const method of ["squash", "merge", "rebase"] satisfies MergeMethod[]) {
    it(`brings a diamond in by ${method}, each stage once, and leaves only the record behind`, async () => {
      world = await aGitHubWorld({
        config: AUTO,
        script: script(...IDS),
        repository: { mergeMethods: [method] },
      });
      const { plan } = await start(world, DIAMOND);
      const run = await ended(world);
      await expectAllMerged(world, IDS);
      for (const id of IDS) {
        const [message] = await commitsOf(world, `${id}.txt`, "%B");
        expect(message).toContain(`Loom-Run: ${run.id}`);
        expect(message).toContain(`Loom-Stage: ${id}`);
      }
      expect(plan.pull?.merged).toBe(true);
      expect(await world.file(`.loom/${run.id}/PLAN.md`)).toBe(run.planText);
      expect(await world.file(`.loom/${run.id}/PROGRESS.md`)).toContain("top");
      // A forge that merged by another way than the repository allows would have been refused on the way.
      expect([...run.stages.values()].map(({ state }) => state.kind)).toEqual(IDS.map(() => "completed"));
    });
  }

  it("asks no more about a pull request that is merged, however much comes after it", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two", "three") });
    await start(world, [stage("one"), stage("two", ["one"]), stage("three", ["two"])]);
    await ended(world);
    const [{ number } = { number: 0 }] = stagePulls(world, "one");
    const { requests } = world.world.github;
    const asks = (path: RegExp) =>
      requests.flatMap((one, n) => (path.test(`${one.method} ${one.path}`) ? [n] : []));
    const merges = asks(/^PUT .*\/pulls\/\d+\/merge$/);
    expect(merges).toHaveLength(4);
    const looks = asks(new RegExp(`^GET .*/pulls/${number}$`));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.filter((n) => n > (merges[1] ?? 0))).toEqual([]);
  });

  it("takes the record along when the plan was merged by hand in between", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two") });
    const { plan } = await start(world, [stage("one"), stage("two", ["one"])]);
    await world.stagePull("one");
    await world.merge(plan.number);
    const run = await ended(world);
    await expectAllMerged(world, ["one", "two"]);
    expect(await world.file(`.loom/${run.id}/PROGRESS.md`)).toContain("two");
  });
});
