import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aScene, aSign, ask, expectCleanEnd, mergesOf, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
afterEach(async () => {
  await world?.end();
  world = null;
});

function git(world: GitHubWorld, ...args: string[]): string {
  return execFileSync("git", ["--git-dir", world.repository.gitDir, ...args], { encoding: "utf8" }).trim();
}

function copies(world: GitHubWorld): [ref: string, commit: string][] {
  return git(world, "for-each-ref", "--format=%(refname) %(objectname)", "refs/loom/")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ") as [string, string]);
}

function textOf(world: GitHubWorld, commit: string): string {
  return git(world, "show", `${commit}:history.jsonl`);
}

/** The copy as it is once the run was approved, before anything was built. */
async function approvedCopy(world: GitHubWorld): Promise<[ref: string, commit: string]> {
  return world.until(
    () => copies(world).find(([, commit]) => textOf(world, commit).includes("run-approved")),
    "a copy",
  );
}

/** Everything that Loom keeps is gone, and the copy in git is an older one. */
async function lose(world: GitHubWorld, [ref, commit]: [string, string]): Promise<void> {
  await world.stopLoom();
  git(world, "update-ref", ref, commit);
  await rm(world.env.LOOM_DATA ?? "", { recursive: true, force: true });
  await world.startLoom();
  await world.until(
    () =>
      world.engine().then(
        () => true,
        () => false,
      ),
    "the repository is known again",
  );
}

/** Holds the agents until the copy has been made. */
function stagesThatCount(sign: string, stages: readonly SceneStage[]): SceneStage[] {
  return stages.map((stage) => ({
    ...stage,
    first: [{ run: `echo ${stage.id} >> ${sign}; until test -f ${sign}-go; do sleep 0.1; done` }],
  }));
}

it("adopts what it published after the last copy of the ledger, and asks no agent again", async () => {
  const sign = await aSign();
  const stages = stagesThatCount(sign, [{ id: "one" }, { id: "two", needs: ["one"] }]);
  const scene = await aScene(stages, { mode: "review", loom: true });
  world = scene.world;
  await ask(world, scene.issue);
  const copy = await approvedCopy(world);
  expect(textOf(world, copy[1])).not.toContain("stage-published");
  execFileSync("touch", [`${sign}-go`]);
  const published = ["one", "two"].map((id) => `loom/${(copy[0] ?? "").slice("refs/loom/".length)}/${id}`);
  await world.run(
    (run) => [...run.stages.values()].every(({ waiting }) => waiting !== null),
    "two open pull requests",
  );
  const tips = published.map((branch) => git(world as GitHubWorld, "rev-parse", branch));

  await lose(world, copy);
  const run = await world.run(
    (one) => [...one.stages.values()].every(({ waiting }) => waiting !== null),
    "both adopted",
  );
  expect(
    [...run.stages.values()].map(({ branch, attempts, deaths }) => [branch?.tip, attempts, deaths]),
  ).toEqual([
    [tips[0], 1, 0],
    [tips[1], 1, 0],
  ]);
  expect([...run.stages.values()].map(({ pr }) => pr)).toEqual(
    published.map((branch) => world?.pulls().find(({ pull }) => pull?.headRef === branch)?.number),
  );
  expect(readFileSync(sign, "utf8")).toBe("one\ntwo\n");

  await world.merge((await world.stagePull("one")).number);
  // What stood on it follows by itself; then a person merges that, too.
  const above = await world.stagePull("two");
  await world.until(() => above.pull?.baseRef === "main", "the second one follows");
  await world.run(
    (one) => one.stages.get("two")?.waiting !== null && one.stages.get("two")?.stack.length === 0,
    "proved anew",
  );
  await world.merge(above.number);
  await world.run(({ status }) => status === "completed", "the end");
  await expectCleanEnd(world, null, stages);
  expect(readFileSync(sign, "utf8")).toBe("one\ntwo\n");
});

it("knows what was merged after the last copy of the ledger", async () => {
  const sign = await aSign();
  const stages = stagesThatCount(sign, [{ id: "one" }, { id: "two", needs: ["one"] }]);
  stages[1] = {
    id: "two",
    needs: ["one"],
    first: [{ run: `until test -f ${sign}-two; do sleep 0.1; done` }],
  };
  const scene = await aScene(stages, { loom: true });
  world = scene.world;
  await ask(world, scene.issue);
  const copy = await approvedCopy(world);
  execFileSync("touch", [`${sign}-go`]);
  await world.until(() => world && mergesOf(world, "one") === 1, "the merge");
  await lose(world, copy);
  execFileSync("touch", [`${sign}-two`]);
  await world.run(({ status, recorded }) => status === "completed" && recorded !== null, "the end");
  await expectCleanEnd(world, null, stages);
  expect(readFileSync(sign, "utf8")).toBe("one\n");
});

it("takes no work of a person for its own, and believes no copy that it did not sign", async () => {
  const sign = await aSign();
  const stages = stagesThatCount(sign, [{ id: "one" }]);
  const scene = await aScene(stages, { mode: "review", loom: true });
  world = scene.world;
  await ask(world, scene.issue);
  const copy = await approvedCopy(world);
  const run = copy[0].slice("refs/loom/".length);
  execFileSync("touch", [`${sign}-go`]);
  await world.run((one) => one.stages.get("one")?.waiting !== null, "an open pull request");
  await world.stopLoom();
  await world.push(`loom/${run}/one`, { "person.txt": "mine\n" }, "wes", `loom/${run}/one`);
  const pushed = git(world, "rev-parse", `loom/${run}/one`);
  // Somebody who may push copies the ledger to another name, and writes one of their own.
  git(world, "update-ref", "refs/loom/another-run", copy[1]);
  const forged = git(
    world,
    "commit-tree",
    git(world, "rev-parse", "main^{tree}"),
    "-m",
    "Ledger of the run x",
  );
  git(world, "update-ref", "refs/loom/x", forged);

  await lose(world, copy);
  const blocked = await world.run((one) => one.stages.get("one")?.state.kind === "blocked", "a question");
  expect(blocked.stages.get("one")?.state).toMatchObject({ failure: { kind: "branch-taken" } });
  expect(git(world, "rev-parse", `loom/${run}/one`)).toBe(pushed);
  expect((await world.runs()).map(({ id }) => id)).toEqual([run]);
  const ignored = world.loom.audits.filter(({ rule }) => rule === "copy");
  expect(ignored.length).toBe(2);
});
