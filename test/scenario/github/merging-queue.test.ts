import { afterEach, describe, expect, it } from "vitest";
import type { PullIssue } from "../../../playground/model/find.ts";
import { leaveQueue } from "../../../playground/model/stacks/leave-queue.ts";
import { processQueue } from "../../../playground/model/stacks/process-queue.ts";
import { panel } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  AUTO,
  aPipeline,
  ended,
  expectAllMerged,
  protection,
  script,
  stage,
  stageState,
  start,
  waiting,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
let end: (() => void) | null = null;
afterEach(async () => {
  end?.();
  end = null;
  await world?.end();
});

const queue = () => world.repository.mergeQueues.get("main") ?? [];
const isQueued = (number: number): boolean => queue().some(({ pull }) => pull === number);
/** GitHub's own worker: looks at the queue whenever something was reported. */
const work = (): (() => void) =>
  world.world.subscribe(({ event, action }) => {
    if (event === "check_run" && action === "completed")
      setImmediate(() => void processQueue(world.world, world.repository, "main"));
  });
const looks = () => world.loom.hosted.host.queue.enqueue({ kind: "sweep" });

describe("a merge queue", () => {
  it("merges what Loom puts into it, side by side, without any of it being built anew", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("left", "right", "top") });
    world.repository.protection.set("main", protection({ mergeQueue: true, requiredChecks: ["ci"] }));
    aPipeline(world).watch(() => "success");
    end = work();
    const { plan } = await start(world, [stage("left"), stage("right"), stage("top", ["left", "right"])]);
    expect(plan.body).toContain("Merges go through a merge queue.");
    const run = await ended(world);
    await expectAllMerged(world, ["left", "right", "top"]);
    const { events } = await (await world.engine()).store.load(run.id);
    const proofs = events.filter((event) => event.type === "attempt-verified");
    expect(proofs).toHaveLength(3);
  });

  it("is entered again after a pull request fell out of it unheard", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one") });
    world.repository.protection.set("main", protection({ mergeQueue: true, requiredChecks: ["ci"] }));
    const pipeline = aPipeline(world);
    await start(world, [stage("one")]);
    await waiting(world, "one", "in the merge queue");
    const one = await world.stagePull("one");
    await world.world.silently(() =>
      leaveQueue(world.world, world.repository, one as PullIssue, { by: "ada" }),
    );
    expect(isQueued(one.number)).toBe(false);
    await looks();
    await world.until(() => isQueued(one.number), "to be queued again");
    end = work();
    pipeline.watch(() => "success");
    await pipeline.report(queue()[0]?.headSha ?? "", "success");
    await ended(world);
    await expectAllMerged(world, ["one"]);
  });

  it("is not entered for ever by what keeps failing there: a person is asked", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one") });
    world.repository.protection.set("main", protection({ mergeQueue: true, requiredChecks: ["ci"] }));
    aPipeline(world).watch(({ queued }) => (queued ? "failure" : "success"));
    end = work();
    const { issue } = await start(world, [stage("one")]);
    await stageState(world, "one", "blocked");
    expect(await panel(world, issue, "left the merge queue")).toContain("3 times without being merged");
    expect(await world.file("one.txt")).toBeNull();
  });
});
