import { beforeEach, describe, expect, it } from "vitest";
import { changeInstalledRepositories } from "../../playground/model/apps/change-installed-repositories.ts";
import { install } from "../../playground/model/apps/install.ts";
import { suspend, unsuspend } from "../../playground/model/apps/suspend.ts";
import { uninstall } from "../../playground/model/apps/uninstall.ts";
import { createCheckRun } from "../../playground/model/checks/create-check-run.ts";
import { rerequestCheckRun } from "../../playground/model/checks/rerequest-check-run.ts";
import { rerequestSuite } from "../../playground/model/checks/rerequest-suite.ts";
import { updateCheckRun } from "../../playground/model/checks/update-check-run.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { addLabel } from "../../playground/model/issues/add-label.ts";
import { closeIssue } from "../../playground/model/issues/close-issue.ts";
import { deleteComment } from "../../playground/model/issues/delete-comment.ts";
import { editComment } from "../../playground/model/issues/edit-comment.ts";
import { editIssue } from "../../playground/model/issues/edit-issue.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { removeLabel } from "../../playground/model/issues/remove-label.ts";
import { reopenIssue } from "../../playground/model/issues/reopen-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { deleteBranch } from "../../playground/model/pulls/delete-branch.ts";
import { editPull } from "../../playground/model/pulls/edit-pull.ts";
import { mergePull } from "../../playground/model/pulls/merge-pull.ts";
import { deleteLineComment } from "../../playground/model/reviews/delete-line-comment.ts";
import { dismissReview } from "../../playground/model/reviews/dismiss-review.ts";
import { editLineComment } from "../../playground/model/reviews/edit-line-comment.ts";
import { replyOnLine } from "../../playground/model/reviews/reply-on-line.ts";
import { reviewLines } from "../../playground/model/reviews/review-lines.ts";
import { submitReview } from "../../playground/model/reviews/submit-review.ts";
import { enqueue } from "../../playground/model/stacks/enqueue.ts";
import { leaveQueue } from "../../playground/model/stacks/leave-queue.ts";
import { aToldWorld, type ToldWorld, validate } from "./a-told-world.ts";

let world: ToldWorld["world"];
let hooks: ToldWorld["hooks"];
let receiver: ToldWorld["receiver"];
let repository: ToldWorld["repository"];
let app: ToldWorld["app"];
let installation: ToldWorld["installation"];
let gitDir: ToldWorld["gitDir"];
let anIssue: ToldWorld["anIssue"];
let aPull: ToldWorld["aPull"];
let push: ToldWorld["push"];

beforeEach(async () => {
  const told = await aToldWorld();
  ({ world, hooks, receiver, repository, app, installation, gitDir, anIssue, aPull, push } = told);
  return told.close;
});

describe("every event is as GitHub's schema has it", () => {
  it("about issues, comments and labels", async () => {
    const issue = openIssue(world, repository, {
      by: "ann",
      title: "T",
      body: "B",
      labels: ["bug", "new one"],
    });
    const comment = addComment(world, repository, issue, {
      by: app.bot,
      viaApp: app.id,
      body: "working on it",
    });
    editComment(world, repository, comment.id, { by: app.bot, body: "done" });
    deleteComment(world, repository, comment.id, { by: "acme" });
    editIssue(world, repository, issue, { by: "ann", body: "" });
    removeLabel(world, repository, issue, { by: "ann", label: "bug" });
    closeIssue(world, repository, issue, { by: "ann" });
    reopenIssue(world, repository, issue, { by: "ann" });
    await hooks.whenDelivered();
    expect(receiver.names()).toEqual([
      ...["issues opened", "issues labeled", "label created", "issues labeled"],
      ...["issue_comment created", "issue_comment edited", "issue_comment deleted"],
      ...["issues edited", "issues unlabeled", "issues closed", "issues reopened"],
    ]);
  });

  it("about reviews with comments on lines", async () => {
    const pull = await aPull("topic");
    const place = { path: "topic.txt", side: "RIGHT", line: 1, startSide: "RIGHT", startLine: null } as const;
    const remarks = [{ ...place, body: "why?" }];
    await reviewLines(world, repository, pull, { by: app.bot, viaApp: app.id, state: "COMMENTED", remarks });
    const id = pull.pull.threads[0]?.comments[0]?.id ?? 0;
    const reply = replyOnLine(world, repository, id, { by: "ann", body: "because" });
    editLineComment(world, repository, id, { by: app.bot, body: "well" });
    await push("topic", { "topic.txt": "y\n" });
    deleteLineComment(world, repository, reply.id, { by: "ann" });
    await hooks.whenDelivered();
    expect(receiver.names().filter((name) => name.includes("review"))).toEqual([
      ...["pull_request_review submitted", "pull_request_review_comment created"],
      ...["pull_request_review submitted", "pull_request_review_comment created"],
      ...["pull_request_review_comment edited", "pull_request_review_comment deleted"],
    ]);
  });

  it("about pull requests, pushes and branches", async () => {
    const pull = await aPull("topic");
    await push("topic", { "more.txt": "m\n" });
    await push("other", { "o.txt": "o\n" });
    await editPull(world, repository, pull, { by: "ann", title: "Better", body: "Text", base: "other" });
    await editPull(world, repository, pull, { by: "ann", base: "main" });
    addLabel(world, repository, pull, { by: "ann", label: "bug" });
    removeLabel(world, repository, pull, { by: "ann", label: "bug" });
    addComment(world, repository, pull, { by: "ann", body: "please look" });
    const review = submitReview(world, repository, pull, { by: "bob", state: "APPROVED" });
    dismissReview(world, repository, pull, { by: "acme", review: review.id });
    await editPull(world, repository, pull, { by: "ann", state: "closed" });
    await editPull(world, repository, pull, { by: "ann", state: "open" });
    await mergePull(world, repository, pull, { by: "acme", method: "squash" });
    await deleteBranch(world, repository, { by: "acme", branch: "topic" });
    await hooks.whenDelivered();
    const names = receiver.names();
    for (const action of ["opened", "synchronize", "edited", "labeled", "unlabeled", "closed", "reopened"]) {
      expect(names).toContain(`pull_request ${action}`);
    }
    expect(names).toEqual(expect.arrayContaining(["push", "create", "delete", "check_suite requested"]));
    expect(names).toEqual(
      expect.arrayContaining(["pull_request_review submitted", "pull_request_review dismissed"]),
    );
    const closed = receiver.received.findLast(({ payload }) => payload.action === "closed");
    expect(closed?.payload).toMatchObject({ pull_request: { merged: true, merged_by: { login: "acme" } } });
    const pushes = receiver.received.filter(({ event }) => event === "push").map(({ payload }) => payload);
    expect(pushes[0]).toMatchObject({
      ...{ ref: "refs/heads/topic", created: true, before: "0".repeat(40), pusher: { name: "ann" } },
      commits: [{ message: "Work", added: ["topic.txt"] }],
    });
    expect(pushes.at(-1)).toMatchObject({
      deleted: true,
      after: "0".repeat(40),
      head_commit: null,
      commits: [],
    });
  });

  it("about checks", async () => {
    const pull = await aPull("topic");
    const fields = { by: app.bot, app: app.id, headSha: pull.pull.headSha };
    const run = await createCheckRun(world, repository, { ...fields, name: "loom" });
    await createCheckRun(world, repository, { ...fields, name: "skipped", conclusion: "skipped" });
    updateCheckRun(world, repository, run, {
      by: app.bot,
      conclusion: "success",
      output: { title: "T", summary: "S" },
    });
    await createCheckRun(world, repository, { ...fields, name: "still going", status: "in_progress" });
    rerequestCheckRun(world, repository, run, { by: "ann" });
    const [suite] = repository.checkSuites;
    if (suite) rerequestSuite(world, repository, suite, { by: "ann" });
    await hooks.whenDelivered();
    expect(receiver.names().filter((name) => name.startsWith("check"))).toEqual([
      ...["check_suite requested", "check_run created", "check_run created", "check_run completed"],
      ...["check_run completed", "check_run created", "check_run rerequested", "check_suite rerequested"],
    ]);
    expect(receiver.received.at(-2)?.payload).toMatchObject({
      check_run: { name: "loom", conclusion: "success", pull_requests: [{ number: pull.number }] },
    });
  });

  it("about the merge queue", async () => {
    const none = { requiredChecks: [], strict: false, requiredApprovals: 0, dismissStaleReviews: false };
    repository.protection.set("main", {
      ...none,
      codeOwnerReviews: false,
      mergeQueue: true,
      linearHistory: false,
    });
    const pull = await aPull("topic");
    await enqueue(world, repository, pull, { by: "ann" });
    await leaveQueue(world, repository, pull, { by: "ann" });
    await hooks.whenDelivered();
    expect(receiver.names().slice(-4)).toEqual([
      ...["pull_request enqueued", "merge_group checks_requested"],
      ...["merge_group destroyed", "pull_request dequeued"],
    ]);
  });

  it("about installations and repositories", async () => {
    const at = { owner: "acme", name: "second", gitDir: gitDir("second") };
    const second = await createRepository(world, at);
    changeInstalledRepositories(world, installation, { remove: [second.id] });
    changeInstalledRepositories(world, installation, { add: [second.id] });
    suspend(world, installation);
    unsuspend(world, installation);
    uninstall(world, installation);
    install(world, app, { account: "acme", repositories: [repository] });
    await hooks.whenDelivered();
    expect(receiver.names()).toEqual([
      ...["repository created", "installation_repositories removed", "installation_repositories added"],
      ...["installation suspend", "installation unsuspend", "installation deleted", "installation created"],
    ]);
  });

  it("and a payload that is not makes the wait fail", async () => {
    hooks.inspect = (event, payload) => validate(event, { ...(payload as object), sender: { login: 1 } });
    anIssue();
    await expect(hooks.whenDelivered()).rejects.toThrow("failed to build or check webhooks");
    expect(() => validate("issues", { action: "exploded" })).toThrow("There is no webhook issues exploded");
  });
});
