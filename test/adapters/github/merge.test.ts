import { describe, expect, it } from "vitest";
import { createCheckRun } from "../../../playground/model/checks/create-check-run.ts";
import { closeIssue } from "../../../playground/model/issues/close-issue.ts";
import { editPull } from "../../../playground/model/pulls/edit-pull.ts";
import { mergePull } from "../../../playground/model/pulls/merge-pull.ts";
import { submitReview } from "../../../playground/model/reviews/submit-review.ts";
import { processQueue } from "../../../playground/model/stacks/process-queue.ts";
import { stageBranch } from "../../../src/core/ids.ts";
import { git } from "../../support/git-repo.ts";
import { type Hosted, hostedRepository, RUN } from "./support/hosted-repository.ts";
import {
  mergeableNow,
  mergeSpec,
  mergeWhenKnown,
  publishSpec,
  publishStage,
  RULES,
} from "./support/publish-stage.ts";

describe("merging", () => {
  it.each(["squash", "merge", "rebase"] as const)(
    "brings a stage in by %s, and git proves it",
    async (method) => {
      const hosted = await hostedRepository();
      const forge = hosted.forge({ method });
      const published = await publishStage(hosted, forge, "build");
      const outcome = await mergeWhenKnown(forge, mergeSpec("build", published));
      expect(outcome).toEqual({ kind: "merged", as: hosted.tip("main") });
      expect(await forge.findMerged(RUN, "build", published.onto)).toBe(hosted.tip("main"));
      expect(await forge.findMerged(RUN, "other", published.onto)).toBe(null);
      const log = git(
        hosted.repository.gitDir,
        "log",
        "-1",
        "--format=%(trailers:key=Loom-Stage,valueonly)",
        "main",
      );
      expect(log.trim()).toBe("build");
      // Asked again after a crash.
      expect(await forge.merge(mergeSpec("build", published))).toEqual(outcome);
    },
  );

  it("uses the first method that the repository allows", async () => {
    const hosted = await hostedRepository({ mergeMethods: ["rebase"] });
    const forge = hosted.forge();
    const outcome = await mergeWhenKnown(
      forge,
      mergeSpec("build", await publishStage(hosted, forge, "build")),
    );
    expect(outcome.kind).toBe("merged");
  });

  it("says what to do when the method is not allowed", async () => {
    const hosted = await hostedRepository({ mergeMethods: ["squash"] });
    const forge = hosted.forge({ method: "rebase" });
    const outcome = await mergeWhenKnown(
      forge,
      mergeSpec("build", await publishStage(hosted, forge, "build")),
    );
    expect(outcome).toMatchInlineSnapshot(`
      {
        "kind": "held",
        "next": "Set \`merge.method\` in \`.github/loom.yml\` to one that is allowed, or allow this one in the repository's settings.",
        "reason": "The repository does not allow the merge method \`rebase\`: Rebase merges are not allowed on this repository.",
      }
    `);
  });

  it("looks before it repeats a merge whose answer was lost", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    await mergeableNow(hosted, published.pr);
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" },
      effect: { kind: "fail-after-applying", status: 502 },
    });
    hosted.requests();
    expect(await forge.merge(mergeSpec("build", published))).toEqual({
      kind: "merged",
      as: hosted.tip("main"),
    });
    expect(hosted.requests().filter((line) => line.startsWith("PUT"))).toHaveLength(1);
  });

  it("waits five, ten, then fifteen seconds while GitHub works out whether it can be merged", async () => {
    const hosted = await hostedRepository();
    const published = await publishStage(hosted, hosted.forge(), "build");
    const onto = await hosted.push("main", { "other.txt": "x\n" });
    hosted.playground.world.delays.mergeable = 60_000;
    const waits: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      const outcome = await hosted.forge().merge(mergeSpec("build", { ...published, onto }));
      waits.push(outcome.kind === "waiting" ? outcome.retryMs : outcome);
    }
    expect(waits).toEqual([5000, 10_000, 15_000, 15_000]);
  });

  it("does not wait for that where nothing can conflict", async () => {
    const hosted = await hostedRepository();
    hosted.playground.world.delays.mergeable = 60_000;
    const published = await publishStage(hosted, hosted.forge(), "build");
    expect(await hosted.forge().merge(mergeSpec("build", published))).toMatchObject({ kind: "merged" });
  });

  it("builds anew when the target moved", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    const tip = await hosted.push("main", { "other.txt": "x\n" });
    expect(await forge.merge(mergeSpec("build", published))).toEqual({ kind: "moved", tip });
  });

  it("does not merge what a person pushed after the proof", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    await hosted.push(stageBranch(RUN, "build"), { "sneaky.txt": "x\n" });
    expect(await forge.merge(mergeSpec("build", published))).toMatchInlineSnapshot(`
      {
        "kind": "held",
        "next": "Take the stage over with \`/loom take\`, or retry it.",
        "reason": "Somebody pushed to pull request #1 after it was verified.",
      }
    `);
    expect(hosted.tip("main")).toBe(published.onto);
  });

  it.each([
    [
      "a draft",
      (hosted: Hosted, pr: number) =>
        editPull(hosted.playground.world, hosted.repository, hosted.pull(pr), { by: "pat", draft: true }),
      "is a draft",
    ],
    [
      "closed",
      async (hosted: Hosted, pr: number) =>
        closeIssue(hosted.playground.world, hosted.repository, hosted.pull(pr), { by: "pat" }),
      "was closed without being merged",
    ],
  ] as const)("leaves %s pull request to people", async (_what, change, text) => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    await change(hosted, published.pr);
    expect(await forge.merge(mergeSpec("build", published))).toMatchObject({
      kind: "held",
      reason: expect.stringContaining(text),
    });
  });

  it.each([
    [405, "Base branch was modified. Review and try the merge again.", { kind: "waiting", retryMs: 5000 }],
    [409, "Head branch was modified. Review and try the merge again.", { kind: "waiting", retryMs: 5000 }],
    [405, "Pull Request is not mergeable", { kind: "waiting", retryMs: 15_000 }],
    [
      405,
      "You're not authorized to push to this branch.",
      { kind: "held", next: "Merge #1 by hand, or change the rule." },
    ],
    [422, "Validation Failed", { kind: "held" }],
    [404, "Not Found", { kind: "held" }],
  ] as const)("understands %i %s", async (status, message, expected) => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" },
      effect: { kind: "fail", status, body: { message } },
    });
    expect(await forge.merge(mergeSpec("build", published))).toMatchObject(expected);
  });

  it("waits when GitHub asks for a break that is longer than a job should wait", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" },
      effect: { kind: "rate-limit", secondary: true, retryAfter: 600 },
    });
    expect(await forge.merge(mergeSpec("build", published))).toMatchObject({
      kind: "waiting",
      retryMs: 600_000,
    });
  });

  it("waits for required checks, and names them", async () => {
    const hosted = await hostedRepository();
    hosted.repository.protection.set("main", { ...RULES, requiredChecks: ["ci", "lint", "e2e"] });
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    const check = (name: string, more: object) =>
      createCheckRun(hosted.playground.world, hosted.repository, {
        by: "loom[bot]",
        app: hosted.playground.world.github.apps[0]?.id ?? 0,
        name,
        headSha: published.commit,
        ...more,
      });
    await check("ci", { status: "completed", conclusion: "failure" });
    await check("lint", { status: "in_progress" });
    expect(await mergeWhenKnown(forge, mergeSpec("build", published))).toMatchInlineSnapshot(`
      {
        "kind": "waiting",
        "next": "Nothing to do while they run; fix those that failed.",
        "reason": "#1 waits for required checks: \`ci\` (failure), \`lint\` (running), \`e2e\` (not reported yet).",
        "retryMs": 60000,
      }
    `);
    for (const name of ["ci", "lint", "e2e"])
      await check(name, { status: "completed", conclusion: "success" });
    expect(await mergeWhenKnown(forge, mergeSpec("build", published))).toMatchObject({ kind: "merged" });
  });

  it("waits for a review", async () => {
    const hosted = await hostedRepository();
    hosted.repository.protection.set("main", { ...RULES, requiredApprovals: 1 });
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    expect(await mergeWhenKnown(forge, mergeSpec("build", published))).toMatchInlineSnapshot(`
      {
        "kind": "waiting",
        "next": "Review #1.",
        "reason": "#1 needs a review: At least 1 approving review is required by reviewers with write access.",
        "retryMs": 60000,
      }
    `);
    submitReview(hosted.playground.world, hosted.repository, hosted.pull(published.pr), {
      by: "pat",
      state: "APPROVED",
    });
    expect(await mergeWhenKnown(forge, mergeSpec("build", published))).toMatchObject({ kind: "merged" });
  });

  it("goes through the merge queue where there is one, and waits for it", async () => {
    const hosted = await hostedRepository();
    hosted.repository.protection.set("main", { ...RULES, mergeQueue: true });
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    const queued = await mergeWhenKnown(forge, mergeSpec("build", published));
    expect(queued).toMatchInlineSnapshot(`
      {
        "entered": true,
        "kind": "waiting",
        "next": "Nothing to do; the queue merges it.",
        "reason": "#1 is in the merge queue.",
        "retryMs": 60000,
      }
    `);
    // It enters once; from then on it is there.
    expect(await forge.merge(mergeSpec("build", published))).toEqual({ ...queued, entered: undefined });
    await processQueue(hosted.playground.world, hosted.repository, "main");
    expect(await forge.merge(mergeSpec("build", published))).toEqual({
      kind: "merged",
      as: hosted.tip("main"),
    });
  });

  it("merges a stacked pull request the only way that GitHub allows", async () => {
    const hosted = await hostedRepository({ stacksEnabled: true });
    const forge = hosted.forge({ stack: "native" });
    const a = await publishStage(hosted, forge, "a");
    const commit = await hosted.stageCommit("b", a.commit);
    await forge.publish(publishSpec("b", commit, { base: { kind: "stage", stage: "a" } }));
    expect(await mergeWhenKnown(forge, mergeSpec("a", a))).toEqual({
      kind: "merged",
      as: hosted.tip("main"),
    });
    expect(hosted.requests().some((line) => line.startsWith("PUT") && line.endsWith("/merge-async"))).toBe(
      true,
    );
  });

  it("gives a pull request the target as base before it merges it", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const a = await publishStage(hosted, forge, "a");
    const commit = await hosted.stageCommit("b", a.commit);
    const published = await forge.publish(publishSpec("b", commit, { base: { kind: "stage", stage: "a" } }));
    const pr = published.kind === "published" ? (published.pr ?? 0) : 0;
    await mergeWhenKnown(hosted.forge({ method: "merge" }), mergeSpec("a", a));
    const onto = hosted.tip("main") ?? "";
    const outcome = await mergeWhenKnown(forge, mergeSpec("b", { commit, pr, onto }));
    expect(outcome).toEqual({ kind: "merged", as: hosted.tip("main") });
    expect(hosted.pull(pr).pull.baseRef).toBe("main");
  });

  it("does not take a merge into another branch for one into the target", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const a = await publishStage(hosted, forge, "a");
    const commit = await hosted.stageCommit("b", a.commit);
    const published = await forge.publish(publishSpec("b", commit, { base: { kind: "stage", stage: "a" } }));
    const pr = published.kind === "published" ? (published.pr ?? 0) : 0;
    await mergePull(hosted.playground.world, hosted.repository, hosted.pull(pr), { by: "pat" });
    expect(await forge.merge(mergeSpec("b", { commit, pr, onto: a.onto }))).toMatchObject({ kind: "held" });
    expect(await forge.findMerged(RUN, "b", a.onto)).toBe(null);
  });

  it("is a person's matter when the App may not write", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const published = await publishStage(hosted, forge, "build");
    await mergeableNow(hosted, published.pr);
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" },
      effect: { kind: "fail", status: 403, body: { message: "Resource not accessible by integration" } },
    });
    expect(await forge.merge(mergeSpec("build", published))).toMatchObject({
      kind: "held",
      reason: "The GitHub App needs a permission that it does not have to do this.",
    });
  });
});
