import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { suspend } from "../../../playground/model/apps/suspend.ts";
import { uninstall } from "../../../playground/model/apps/uninstall.ts";
import { addComment } from "../../../playground/model/issues/add-comment.ts";
import { addLabel } from "../../../playground/model/issues/add-label.ts";
import { openIssue } from "../../../playground/model/issues/open-issue.ts";
import { removeLabel } from "../../../playground/model/issues/remove-label.ts";
import { createUser } from "../../../playground/model/people/create-user.ts";
import { setRole } from "../../../playground/model/people/set-role.ts";
import { AccessLost } from "../../../src/ports/github/access-lost.ts";
import type { CheckSpec } from "../../../src/ports/github/checks.ts";
import { type Hosted, hostedRepository, RUN } from "./support/hosted-repository.ts";

const issueIn = ({ playground, repository }: Hosted, body = "Please") =>
  openIssue(playground.world, repository, { by: "pat", title: "Add a login", body });

const person = ({ playground }: Hosted, login: string) => ({
  login,
  id: playground.world.github.users.get(login)?.id ?? 0,
});

describe("roles", () => {
  it("are read by their own name, and nobody else has one", async () => {
    const hosted = await hostedRepository({ private: true });
    setRole(hosted.playground.world, hosted.repository, { login: "tri", role: "triage" });
    expect(await hosted.people.roleOf(person(hosted, "pat"))).toBe("maintain");
    expect(await hosted.people.roleOf(person(hosted, "tri"))).toBe("triage");
    expect(await hosted.people.roleOf({ login: "nobody-at-all", id: 1 })).toBe("none");
  });

  it("are those of an account and not of a name: who took a login over has none by it", async () => {
    const hosted = await hostedRepository({ private: true });
    const { login, id } = person(hosted, "pat");
    expect(await hosted.people.roleOf({ login, id: id + 1 })).toBe("none");
    expect(await hosted.people.roleOf({ login, id: 0 })).toBe("none");
    expect(hosted.warnings[0]).toBe(
      "command/account: a login that belongs to another account than the one that acted.",
    );
  });

  it("are not guessed when GitHub can't say", async () => {
    const hosted = await hostedRepository();
    hosted.playground.faults.inject({
      on: "request",
      match: { route: "/repos/{owner}/{repo}/collaborators/{username}/permission" },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 500 },
    });
    await expect(hosted.people.roleOf(person(hosted, "pat"))).rejects.toThrow("GitHub answered 500");
  });
});

describe("issues and files", () => {
  it("are read as they are", async () => {
    const hosted = await hostedRepository({ files: { "a.txt": "one\n", "b/c.txt": "two\n" } });
    const issue = issueIn(hosted);
    expect(await hosted.threads.issue(issue.number)).toEqual({
      number: issue.number,
      title: "Add a login",
      body: "Please",
      author: "pat",
      open: true,
      isPullRequest: false,
    });
    expect(await hosted.threads.issue(999)).toBe(null);
    const { name, tip } = await hosted.contents.defaultBranch();
    expect([name, tip]).toEqual(["main", hosted.tip("main")]);
    expect(await hosted.contents.readFile(tip, "b/c.txt", 100)).toBe("two\n");
    expect(await hosted.contents.readFile(tip, "b", 100)).toBe(null);
    expect(await hosted.contents.readFile(tip, "b/c.txt", 2)).toBe(null);
    expect(await hosted.contents.blobOf(tip, "b/c.txt")).toBe(hosted.person().sha("origin/main:b/c.txt"));
    expect(await hosted.contents.blobOf(tip, "nothing")).toBe(null);
  });

  it("are told apart where there is no text: none at all, no plain file, or too large", async () => {
    const hosted = await hostedRepository({ files: { "a.txt": "one\n", "b/c.txt": "two\n" } });
    const person = hosted.person();
    symlinkSync("a.txt", join(person.root, "link"));
    const tip = person.commit("a link");
    person.git("push", "-q", "origin", "HEAD:main");
    const examined = (path: string, most = 100) => hosted.contents.examineFile(tip, path, most);
    expect(await examined("a.txt")).toEqual({ kind: "text", text: "one\n" });
    expect(await examined("nothing")).toEqual({ kind: "absent" });
    expect(await examined("b")).toEqual({ kind: "not-plain" });
    expect(await examined("link")).toEqual({ kind: "not-plain" });
    expect(await examined("a.txt", 3)).toEqual({ kind: "too-large" });
  });
});

describe("comments", () => {
  it("are made once per key, and brought up to date", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    const first = await hosted.threads.comment(issue.number, `panel/${RUN}`, "Running");
    const other = await hosted.again();
    expect(await other.threads.comment(issue.number, `panel/${RUN}`, "Done")).toEqual(first);
    expect(issue.comments.map(({ body }) => body)).toEqual([`Done\n\n<!-- loom:panel/${RUN} -->`]);
    await hosted.threads.comment(issue.number, "help", "Help");
    expect(issue.comments).toHaveLength(2);
  });

  it("are not taken for Loom's when somebody else wrote the marker", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    const fake = addComment(hosted.playground.world, hosted.repository, issue, {
      by: "pat",
      body: "mine\n\n<!-- loom:panel -->",
    });
    await hosted.threads.comment(issue.number, "panel", "Running");
    expect(fake.body).toContain("mine");
    expect(issue.comments).toHaveLength(2);
  });

  it("are not found by a marker that Loom only quoted", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    await hosted.threads.comment(issue.number, "one", "You wrote:\n<!-- loom:two -->\n");
    await hosted.threads.comment(issue.number, "two", "Another");
    expect(issue.comments).toHaveLength(2);
  });

  it("are made once, though the answer to making one was lost", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "POST", route: "/repos/{owner}/{repo}/issues/{issue_number}/comments" },
      effect: { kind: "fail-after-applying", status: 502 },
    });
    const made = await hosted.threads.comment(issue.number, "panel", "Running");
    expect(issue.comments.map(({ id }) => id)).toEqual([made.comment]);
  });

  it("keep their marker when edited, and tell when they are gone", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    const { comment } = await hosted.threads.comment(issue.number, "panel", "Running");
    expect(await hosted.threads.editComment(comment, "Done")).toBe("edited");
    expect(issue.comments[0]?.body).toBe("Done\n\n<!-- loom:panel -->");
    hosted.requests();
    await hosted.threads.editComment(comment, "Done");
    expect(hosted.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
    issue.comments.length = 0;
    expect(await hosted.threads.editComment(comment, "Done")).toBe("gone");
  });
});

describe("reactions and labels", () => {
  it("are set once", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    const comment = addComment(hosted.playground.world, hosted.repository, issue, {
      by: "pat",
      body: "/loom run",
    });
    await hosted.threads.react({ comment: comment.id }, "eyes");
    await hosted.threads.react({ comment: comment.id }, "eyes");
    await hosted.threads.react({ issue: issue.number }, "rocket");
    expect(comment.reactions.map(({ content }) => content)).toEqual(["eyes"]);
    expect(issue.reactions.map(({ content }) => content)).toEqual(["rocket"]);
  });

  it("are changed only where they differ", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    await hosted.threads.setLabels(issue.number, { add: ["loom: running", "bug"], remove: ["loom: plan"] });
    await hosted.threads.setLabels(issue.number, {
      add: ["loom: done"],
      remove: ["loom: running", "loom: plan"],
    });
    expect([...issue.labels].sort()).toEqual(["bug", "loom: done"]);
    hosted.requests();
    await hosted.threads.setLabels(issue.number, { add: ["LOOM: done"], remove: ["loom: running"] });
    expect(hosted.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
  });
});

describe("check runs", () => {
  const spec = (head: string, more: Partial<CheckSpec> = {}): CheckSpec => ({
    name: "loom / build",
    head,
    externalId: `${RUN}/build/1`,
    status: "in_progress",
    conclusion: null,
    title: "Working",
    summary: "…",
    text: null,
    actions: [],
    ...more,
  });

  it("are found again by name, head and external id, and go on in place", async () => {
    const hosted = await hostedRepository();
    const head = hosted.tip("main") ?? "";
    const id = await hosted.checks.putCheck(spec(head), null);
    const other = await hosted.again();
    expect(await other.checks.putCheck(spec(head, { summary: "more" }), null)).toBe(id);
    const done = spec(head, {
      status: "completed",
      conclusion: "failure",
      title: "Failed",
      summary: "x".repeat(80_000),
      actions: [{ label: "Retry", description: "Try again", identifier: "retry" }],
    });
    expect(await hosted.checks.putCheck(done, id)).toBe(id);
    expect(hosted.repository.checkRuns).toHaveLength(1);
    expect(hosted.repository.checkRuns[0]).toMatchObject({ status: "completed", conclusion: "failure" });
    expect(hosted.repository.checkRuns[0]?.summary).toContain("more characters)");
  });

  it("are made anew for another attempt, and when a completed one goes on", async () => {
    const hosted = await hostedRepository();
    const head = hosted.tip("main") ?? "";
    const id = await hosted.checks.putCheck(spec(head, { status: "completed", conclusion: "success" }), null);
    const again = await hosted.checks.putCheck(spec(head), id);
    const second = await hosted.checks.putCheck(spec(head, { externalId: `${RUN}/build/2` }), again);
    expect(new Set([id, again, second]).size).toBe(3);
  });

  it("are made once, though the connection broke after GitHub had made one", async () => {
    const hosted = await hostedRepository();
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "POST", route: "/repos/{owner}/{repo}/check-runs" },
      effect: { kind: "hang-up", afterApplying: true },
    });
    await hosted.checks.putCheck(spec(hosted.tip("main") ?? ""), null);
    expect(hosted.repository.checkRuns).toHaveLength(1);
  });
});

describe("rules", () => {
  it("tell what merging into a branch takes", async () => {
    const hosted = await hostedRepository({ mergeMethods: ["squash", "rebase"] });
    hosted.repository.protection.set("main", {
      requiredChecks: ["ci"],
      strict: false,
      requiredApprovals: 2,
      dismissStaleReviews: true,
      codeOwnerReviews: true,
      mergeQueue: true,
      linearHistory: false,
    });
    expect(await hosted.contents.rules("main")).toEqual({
      methods: ["squash", "rebase"],
      requiredApprovals: 2,
      codeOwners: true,
      dismissesReviews: true,
      requiredChecks: ["ci"],
      upToDate: false,
      mergeQueue: true,
    });
  });
});

describe("lost access", () => {
  it("is told apart from a thing that is missing", async () => {
    const hosted = await hostedRepository({ private: true });
    const issue = issueIn(hosted);
    await hosted.threads.issue(issue.number);
    hosted.installation.repositories.length = 0;
    const error = await hosted.threads.issue(issue.number).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AccessLost);
    expect(error.reason).toBe("repository-gone");
  });

  it.each([
    ["suspended", suspend],
    ["removed", uninstall],
  ] as const)("is final when the App was %s", async (reason, end) => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    await hosted.threads.issue(issue.number);
    end(hosted.playground.world, hosted.installation);
    const error = await hosted.threads.issue(issue.number).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AccessLost);
    expect(error.reason).toBe(reason);
  });
});

describe("a token that ended", () => {
  it("is replaced without anybody noticing", async () => {
    const hosted = await hostedRepository();
    const issue = issueIn(hosted);
    await hosted.threads.comment(issue.number, "one", "text");
    expect(hosted.playground.faults.expireTokens()).toBeGreaterThan(0);
    await hosted.threads.comment(issue.number, "two", "text");
    expect(issue.comments).toHaveLength(2);
  });
});

describe("the App", () => {
  it("knows itself, where it is installed, and which repositories it sees", async () => {
    const hosted = await hostedRepository();
    expect(await hosted.app.identity()).toMatchObject({ slug: "loom", botLogin: "loom[bot]" });
    expect(await hosted.app.installations()).toContainEqual({
      id: hosted.installation.id,
      account: hosted.owner,
      suspended: false,
    });
    expect(await hosted.app.repositories(hosted.installation.id)).toEqual([
      { id: hosted.repository.id, owner: hosted.owner, name: "shop" },
    ]);
  });
});

describe("a label", () => {
  it("is whose who set it last, for as long as it is there", async () => {
    const hosted = await hostedRepository({ private: true });
    const { playground, repository, threads } = hosted;
    const issue = issueIn(hosted);
    expect(await threads.labelled(issue.number, "go")).toBeNull();
    addLabel(playground.world, repository, issue, { by: "pat", label: "go" });
    addLabel(playground.world, repository, issue, { by: "pat", label: "other" });
    const first = await threads.labelled(issue.number, "Go");
    expect(first?.by).toBe(person(hosted, "pat").id);
    removeLabel(playground.world, repository, issue, { by: "pat", label: "go" });
    expect(await threads.labelled(issue.number, "go")).toBeNull();
    createUser(playground.world, { login: "tri" });
    addLabel(playground.world, repository, issue, { by: "tri", label: "go" });
    const second = await threads.labelled(issue.number, "go");
    expect(second?.by).toBe(person(hosted, "tri").id);
    expect(second?.event).not.toBe(first?.event);
  });
});
