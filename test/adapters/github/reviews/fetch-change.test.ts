import { describe, expect, it } from "vitest";
import { openIssue } from "../../../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../../../playground/model/people/create-repository.ts";
import { deleteBranch } from "../../../../playground/model/pulls/delete-branch.ts";
import { mergePull } from "../../../../playground/model/pulls/merge-pull.ts";
import { openPull } from "../../../../playground/model/pulls/open-pull.ts";
import type { MergeMethod } from "../../../../playground/model/types.ts";
import { UserError } from "../../../../src/core/errors.ts";
import { git } from "../../../support/git-repo.ts";
import { thrown } from "../support/asking.ts";
import { type Hosted, hostedRepository } from "../support/hosted-repository.ts";

async function aPull(hosted: Hosted, branch = "topic", more: Record<string, string> = {}) {
  const head = await hosted.push(branch, { "a.txt": "a\n", ...more }, "main");
  const { world } = hosted.playground;
  const wish = { by: "pat", title: "A change", body: "Why", head: branch, base: "main" };
  return { head, issue: await openPull(world, hosted.repository, wish) };
}

describe("a change", () => {
  it("is readable after it was asked for, and begins where it branched off", async () => {
    const hosted = await hostedRepository();
    const from = hosted.tip("main") ?? "";
    const { head, issue } = await aPull(hosted);
    await hosted.push("main", { "later.txt": "x\n" });
    expect(await hosted.pulls.fetchChange(issue.number)).toEqual({
      head,
      from,
      base: "main",
      title: "A change",
      body: "Why",
      author: "pat",
      open: true,
    });
    expect(await hosted.workspace.changedFiles(from, head)).toEqual(["a.txt"]);
  });

  it("is none where there is an issue, or nothing", async () => {
    const hosted = await hostedRepository();
    const issue = openIssue(hosted.playground.world, hosted.repository, { by: "pat", title: "T" });
    expect(await hosted.pulls.fetchChange(issue.number)).toBe(null);
    expect(await hosted.pulls.fetchChange(999)).toBe(null);
  });

  it("can come from a fork", async () => {
    const hosted = await hostedRepository();
    const { playground, repository } = hosted;
    const { world } = playground;
    const owner = `eve-of-${hosted.owner}`;
    const fork = await createRepository(world, {
      owner,
      name: "shop",
      gitDir: playground.gitDir(owner, "shop"),
      parent: repository,
    });
    const author = { name: "Eve", email: "eve@example.com", at: world.clock.now() };
    const parent = await world.git.tip(fork.gitDir, "main");
    const work = { parent, files: { "e.txt": "e\n" }, message: "E", author };
    const head = await world.git.commitFiles(fork.gitDir, work);
    await world.git.updateRef(fork.gitDir, "refs/heads/patch", head, null);
    const wish = { by: owner, title: "E", head: "patch", base: "main", headRepository: fork };
    const issue = await openPull(world, repository, wish);
    const change = await hosted.pulls.fetchChange(issue.number);
    expect(change).toMatchObject({ head, author: owner, from: hosted.tip("main") });
    expect(await hosted.workspace.changedFiles(change?.from ?? "", head)).toEqual(["e.txt"]);
  });

  it.each(["merge", "squash", "rebase"] as const)("is the same after a %s", async (method: MergeMethod) => {
    const hosted = await hostedRepository();
    const { head, issue } = await aPull(hosted);
    const before = await hosted.pulls.fetchChange(issue.number);
    await mergePull(hosted.playground.world, hosted.repository, issue, { by: "pat", method });
    await hosted.push("main", { "later.txt": "x\n" });
    const again = await hosted.again();
    expect(await again.pulls.fetchChange(issue.number)).toEqual({ ...before, head, open: false });
  });

  it("is still told when it was closed and both branches are gone", async () => {
    const hosted = await hostedRepository();
    const { world } = hosted.playground;
    const from = hosted.tip("main") ?? "";
    git(hosted.repository.gitDir, "update-ref", "refs/heads/release", from);
    const head = await hosted.push("topic", { "a.txt": "a\n" }, "main");
    const wish = { by: "pat", title: "T", head: "topic", base: "release" };
    const issue = await openPull(world, hosted.repository, wish);
    for (const branch of ["topic", "release"]) {
      await deleteBranch(world, hosted.repository, { by: "pat", branch });
    }
    expect(await hosted.pulls.fetchChange(issue.number)).toMatchObject({
      head,
      from,
      base: "release",
      open: false,
    });
  });

  it("is none that anybody can look at when nothing tells where it begins", async () => {
    const hosted = await hostedRepository();
    const { head, issue } = await aPull(hosted);
    const pull = { number: issue.number, title: "T", state: "open", head: { sha: head, ref: "topic" } };
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "GET", route: "/repos/{owner}/{repo}/pulls/{pull_number}" },
      effect: { kind: "fail", status: 200, body: { ...pull, base: { ref: "gone" } } },
    });
    const error = await thrown(hosted.pulls.fetchChange(issue.number));
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: `The branch that #${issue.number} is for is gone, so that nobody can tell what it changes.`,
      next: "Change its base to a branch that is there, and ask again.",
    });
  });

  it("begins at the base's tip when they have no history in common", async () => {
    const hosted = await hostedRepository();
    const { issue } = await aPull(hosted);
    const theirs = hosted.person();
    theirs.git("checkout", "-q", "--orphan", "elsewhere");
    theirs.write({ "new.txt": "n\n" });
    const head = theirs.commit("a new start");
    theirs.git("push", "-q", "--force", "origin", "elsewhere:refs/heads/main");
    expect(await hosted.pulls.fetchChange(issue.number)).toMatchObject({ from: head });
  });
});

describe("fetching commits", () => {
  it("makes them readable, and names the one that can't be had", async () => {
    const hosted = await hostedRepository();
    const head = await hosted.push("topic", { "a.txt": "a\n" }, "main");
    await hosted.contents.fetch([head]);
    expect(await hosted.workspace.has(head)).toBe(true);
    await hosted.contents.fetch([]);
    const gone = "0123456789".repeat(4);
    const error = (await thrown(hosted.contents.fetch([head, gone]))) as UserError;
    expect(error).toBeInstanceOf(UserError);
    expect([error.message, error.next]).toMatchInlineSnapshot(`
      [
        "The commit \`012345678901\` is not on GitHub any more.",
        "Push it again, or ask again for what is there now.",
      ]
    `);
  });
});
