import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setRole } from "../../playground/model/people/set-role.ts";
import { actionsOf, aPlayground, openFrom, type Playground, refusalOf, rules } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground();
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

describe("merging", () => {
  it("makes a merge commit, a squashed one, or replays", async () => {
    const { world, repository } = playground;
    for (const method of ["merge", "squash", "rebase"] as const) {
      await playground.push(method, { [`${method}.txt`]: "1\n" }, { message: `${method} one` });
      const head = await playground.push(method, { [`${method}.txt`]: "2\n" }, { message: `${method} two` });
      const pull = await openFrom(playground, method);
      const bot = playground.asInstallation();
      expect((await refusalOf(bot.pulls.checkIfMerged(pull))).status).toBe(404);
      const { data } = await bot.pulls.merge({ ...pull, merge_method: method, sha: head });
      expect((await bot.pulls.checkIfMerged(pull)).status).toBe(204);
      expect(await world.git.tip(repository.gitDir, "main")).toBe(data.sha);
      const commit = await world.git.commit(repository.gitDir, data.sha);
      expect([commit?.parents.length, commit?.message.split("\n")[0]]).toEqual(
        {
          merge: [2, "Merge pull request #1 from ada/merge"],
          squash: [1, "squash (#2)"],
          rebase: [1, "rebase two"],
        }[method],
      );
      const shown = (await bot.pulls.get(pull)).data;
      expect([shown.merged, shown.state, shown.merge_commit_sha]).toEqual([true, "closed", data.sha]);
    }
    expect(actionsOf(playground, "pull_request").filter((action) => action === "closed")).toHaveLength(3);
  });

  it("is refused in GitHub's words, case by case", async () => {
    const { repository } = playground;
    const bot = playground.asInstallation();
    await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    const merge = (more: object = {}) => refusalOf(bot.pulls.merge({ ...pull, ...more }));
    expect(await merge({ sha: "0".repeat(40) })).toEqual({
      status: 409,
      message: "Head branch was modified. Review and try the merge again.",
    });
    repository.mergeMethods.delete("squash");
    expect(await merge({ merge_method: "squash" })).toEqual({
      status: 405,
      message: "Squash merges are not allowed on this repository.",
    });
    repository.protection.set("main", rules({ requiredChecks: ["ci"] }));
    expect(await merge()).toEqual({ status: 405, message: 'Required status check "ci" is expected.' });
    repository.protection.set("main", rules({ requiredChecks: ["ci", "lint"] }));
    expect((await merge()).message).toBe("2 of 2 required status checks are expected.");
    repository.protection.set("main", rules({ requiredApprovals: 1 }));
    expect(await merge()).toEqual({
      status: 405,
      message: "At least 1 approving review is required by reviewers with write access.",
    });
    repository.protection.set("main", rules({ mergeQueue: true }));
    expect((await merge()).message).toContain("Changes must be made through the merge queue");
    repository.protection.clear();
    await playground.push("wip", { "w.txt": "w\n" });
    const draft = await openFrom(playground, "wip", "main", { draft: true });
    expect(await refusalOf(bot.pulls.merge(draft))).toEqual({
      status: 405,
      message: "Pull Request is still a draft",
    });
    await bot.pulls.update({ ...pull, state: "closed" });
    expect(await merge()).toEqual({ status: 405, message: "Pull Request is not mergeable" });
  });

  it("notices that the base moved between looking and writing", async () => {
    const { world, repository } = playground;
    await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    const merge = world.git.merge;
    (world.git as { merge: typeof merge }).merge = async (gitDir, work) => {
      const made = await merge(gitDir, work);
      const author = { name: "Bob", email: "bob@example.com", at: 0 };
      const files = { "b.txt": "b\n" };
      const rival = await world.git.commitFiles(gitDir, {
        parent: work.base,
        files,
        message: "Rival",
        author,
      });
      await world.git.updateRef(repository.gitDir, "refs/heads/main", rival, work.base);
      return made;
    };
    expect(await refusalOf(playground.asInstallation().pulls.merge(pull))).toEqual({
      status: 405,
      message: "Base branch was modified. Review and try the merge again.",
    });
    (world.git as { merge: typeof merge }).merge = merge;
    await playground.asInstallation().pulls.merge(pull);
  });

  it("needs green checks on the head and, where strict, the base inside", async () => {
    const { repository } = playground;
    repository.protection.set("main", rules({ requiredChecks: ["ci"], strict: true }));
    const bot = playground.asInstallation();
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    const { data: run } = await bot.checks.create({
      ...playground.at,
      name: "ci",
      head_sha: head,
      status: "in_progress",
    });
    expect((await refusalOf(bot.pulls.merge(pull))).message).toBe(
      'Required status check "ci" is in progress.',
    );
    const conclude = (conclusion: "failure" | "success") =>
      bot.checks.update({ ...playground.at, check_run_id: run.id, conclusion });
    await conclude("failure");
    expect((await refusalOf(bot.pulls.merge(pull))).message).toBe('Required status check "ci" is failing.');
    await conclude("success");
    await playground.push("main", { "b.txt": "b\n" });
    expect((await refusalOf(bot.pulls.merge(pull))).message).toBe('Required status check "ci" is expected.');
    await bot.pulls.get(pull);
    playground.step(100);
    expect((await bot.pulls.get(pull)).data.mergeable_state).toBe("behind");
    repository.protection.set("main", rules({ requiredChecks: ["ci"] }));
    await bot.pulls.merge(pull);
  });

  it("needs approvals of people with write, and a push voids them where the branch says so", async () => {
    const { world, repository } = playground;
    repository.protection.set("main", rules({ requiredApprovals: 1, dismissStaleReviews: true }));
    setRole(world, repository, { login: "tom", role: "triage" });
    setRole(world, repository, { login: "wim", role: "write" });
    await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    const bot = playground.asInstallation();
    const approve = (login: string) => playground.as(login).pulls.createReview({ ...pull, event: "APPROVE" });
    await approve("tom");
    expect((await refusalOf(bot.pulls.merge(pull))).status).toBe(405);
    await approve("wim");
    await playground.push("topic", { "a.txt": "b\n" });
    expect((await bot.pulls.listReviews(pull)).data.map((review) => review.state)).toEqual([
      "DISMISSED",
      "DISMISSED",
    ]);
    expect((await refusalOf(bot.pulls.merge(pull))).status).toBe(405);
    await approve("wim");
    await bot.pulls.merge(pull);
    expect(actionsOf(playground, "pull_request_review")).toEqual([
      "submitted",
      "submitted",
      "dismissed",
      "dismissed",
      "submitted",
    ]);
  });

  it("needs the owners of the changed files, as the base branch names them", async () => {
    const { repository } = playground;
    await playground.push("main", { ".github/CODEOWNERS": "*.md @ada\n/src/ @wim\n" });
    repository.protection.set("main", rules({ requiredApprovals: 1, codeOwnerReviews: true }));
    for (const login of ["ada", "wim"]) setRole(playground.world, repository, { login, role: "write" });
    await playground.push("topic", { "src/deep/x.ts": "x\n", ".github/CODEOWNERS": "* @ada\n" });
    const pull = await openFrom(playground, "topic");
    const bot = playground.asInstallation();
    await playground.as("ada").pulls.createReview({ ...pull, event: "APPROVE" });
    expect((await refusalOf(bot.pulls.merge(pull))).message).toBe("Waiting on code owner review from wim.");
    await playground.as("wim").pulls.createReview({ ...pull, event: "APPROVE" });
    await bot.pulls.merge(pull);
  });

  it("closes the issues that its text names, when it lands on the default branch", async () => {
    const bot = playground.asInstallation();
    const { data: issue } = await bot.issues.create({ ...playground.at, title: "Bug" });
    await playground.push("fix", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "fix", "main", { body: `Fixes #${issue.number}` });
    await bot.pulls.merge(pull);
    expect((await bot.issues.get({ ...playground.at, issue_number: issue.number })).data.state).toBe(
      "closed",
    );
  });

  it("refuses an author's own approval", async () => {
    await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    expect(
      await refusalOf(playground.asInstallation().pulls.createReview({ ...pull, event: "APPROVE" })),
    ).toEqual({
      status: 422,
      message: "Unprocessable Entity: Can not approve your own pull request",
    });
  });
});
