import { afterEach, describe, expect, it } from "vitest";
import type { PullIssue } from "../../../playground/model/find.ts";
import { submitReview } from "../../../playground/model/reviews/submit-review.ts";
import { check, panel } from "../../support/github-talk.ts";
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
afterEach(() => world?.end());

const MERGE = { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" };
const isPlan = (ref: string | undefined): boolean => ref?.endsWith(".plan") ?? false;

describe("a branch with rules", () => {
  it("keeps a stage waiting until another App's check is green, and says which one it waits for", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two") });
    world.repository.protection.set("main", protection({ requiredChecks: ["ci"] }));
    const pipeline = aPipeline(world);
    pipeline.watch(({ pull }) =>
      isPlan(pull?.pull?.headRef) || pull?.title.includes("two") ? "success" : null,
    );
    const { issue } = await start(world, [stage("one"), stage("two", ["one"])]);
    await waiting(world, "one", "`ci` \\(not reported yet\\)");
    expect(await panel(world, issue, "waits for required checks")).toContain("`ci` (not reported yet)");
    const one = await world.stagePull("one");
    await pipeline.report(one.pull?.headSha ?? "", "failure");
    await waiting(world, "one", "`ci` \\(failure\\)");
    expect(world.get(one.number).pull?.merged).toBe(false);
    await pipeline.report(one.pull?.headSha ?? "", "success");
    await ended(world);
    await expectAllMerged(world, ["one", "two"]);
  });

  it("that have to be up to date are brought up to date, the record's as well", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two") });
    world.repository.protection.set("main", protection({ requiredChecks: ["ci"], strict: true }));
    aPipeline(world).watch(() => "success");
    await start(world, [stage("one"), stage("two")]);
    await ended(world);
    await expectAllMerged(world, ["one", "two"]);
  });

  it("waits for reviews, warns in the plan that they can be dismissed, and merges when they are there", async () => {
    world = await aGitHubWorld({
      config: AUTO,
      script: script("one"),
      files: { CODEOWNERS: "*.txt @mia\n" },
    });
    world.repository.protection.set(
      "main",
      protection({ requiredApprovals: 1, dismissStaleReviews: true, codeOwnerReviews: true }),
    );
    const { plan, issue } = await start(world, [stage("one")]);
    expect(plan.body).toContain("Each pull request needs 1 approving review.");
    expect(plan.body).toContain("A push dismisses reviews");
    expect(plan.body).toContain("Code owners have to review what they own.");
    await waiting(world, "one", "needs a review");
    expect(await panel(world, issue, "needs a review")).toContain("At least 1 approving review");
    const one = await world.stagePull("one");
    submitReview(world.world, world.repository, one as PullIssue, { by: "ada", state: "APPROVED" });
    await waiting(world, "one", "code owner review from mia");
    world.review(one.number, "mia");
    await stageState(world, "one", "completed");
    // The record is for people to review as well, once it is there.
    const tried = (path: string) => path.endsWith(`/pulls/${plan.number}/merge`);
    await world.until(() => world.world.github.requests.some(({ path }) => tried(path)), "the record");
    world.review(plan.number, "mia");
    await ended(world);
    await expectAllMerged(world, ["one"]);
  });
});

describe("a merge that GitHub refuses (F16)", () => {
  it("is tried again when the base was modified, and after an answer that got lost", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two") });
    const modified = world.github.faults.inject({
      on: "request",
      match: MERGE,
      effect: {
        kind: "fail",
        status: 405,
        body: { message: "Base branch was modified. Review and try the merge again." },
      },
    });
    await start(world, [stage("one"), stage("two", ["one"])]);
    await modified.whenFired;
    const lost = world.github.faults.inject({
      on: "request",
      match: MERGE,
      effect: { kind: "fail-after-applying", status: 502 },
    });
    await ended(world);
    expect(lost.fired).toBe(1);
    await expectAllMerged(world, ["one", "two"]);
  });

  it("asks a person when a policy is in the way, and goes on after a retry", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one") });
    world.github.faults.inject({
      on: "request",
      match: MERGE,
      effect: { kind: "fail", status: 405, body: { message: "Merging is frozen until Monday." } },
    });
    const { issue } = await start(world, [stage("one")]);
    await stageState(world, "one", "blocked");
    expect(await panel(world, issue, "frozen")).toContain("Merging is frozen until Monday.");
    await check(world, "loom / one", ({ conclusion }) => conclusion === "action_required");
    world.comment(issue, "/loom retry one");
    await ended(world);
    await expectAllMerged(world, ["one"]);
  });

  it("merges nothing when the head moved at the last moment", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one") });
    world.repository.protection.set("main", protection({ requiredChecks: ["ci"] }));
    const pipeline = aPipeline(world);
    const { issue } = await start(world, [stage("one")]);
    await waiting(world, "one", "ci");
    const one = await world.stagePull("one");
    const proved = one.pull?.headSha ?? "";
    // Nobody is told of the push, and the check is green on both.
    const pushed = await world.world.silently(() =>
      world.push(one.pull?.headRef ?? "", { "sneaked.txt": "in\n" }, "wes", one.pull?.headRef),
    );
    await world.world.silently(() => pipeline.report(pushed, "success"));
    await pipeline.report(proved, "success");
    await stageState(world, "one", "blocked");
    expect(await panel(world, issue, "Somebody pushed")).toContain("/loom take one");
    expect(await world.file("sneaked.txt")).toBeNull();
    expect(await world.file("one.txt")).toBeNull();
  });
});
