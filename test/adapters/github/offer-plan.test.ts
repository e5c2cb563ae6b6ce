import { describe, expect, it } from "vitest";
import { closeIssue } from "../../../playground/model/issues/close-issue.ts";
import { editPull } from "../../../playground/model/pulls/edit-pull.ts";
import { planBranch } from "../../../src/core/ids.ts";
import type { PlanOffer } from "../../../src/ports/github/plan-branch.ts";
import { type Hosted, hostedRepository, RUN } from "./support/hosted-repository.ts";

const PATH = `.loom/${RUN}/PLAN.md`;
const BRANCH = planBranch(RUN);

function offerFor(hosted: Hosted, more: Partial<PlanOffer> = {}): PlanOffer {
  return {
    run: RUN,
    target: "main",
    base: hosted.tip("main") ?? "",
    files: { [PATH]: "# Plan\n", [`.loom/${RUN}/about.md`]: "About\n" },
    planPath: PATH,
    message: `Plan the login\n\nLoom-Run: ${RUN}\n`,
    title: "Plan: add a login",
    body: "The plan.",
    ...more,
  };
}

describe("a plan", () => {
  it("is offered as one commit on one branch in one pull request", async () => {
    const hosted = await hostedRepository();
    const offered = await hosted.planBranch.offerPlan(offerFor(hosted));
    if (offered.kind !== "offered") return expect.fail(offered.kind);
    expect(hosted.tip(BRANCH)).toBe(offered.head);
    expect(await hosted.contents.blobOf(offered.head, PATH)).toBe(offered.blob);
    expect(await hosted.pulls.pull(offered.pr)).toMatchObject({
      title: "Plan: add a login",
      author: "loom[bot]",
      base: "main",
      open: true,
      head: { ref: BRANCH, sha: offered.head, sameRepository: true },
    });
    expect(await hosted.pulls.pullByBranch(BRANCH)).toMatchObject({ number: offered.pr });
    expect(await hosted.pulls.pullByBranch("nothing")).toBe(null);
  });

  it("is found again by another process, with the same commit", async () => {
    const hosted = await hostedRepository();
    const first = await hosted.planBranch.offerPlan(offerFor(hosted));
    const other = await hosted.again();
    expect(await other.planBranch.offerPlan(offerFor(hosted))).toEqual(first);
    expect([...hosted.repository.issues.values()]).toHaveLength(1);
  });

  it.each(["fail-after-applying", "hang-up"] as const)(
    "has one pull request, though the answer to opening it was lost (%s)",
    async (kind) => {
      const hosted = await hostedRepository();
      hosted.playground.faults.inject({
        on: "request",
        match: { method: "POST", route: "/repos/{owner}/{repo}/pulls" },
        effect: kind === "hang-up" ? { kind, afterApplying: true } : { kind, status: 502 },
      });
      expect(await hosted.planBranch.offerPlan(offerFor(hosted))).toMatchObject({ kind: "offered", pr: 1 });
      expect([...hosted.repository.issues.values()]).toHaveLength(1);
    },
  );

  it("is not offered over a branch that somebody else made", async () => {
    const hosted = await hostedRepository();
    const tip = await hosted.push(BRANCH, { "x.txt": "mine\n" }, "main");
    expect(await hosted.planBranch.offerPlan(offerFor(hosted))).toEqual({
      kind: "taken",
      branch: BRANCH,
      tip,
    });
    expect(hosted.tip(BRANCH)).toBe(tip);
  });

  it("is not offered over a person's commit on top of it", async () => {
    const hosted = await hostedRepository();
    await hosted.planBranch.offerPlan(offerFor(hosted));
    const tip = await hosted.push(BRANCH, { [PATH]: "# Another plan\n" });
    expect(await hosted.planBranch.offerPlan(offerFor(hosted))).toEqual({
      kind: "taken",
      branch: BRANCH,
      tip,
    });
  });

  it("is not offered again when a person closed it", async () => {
    const hosted = await hostedRepository();
    const offered = await hosted.planBranch.offerPlan(offerFor(hosted));
    if (offered.kind !== "offered") return expect.fail(offered.kind);
    closeIssue(hosted.playground.world, hosted.repository, hosted.pull(offered.pr), { by: "pat" });
    expect(await hosted.planBranch.offerPlan(offerFor(hosted))).toEqual({ kind: "closed", pr: offered.pr });
  });

  it("keeps the title and the text that a person gave it", async () => {
    const hosted = await hostedRepository();
    const offered = await hosted.planBranch.offerPlan(offerFor(hosted));
    if (offered.kind !== "offered") return expect.fail(offered.kind);
    const pull = hosted.pull(offered.pr);
    await editPull(hosted.playground.world, hosted.repository, pull, { by: "pat", title: "Better title" });
    await hosted.planBranch.offerPlan(offerFor(hosted, { title: "New title", body: "New text." }));
    expect(pull.title).toBe("Better title");
    expect(pull.body).toContain("New text.");
    await editPull(hosted.playground.world, hosted.repository, pull, { by: "pat", body: "My own words" });
    await hosted.pulls.editPull(offered.pr, { title: "Third title", body: "Third text." });
    expect([pull.title, pull.body]).toEqual(["Better title", "My own words"]);
  });

  it("can be closed and opened by Loom", async () => {
    const hosted = await hostedRepository();
    const offered = await hosted.planBranch.offerPlan(offerFor(hosted));
    if (offered.kind !== "offered") return expect.fail(offered.kind);
    await hosted.pulls.editPull(offered.pr, { state: "closed" });
    await hosted.pulls.editPull(offered.pr, { state: "closed" });
    expect(hosted.pull(offered.pr).state).toBe("closed");
  });
});

describe("the copy of a ledger", () => {
  it("is found by a process that has lost everything, and forgotten on request", async () => {
    const hosted = await hostedRepository();
    await hosted.ledgerMirror.mirrorLedger(RUN, "one\n");
    await hosted.ledgerMirror.mirrorLedger(RUN, "one\ntwo\n");
    await hosted.ledgerMirror.mirrorLedger("other-run", "x\n");
    const other = await hosted.again();
    expect(await other.ledgerMirror.mirroredLedgers()).toEqual([
      { run: RUN, text: "one\ntwo\n" },
      { run: "other-run", text: "x\n" },
    ]);
    await other.ledgerMirror.forgetLedger(RUN);
    await other.ledgerMirror.forgetLedger(RUN);
    expect((await hosted.ledgerMirror.mirroredLedgers()).map(({ run }) => run)).toEqual(["other-run"]);
    expect(hosted.warnings).toEqual([]);
  });

  it("is not pushed again when nothing changed", async () => {
    const hosted = await hostedRepository();
    await hosted.ledgerMirror.mirrorLedger(RUN, "one\n");
    const before = hosted.playground.world.github.requests.length;
    await hosted.ledgerMirror.mirrorLedger(RUN, "one\n");
    const paths = hosted.playground.world.github.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.includes("receive-pack"))).toEqual([]);
  });

  it("counts for nothing when somebody else wrote it, or moved it to another run", async () => {
    const hosted = await hostedRepository();
    await hosted.ledgerMirror.mirrorLedger(RUN, "one\n");
    const person = hosted.person();
    person.git("fetch", "-q", "origin", `refs/loom/${RUN}`);
    person.git("push", "-q", "origin", "FETCH_HEAD:refs/loom/copied-run");
    person.write({ "history.jsonl": "forged\n", signature: `${"0".repeat(64)}\n` });
    person.commit("forged");
    person.git("push", "-q", "--force", "origin", `HEAD:refs/loom/${RUN}`);
    person.git("push", "-q", "origin", "origin/main:refs/loom/no-ledger");
    expect(await hosted.ledgerMirror.mirroredLedgers()).toEqual([]);
    expect(hosted.warnings).toHaveLength(3);
    expect(hosted.warnings[0]).toMatchInlineSnapshot(
      `"store/copy: the copy of a ledger at refs/loom/add-login-1a2b, which is not signed by this App; it is ignored."`,
    );
  });
});
