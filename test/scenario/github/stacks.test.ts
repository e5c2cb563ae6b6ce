import { afterEach, describe, expect, it } from "vitest";
import type { MergeMethod } from "../../../playground/model/types.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { ended, script, stage, start } from "../../support/merge-story.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const base = (number: number): string | undefined => world.get(number).pull?.baseRef;

describe("where people merge", () => {
  for (const method of ["squash", "merge", "rebase"] satisfies MergeMethod[]) {
    it(`stacks stages on what is not merged and retargets them as a ${method} merges it`, async () => {
      world = await aGitHubWorld({
        script: script("one", "two", "three"),
        repository: { mergeMethods: [method] },
      });
      const { plan } = await start(world, [stage("one"), stage("two", ["one"]), stage("three", ["two"])]);
      const one = await world.stagePull("one");
      const two = await world.stagePull("two");
      const three = await world.stagePull("three");
      expect([one, two, three].map(({ number }) => base(number))).toEqual([
        "main",
        one.pull?.headRef,
        two.pull?.headRef,
      ]);
      expect(two.body).toContain(`Depends-On: #${one.number}`);
      for (const pull of [one, two, three]) {
        await world.until(() => base(pull.number) === "main", `#${pull.number} on main`);
        await world.until(
          async () =>
            !(await world.world.git.conflicts(world.repository.gitDir, "main", pull.pull?.headSha ?? "")),
          "no conflict",
        );
        await world.merge(pull.number, "wes", method);
      }
      await ended(world);
      for (const id of ["one", "two", "three"]) expect(await world.file(`${id}.txt`)).toBe(`${id}\n`);
      const open = world.pulls().filter(({ state }) => state === "open");
      expect(open.map(({ number }) => number)).toEqual([plan.number]);
    });
  }

  it("joins several unmerged dependencies in a branch of its own", async () => {
    world = await aGitHubWorld({ script: script("left", "right", "both") });
    await start(world, [stage("left"), stage("right"), stage("both", ["left", "right"])]);
    const both = await world.stagePull("both");
    expect(base(both.number)).toMatch(/\/both\.base$/);
    const left = await world.stagePull("left");
    const right = await world.stagePull("right");
    await world.merge(left.number);
    await world.merge(right.number);
    await world.until(() => base(both.number) === "main", "both on main");
    await world.run(
      (run) => run.stages.get("both")?.stack.length === 0 && run.stages.get("both")?.waiting !== null,
      "both at rest",
    );
    await world.merge(both.number);
    await ended(world);
    expect(await world.file("both.txt")).toBe("both\n");
  });
});
