import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Issue } from "../../../playground/model/types.ts";
import { repoId } from "../../../src/core/ids.ts";
import type { Run } from "../../../src/core/run/run.ts";
import { giveUpOnTrain } from "../../../src/engine/github/train/give-up-on-train.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";
import {
  AUTO,
  aGate,
  commitsOf,
  expectAllMerged,
  type Gate,
  stage,
  stagePulls,
  write,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
let gate: Gate;
let notes: string;
beforeEach(() => {
  gate = aGate();
  notes = mkdtempSync(join(tmpdir(), "loom-proofs-"));
});
afterEach(async () => {
  gate.close();
  await world?.end();
  rmSync(notes, { recursive: true, force: true });
});

/** Writes one file behind the gate, so that all stages can end while nothing is merged. */
const behindGate = (...ids: string[]) =>
  Object.fromEntries(ids.map((id) => [id, [gate.wait, write(`${id}.txt`, `${id}\n`)]]));

/** Each proof of the stage leaves a line with the files that are there then. */
const noted = (id: string, ...checks: string[]) =>
  stage(id, [], { acceptance: [`echo ${id}: *.txt >> '${notes}/proofs'`, ...checks, `test -f ${id}.txt`] });

const proofsOf = (id: string): string[] =>
  readFileSync(join(notes, "proofs"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith(`${id}: `))
    .map((line) => line.slice(id.length + 2));

type Stages = ReturnType<typeof stage>[];

/** A run of these stages for each list, all published and none merged, because every run is paused. */
async function published(runs: Stages[], last?: { id: string; gate: Gate }): Promise<number[]> {
  const issues: number[] = [];
  for (const [n, stages] of runs.entries()) {
    const issue = world.issue({ title: `Files ${n}`, body: planDocument(stages, { max_parallel: 4 }) });
    world.comment(issue, "/loom run");
    await world.until(() => plans().length === n + 1, `plan ${n}`);
    issues.push(issue);
  }
  for (const { number } of plans()) world.label(number, "loom: approve");
  const all = (is: (run: Run) => boolean, what: string) =>
    world.until(async () => {
      const known = await world.runs();
      return known.length === runs.length && known.every(is);
    }, what);
  await all(({ stages }) => [...stages.values()].every(({ state }) => state.kind === "executing"), "agents");
  for (const issue of issues) world.comment(issue, "/loom pause");
  await all(({ pausedBy }) => pausedBy !== null, "every run to be paused");
  const arePublished = (which: (id: string) => boolean) =>
    all(
      ({ stages }) =>
        [...stages].every(
          ([id, { state }]) => !which(id) || (state.kind === "executing" && state.phase === "published"),
        ),
      "stages to be published",
    );
  gate.open();
  await arePublished((id) => id !== last?.id);
  last?.gate.open();
  await arePublished(() => true);
  return issues;
}

const plans = (): Issue[] => world.pulls().filter(({ pull }) => pull?.headRef.endsWith(".plan"));

const resume = (issues: readonly number[]): void => {
  for (const issue of issues) world.comment(issue, "/loom resume");
};

const allEnded = (): Promise<true> =>
  world.until(
    async () => ((await world.runs()).every(({ recorded }) => recorded !== null) ? (true as const) : null),
    "the end of every run",
  );

async function eventsOf(type: string) {
  const { store } = await world.engine();
  const ledgers = await Promise.all((await store.list()).map((id) => store.load(id)));
  return ledgers.flatMap(({ events }) => events).filter((event) => event.type === type);
}

describe("stages of several runs that are due at the same time", () => {
  it("are proved together once, on what the target becomes, and merged as they were published", async () => {
    world = await aGitHubWorld({ config: AUTO, script: behindGate("a", "b", "c", "d") });
    const issues = await published([
      [noted("a"), noted("b")],
      [noted("c"), noted("d")],
    ]);
    const ids = ["a", "b", "c", "d"];
    const heads = ids.map((id) => stagePulls(world, id)[0]?.pull?.headSha);
    resume(issues);
    await allEnded();
    await expectAllMerged(world, ids);
    expect(ids.map((id) => stagePulls(world, id)[0]?.pull?.headSha)).toEqual(heads);
    // Before it was published each was alone; no stage was proved a third time.
    for (const id of ids) expect(proofsOf(id)[0]).toBe(`${id}.txt`);
    const proved = await eventsOf("merge-proved");
    expect(ids.map((id) => proofsOf(id).length)).toEqual(
      ids.map((id) => 1 + proved.filter((event) => "stage" in event && event.stage === id).length),
    );
    // The second run may be resumed when the first train has left.
    const last = ids.map((id) => proofsOf(id).at(-1)?.split(" ").length);
    expect(Math.max(...last.map(Number))).toBe(4);
    expect(new Set(last).size).toBeLessThanOrEqual(2);
  });

  it("are merged by a worker that made none of them", async () => {
    world = await aGitHubWorld({ config: AUTO, script: behindGate("a", "b", "c") });
    const issues = await published([[noted("a"), noted("b"), noted("c")]]);
    const ids = ["a", "b", "c"];
    // On another machine they would be nowhere but on GitHub.
    const mirror = join(world.env.LOOM_DATA ?? "", "repositories", repoId(world.repository.id), "mirror.git");
    for (const id of ids) {
      const head = stagePulls(world, id)[0]?.pull?.headSha ?? "";
      rmSync(join(mirror, "objects", head.slice(0, 2), head.slice(2)));
    }
    resume(issues);
    await allEnded();
    await expectAllMerged(world, ids);
    // A train that can't go on is tried again, and then each stage by itself.
    expect(await eventsOf("merge-claimed")).toHaveLength(3);
  });

  it("find out which of them breaks the others, and merge the rest", async () => {
    const late = aGate();
    world = await aGitHubWorld({
      config: AUTO,
      script: { ...behindGate("a", "b", "c"), bad: [late.wait, write("bad.txt", "bad\n")] },
      env: { LOOM_MAX_RETRIES: "0" },
    });
    const stages = [noted("a"), noted("b"), noted("bad", "! test -f a.txt"), noted("c", "! test -f bad.txt")];
    const issues = await published([stages], { id: "bad", gate: late });
    resume(issues);
    const run = await world.run(({ status }) => status === "blocked", "the end of the run");
    const kinds = Object.fromEntries([...run.stages].map(([id, { state }]) => [id, state.kind]));
    expect(kinds).toEqual({ a: "completed", b: "completed", c: "completed", bad: "blocked" });
    expect(run.stages.get("bad")?.state).toMatchObject({ failure: { kind: "checks-failed" } });
    for (const id of ["a", "b", "c"]) expect(await commitsOf(world, `${id}.txt`)).toHaveLength(1);
    expect(await world.file("bad.txt")).toBeNull();
  });

  it("are proved anew behind a commit of somebody else that comes in between (F18)", async () => {
    world = await aGitHubWorld({ config: AUTO, script: behindGate("a", "b", "c") });
    const issues = await published([[noted("a"), noted("b"), noted("c")]]);
    // It comes between the last look at the target and the first merge, so that one is merged behind it unproved.
    let letGo = (): void => {};
    const first = world.github.faults.inject({
      on: "request",
      match: { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" },
      effect: { kind: "delay", until: new Promise<void>((done) => (letGo = done)) },
    });
    resume(issues);
    await first.whenFired;
    await world.push("main", { "theirs.txt": "theirs\n" }, "ada");
    letGo();
    await allEnded();
    await expectAllMerged(world, ["a", "b", "c"]);
    const behind = ["a", "b", "c"].map((id) => proofsOf(id).at(-1)?.includes("theirs.txt"));
    expect(behind.filter((one) => one === true)).toHaveLength(2);
  });

  it("are merged one by one where trains never ended", async () => {
    world = await aGitHubWorld({ config: AUTO, script: behindGate("a", "b") });
    const issues = await published([[noted("a"), noted("b")]]);
    await giveUpOnTrain(await world.engine(), "main");
    resume(issues);
    await allEnded();
    await expectAllMerged(world, ["a", "b"]);
    expect(await eventsOf("merge-proved")).toEqual([]);
  });

  it("that don't go together are merged until one conflicts, which its agent resolves", async () => {
    const color = (own: string) => ({
      attempts: [[gate.wait, write("color.txt", `${own}\n`), write(`${own}.txt`, `${own}\n`)]],
      conflict: [write("color.txt", "red and blue\n"), write(`${own}.txt`, `${own}\n`)],
    });
    world = await aGitHubWorld({
      config: AUTO,
      files: { "color.txt": "gray\n" },
      script: { red: color("red"), blue: color("blue"), ...behindGate("c") },
    });
    const issues = await published([[noted("red"), noted("blue"), noted("c")]]);
    resume(issues);
    await allEnded();
    expect(await world.file("color.txt")).toBe("red and blue\n");
    for (const id of ["red", "blue", "c"]) expect(stagePulls(world, id)).toHaveLength(1);
    const run = await world.run();
    expect([...run.stages.values()].map(({ conflicts }) => conflicts).sort()).toEqual([0, 0, 1]);
  });
});
