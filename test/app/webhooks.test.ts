import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mayCommand } from "../../src/app/webhooks/webhook.ts";
import { deliverySchema, MAX_BODY_CHARS } from "../../src/core/command/delivery.ts";
import { parseCommands } from "../../src/core/command/parse-commands.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { quickly } from "../support/quickly.ts";
import { APP_ID, type AppWorld, openAppWorld } from "./app-world.ts";
import {
  checkRunPayload,
  checkSuitePayload,
  commentPayload,
  installationPayload,
  installationRepositoriesPayload,
  issuePayload,
  lineCommentPayload,
  mergeGroupPayload,
  PERSON,
  pullRequestPayload,
  pushPayload,
  ROBOT,
  reviewPayload,
  STRANGER,
  WRITTEN,
} from "./payloads.ts";

let world: AppWorld;
beforeAll(async () => {
  world = await openAppWorld();
});
afterAll(() => world.close());

const repoRef = {
  installation: 99,
  repo: { id: 42, owner: "acme", name: "engine" },
};
const sender = { login: "ada", id: 7, bot: false };
const SHA = "a".repeat(40);
const head = { sha: SHA, ref: "loom/cache-1a2b.plan", repo: 42 };

describe("a comment", () => {
  it("arrives with what the person wrote", async () => {
    expect(await world.effectOf("issue_comment", commentPayload())).toEqual({
      kind: "comment",
      repoRef,
      sender,
      number: 12,
      isPullRequest: false,
      comment: 1001,
      at: WRITTEN,
      body: "/loom run",
      opening: { title: "Add a cache", body: "" },
    });
  });

  it("on a pull request is told apart", async () => {
    const issue = { number: 30, pull_request: { url: "https://example.test/30" } };
    expect(await world.effectOf("issue_comment", commentPayload({}, { issue }))).toMatchObject({
      number: 30,
      isPullRequest: true,
    });
  });

  it.each([
    ["edited", commentPayload({}, { action: "edited", changes: { body: { from: "hello" } } })],
    ["deleted", commentPayload({}, { action: "deleted" })],
    ["written by a bot", commentPayload({}, { sender: ROBOT })],
    ["written by a login that ends in [bot]", commentPayload({}, { sender: { ...ROBOT, type: "User" } })],
    ["written by nobody", commentPayload({}, { sender: null })],
    ["written through an App", commentPayload({ performed_via_github_app: { id: 1, slug: "chat" } })],
    [
      "written by Loom itself",
      commentPayload({ performed_via_github_app: { id: APP_ID } }, { sender: ROBOT }),
    ],
    ["written by somebody other than its sender", commentPayload({ user: STRANGER })],
    ["whose author is gone", commentPayload({ user: null })],
    ["without a command", commentPayload({ body: "I like /loom run, but not now.\nPerhaps later." })],
    ["about another program", commentPayload({ body: "/loomy run" })],
    ["without a body", commentPayload({ body: null })],
    ["without an installation", commentPayload({}, { installation: undefined })],
    ["without a repository", commentPayload({}, { repository: undefined })],
  ])("%s has no effect", async (_, payload) => {
    expect(await world.effectOf("issue_comment", payload)).toBeNull();
  });

  it.each(["/LOOM run", "Hello\n\n   /loom status", "thanks\r\n/loom cancel\r\n", "/loom"])(
    "may hold a command: %j",
    async (body) => {
      expect(await world.effectOf("issue_comment", commentPayload({ body }))).toMatchObject({ body });
    },
  );

  it("is never left aside when the parser would find a command in it", () => {
    const pieces = [
      "/loom",
      "/LOOM run",
      " ",
      "\t",
      "\u00a0",
      "\u200b",
      "\ufeff",
      "\u2028",
      "\n",
      "\r\n",
      ">",
      "```",
      "x",
      "- ",
    ];
    const bodies = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(bodies, (body) => parseCommands(body).items.length === 0 || mayCommand(body)),
      { numRuns: propertyRuns(20) },
    );
  });

  it("is looked at in no time, however it is made", () => {
    for (const piece of ["\n", " ", "\u2028", "\r\n", " /", "/loo\n", "\u200b"]) {
      const body = piece.repeat(MAX_BODY_CHARS / piece.length);
      expect(quickly(200, () => mayCommand(body))).toBe(false);
    }
  });

  it("is cut to what the inbox takes, between characters", async () => {
    const body = `/loom run ${"x".repeat(MAX_BODY_CHARS - 11)}😀 and more`;
    const delivery = await world.effectOf("issue_comment", commentPayload({ body }));
    expect(delivery).toMatchObject({ body: body.slice(0, MAX_BODY_CHARS - 1) });
    expect(deliverySchema.parse(delivery)).toEqual(delivery);
  });
});

describe("an issue", () => {
  it("that asks for a run arrives with its title and body", async () => {
    expect(await world.effectOf("issues", issuePayload())).toEqual({
      kind: "issue-opened",
      repoRef,
      sender,
      number: 12,
      at: WRITTEN,
      title: "Add a cache",
      body: "Please.\n\n/loom run",
    });
  });

  it("that is closed wakes Loom, whoever closed it and whatever it says", async () => {
    const payload = issuePayload({ body: null }, { action: "closed", sender: ROBOT });
    expect(await world.effectOf("issues", payload)).toMatchObject({
      kind: "issue-closed",
      repoRef,
      number: 12,
    });
  });

  it.each([
    ["opened by a bot", issuePayload({}, { sender: ROBOT })],
    ["opened through an App", issuePayload({ performed_via_github_app: { id: 3 } })],
    ["written by somebody other than its sender", issuePayload({ user: STRANGER })],
    ["whose author is gone", issuePayload({ user: null })],
    ["that was moved here", issuePayload({}, { changes: { old_issue: { number: 3 } } })],
    ["that came from elsewhere", issuePayload({}, { changes: { old_repository: { id: 43 } } })],
    ["that asks for nothing", issuePayload({ body: "It is slow." })],
    ["without a body", issuePayload({ body: null })],
    ["that was edited", issuePayload({}, { action: "edited" })],
  ])("%s has no effect", async (_, payload) => {
    expect(await world.effectOf("issues", payload)).toBeNull();
  });
});

describe("a pull request", () => {
  it.each([
    ["labeled", true],
    ["unlabeled", false],
  ])("that was %s tells which label, by whom and at which head", async (action, added) => {
    const payload = pullRequestPayload(action, { label: { name: "loom: approved" } });
    expect(await world.effectOf("pull_request", payload)).toEqual({
      kind: "label",
      repoRef,
      sender,
      number: 30,
      at: WRITTEN,
      label: "loom: approved",
      added,
      head,
    });
  });

  it.each(["opened", "synchronize", "closed", "edited", "reopened"])(
    "wakes Loom when it is %s",
    async (action) => {
      expect(await world.effectOf("pull_request", pullRequestPayload(action))).toEqual({
        kind: "pull-request",
        repoRef,
        sender,
        number: 30,
        action,
        head,
        base: "main",
        merged: false,
      });
    },
  );

  it("labelled by a bot wakes Loom, and says that it was a bot", async () => {
    const payload = pullRequestPayload("labeled", { label: { name: "x" }, sender: ROBOT });
    expect(await world.effectOf("pull_request", payload)).toMatchObject({
      kind: "label",
      sender: { login: "helper[bot]", bot: true },
    });
  });

  it("from a fork tells the fork's repository, and none when the fork is gone", async () => {
    const from = (repo: unknown) =>
      pullRequestPayload("synchronize", {
        pull_request: { number: 30, head: { sha: SHA, ref: "main", repo }, base: { ref: "main" } },
      });
    expect(await world.effectOf("pull_request", from({ id: 77 }))).toMatchObject({ head: { repo: 77 } });
    expect(await world.effectOf("pull_request", from(null))).toMatchObject({ head: { repo: null } });
  });

  it.each(["assigned", "review_requested", "auto_merge_enabled"])(
    "that was %s has no effect",
    async (action) => {
      expect(await world.effectOf("pull_request", pullRequestPayload(action))).toBeNull();
    },
  );

  it.each([
    ["submitted", "approved"],
    ["dismissed", "dismissed"],
  ])("wakes Loom when a review is %s", async (action, state) => {
    expect(await world.effectOf("pull_request_review", reviewPayload(action))).toEqual({
      kind: "review",
      repoRef,
      sender,
      number: 30,
      state,
    });
  });
});

describe("a command beside a change", () => {
  const said = { repoRef, sender, number: 30 };
  const opening = { title: "Add a cache", body: "" };

  it("arrives from a line", async () => {
    expect(await world.effectOf("pull_request_review_comment", lineCommentPayload())).toEqual({
      kind: "comment",
      ...said,
      isPullRequest: true,
      comment: 2001,
      at: WRITTEN,
      body: "/loom ask why?",
      on: "line",
      line: { remark: 2001, place: "a.txt:3" },
      opening,
    });
    const reply = lineCommentPayload({ in_reply_to_id: 1999, line: null, original_line: 2 });
    expect(await world.effectOf("pull_request_review_comment", reply)).toMatchObject({
      comment: 2001,
      line: { remark: 1999, place: "a.txt:2" },
    });
  });

  it.each([
    ["edited", lineCommentPayload({}, { action: "edited", changes: {} })],
    ["written by a bot", lineCommentPayload({}, { sender: ROBOT })],
    ["written by somebody other than its sender", lineCommentPayload({ user: STRANGER })],
    ["without a command", lineCommentPayload({ body: "1b" })],
  ])("on a line that is %s has no effect", async (_, payload) => {
    expect(await world.effectOf("pull_request_review_comment", payload)).toBeNull();
  });

  it("arrives from a review, once and from people only", async () => {
    const review = { submitted_at: WRITTEN, id: 9, state: "commented", user: PERSON, body: "/loom review" };
    const pull = { number: 30, state: "open", title: "Add a cache", body: null };
    const effectOf = (action: string, rest = {}) =>
      world.effectOf("pull_request_review", reviewPayload(action, { review, pull_request: pull, ...rest }));
    const woken = { kind: "review", ...said, state: "commented" };
    expect(await effectOf("submitted")).toEqual({
      ...woken,
      said: { comment: 9, at: WRITTEN, body: "/loom review", opening },
    });
    expect(await effectOf("dismissed")).toEqual(woken);
    expect(await effectOf("submitted", { sender: ROBOT })).not.toHaveProperty("said");
    expect(await effectOf("submitted", { review: { ...review, body: "Fine." } })).toEqual(woken);
    expect(await effectOf("submitted", { review: { ...review, user: STRANGER } })).toEqual(woken);
  });
});

describe("a check", () => {
  it("run that is asked for again tells which one it is", async () => {
    expect(await world.effectOf("check_run", checkRunPayload("rerequested", APP_ID))).toEqual({
      kind: "check-run",
      repoRef,
      sender,
      action: "rerequested",
      app: APP_ID,
      externalId: "cache-1a2b/build/1",
      head: SHA,
      button: null,
    });
  });

  it("run tells which of its buttons was pressed", async () => {
    const payload = checkRunPayload("requested_action", APP_ID, {
      requested_action: { identifier: "retry" },
    });
    expect(await world.effectOf("check_run", payload)).toMatchObject({
      action: "requested_action",
      button: "retry",
    });
  });

  it("run of another App wakes Loom when it is completed, one of Loom's own does not", async () => {
    expect(
      await world.effectOf("check_run", checkRunPayload("completed", 15368, { sender: ROBOT })),
    ).toMatchObject({ action: "completed", app: 15368 });
    expect(await world.effectOf("check_run", checkRunPayload("completed", APP_ID))).toBeNull();
    expect(await world.effectOf("check_run", checkRunPayload("created", 15368))).toBeNull();
  });

  it("suite wakes Loom in the same way", async () => {
    expect(await world.effectOf("check_suite", checkSuitePayload("rerequested", APP_ID))).toEqual({
      kind: "check-suite",
      repoRef,
      sender,
      action: "rerequested",
      app: APP_ID,
      head: SHA,
    });
    expect(await world.effectOf("check_suite", checkSuitePayload("completed", 15368))).toMatchObject({
      app: 15368,
    });
    expect(await world.effectOf("check_suite", checkSuitePayload("completed", APP_ID))).toBeNull();
    expect(await world.effectOf("check_suite", checkSuitePayload("requested", APP_ID))).toBeNull();
  });
});

describe("a push", () => {
  it("to a branch wakes Loom", async () => {
    expect(await world.effectOf("push", pushPayload("refs/heads/loom/cache-1a2b/build"))).toEqual({
      kind: "push",
      repoRef,
      sender,
      ref: "refs/heads/loom/cache-1a2b/build",
      before: "0".repeat(40),
      after: SHA,
    });
  });

  it("of a tag has no effect", async () => {
    expect(await world.effectOf("push", pushPayload("refs/tags/v1"))).toBeNull();
  });
});

it.each(["checks_requested", "destroyed"])("a merge group wakes Loom: %s", async (action) => {
  expect(await world.effectOf("merge_group", mergeGroupPayload(action))).toEqual({
    kind: "merge-group",
    repoRef,
    sender,
    action,
    headRef: "refs/heads/gh-readonly-queue/main/pr-30",
    head: SHA,
  });
});

describe("an installation", () => {
  it.each([
    ["created", "created", [42]],
    ["deleted", "deleted", []],
    ["suspend", "suspended", []],
    ["unsuspend", "unsuspended", []],
  ])("tells that it is %s", async (action, told, repos) => {
    expect(await world.effectOf("installation", installationPayload(action))).toEqual({
      kind: "installation",
      installation: 99,
      sender,
      action: told,
      repos,
    });
  });

  it("tells which repositories came and went", async () => {
    expect(
      await world.effectOf("installation_repositories", installationRepositoriesPayload("added", [1, 2], [])),
    ).toMatchObject({ action: "repositories-added", repos: [1, 2] });
    expect(
      await world.effectOf("installation_repositories", installationRepositoriesPayload("removed", [], [3])),
    ).toMatchObject({ action: "repositories-removed", repos: [3] });
  });

  it("that lost no repository does not read as having lost them all", async () => {
    const payload = installationRepositoriesPayload("removed", [], []);
    expect(await world.effectOf("installation_repositories", payload)).toBeNull();
  });
});

it("leaves events aside that it did not ask for", async () => {
  expect(await world.effectOf("star", { action: "created", sender: PERSON })).toBeNull();
  expect(await world.effectOf("ping", { zen: "Keep it logically awesome.", hook_id: 1 })).toBeNull();
});

it("says in the log whose commands it left aside because others wrote them", async () => {
  expect(await world.effectOf("issues", issuePayload({ user: STRANGER }))).toBeNull();
  const line = world
    .logged()
    .split("\n")
    .find((one) => one.includes('"audit"'));
  expect(JSON.parse(line ?? "{}")).toMatchObject({
    audit: { boundary: "command", rule: "account", repo: "acme/engine", who: "ada" },
    msg: "refused at command/account (T1, T5, T46): a command in words that another account wrote, or that were moved here from elsewhere.",
  });
  expect(world.logged()).toContain("Left issues aside: its sender did not write it.");
});

it("says in the log why it left an event aside, without the person's words", async () => {
  const payload = commentPayload({ body: "something private\nof two lines" });
  expect(await world.effectOf("issue_comment", payload)).toBeNull();
  expect(world.logged()).toContain("Left issue_comment aside: the comment has no command.");
  expect(world.logged()).not.toContain("something private");
});
