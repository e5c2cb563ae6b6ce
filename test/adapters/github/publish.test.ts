import { describe, expect, it } from "vitest";
import { closeIssue } from "../../../playground/model/issues/close-issue.ts";
import { createRepository } from "../../../playground/model/people/create-repository.ts";
import { editPull } from "../../../playground/model/pulls/edit-pull.ts";
import { openPull } from "../../../playground/model/pulls/open-pull.ts";
import { stackBaseBranch, stageBranch } from "../../../src/core/ids.ts";
import { git } from "../../support/git-repo.ts";
import { hostedRepository, RUN } from "./support/hosted-repository.ts";
import { publishSpec, publishStage } from "./support/publish-stage.ts";

describe("publishing", () => {
  it("pushes the branch and opens one pull request, however often it is asked", async () => {
    const hosted = await hostedRepository();
    const { commit, pr } = await publishStage(hosted, hosted.forge(), "build");
    const other = (await hosted.again()).forge();
    expect(await other.publish(publishSpec("build", commit, { previous: commit }))).toEqual({
      kind: "published",
      branch: stageBranch(RUN, "build"),
      pr,
    });
    expect(hosted.tip(stageBranch(RUN, "build"))).toBe(commit);
    expect([...hosted.repository.issues.values()].map(({ title, pull }) => [title, pull?.baseRef])).toEqual([
      ["Do build", "main"],
    ]);
  });

  it("writes nothing when nothing changed", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const { commit, pr } = await publishStage(hosted, forge, "build");
    hosted.requests();
    await forge.publish(publishSpec("build", commit, { previous: commit, pr }));
    expect(hosted.requests()).toEqual([`GET /pulls/${pr}`]);
  });

  it("moves its own branch on, and brings title and text up to date", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const { commit, pr, onto } = await publishStage(hosted, forge, "build");
    const next = await hosted.stageCommit("build", onto, { "build.txt": "better\n" });
    await forge.publish(
      publishSpec("build", next, { previous: commit, pr, title: "Do build better", body: "New." }),
    );
    expect(hosted.pull(pr).pull.headSha).toBe(next);
    expect(hosted.pull(pr).title).toBe("Do build better");
    expect(hosted.pull(pr).body).toContain("New.");
  });

  it("leaves a branch alone that a person moved", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const { commit, pr, onto } = await publishStage(hosted, forge, "build");
    const branch = stageBranch(RUN, "build");
    const tip = await hosted.push(branch, { "fix.txt": "mine\n" });
    const next = await hosted.stageCommit("build", onto, { "build.txt": "better\n" });
    expect(await forge.publish(publishSpec("build", next, { previous: commit, pr }))).toEqual({
      kind: "taken",
      branch,
      tip,
    });
    expect(hosted.tip(branch)).toBe(tip);
  });

  it("opens nothing again that a person closed, though the branch is gone", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const { commit, pr } = await publishStage(hosted, forge, "build");
    closeIssue(hosted.playground.world, hosted.repository, hosted.pull(pr), { by: "pat" });
    git(hosted.repository.gitDir, "update-ref", "-d", `refs/heads/${stageBranch(RUN, "build")}`);
    const outcome = await forge.publish(publishSpec("build", commit, { previous: commit, pr }));
    expect(outcome).toMatchInlineSnapshot(`
      {
        "kind": "held",
        "next": "Reopen #1 to go on (restore the branch \`loom/add-login-1a2b/build\` first if it was deleted), or cancel the run.",
        "reason": "Pull request #1 was closed without being merged.",
      }
    `);
    expect(hosted.tip(stageBranch(RUN, "build"))).toBe(null);
  });

  it("succeeds though every token ended during the stage", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const { commit, pr, onto } = await publishStage(hosted, forge, "build");
    const next = await hosted.stageCommit("build", onto, { "build.txt": "better\n" });
    expect(hosted.playground.faults.expireTokens()).toBeGreaterThan(1);
    expect(await forge.publish(publishSpec("build", next, { previous: commit, pr }))).toMatchObject({
      kind: "published",
    });
    expect(hosted.pull(pr).pull.headSha).toBe(next);
  });

  it("is a person's matter when GitHub refuses the push", async () => {
    const hosted = await hostedRepository();
    const commit = await hosted.stageCommit("build", hosted.tip("main") ?? "", {
      ".github/workflows/x.yml": "on: push\n",
    });
    expect(await hosted.forge().publish(publishSpec("build", commit))).toMatchInlineSnapshot(`
      {
        "kind": "held",
        "next": "Let the App push to branches that start with \`loom/\` in the repository's rules, then retry the stage.",
        "reason": "GitHub refused the push to \`loom/add-login-1a2b/build\`: refusing to allow a GitHub App to create or update workflow \`.github/workflows/x.yml\` without \`workflows\` permission",
      }
    `);
    expect(hosted.tip(stageBranch(RUN, "build"))).toBe(null);
  });

  it("does not take a fork's pull request with the same branch name for its own", async () => {
    const hosted = await hostedRepository();
    const { playground, repository } = hosted;
    const fork = await createRepository(playground.world, {
      owner: `fork-of-${hosted.owner}`,
      name: "shop",
      gitDir: playground.gitDir(`fork-of-${hosted.owner}`, "shop"),
      parent: repository,
    });
    const commit = await hosted.stageCommit("build", hosted.tip("main") ?? "");
    const stranger = await hosted.push("strange", { "evil.txt": "x\n" }, "main");
    const branch = stageBranch(RUN, "build");
    git(fork.gitDir, "fetch", "-q", repository.gitDir, `${stranger}:refs/heads/${branch}`);
    const { number } = await openPull(playground.world, repository, {
      by: fork.owner,
      title: "Evil",
      head: branch,
      base: "main",
      headRepository: fork,
    });
    const outcome = await hosted.forge().publish(publishSpec("build", commit));
    expect(outcome).toMatchObject({ kind: "published", branch });
    expect(outcome.kind === "published" && outcome.pr).not.toBe(number);
    expect(await hosted.pulls.pull(number)).toMatchObject({ head: { ref: branch, sameRepository: false } });
    expect(await hosted.pulls.pullByBranch(branch)).not.toMatchObject({ number });
  });

  it("respects a title that a person gave", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const { commit, pr } = await publishStage(hosted, forge, "build");
    await editPull(hosted.playground.world, hosted.repository, hosted.pull(pr), { by: "pat", title: "Mine" });
    await forge.publish(publishSpec("build", commit, { previous: commit, pr, title: "Another" }));
    expect(hosted.pull(pr).title).toBe("Mine");
  });

  it("stacks on the branch below, on a join of several, and on the target when the branch below is gone", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const a = await publishStage(hosted, forge, "a");
    const b = await publishStage(hosted, forge, "b");
    const onA = await hosted.stageCommit("c", a.commit);
    const c = await forge.publish(publishSpec("c", onA, { base: { kind: "stage", stage: "a" } }));
    const joined = await hosted.workspace.join([a.commit, b.commit]);
    if (joined.kind !== "joined") return expect.fail("conflict");
    const onBoth = await hosted.stageCommit("d", joined.commit);
    const d = await forge.publish(
      publishSpec("d", onBoth, { base: { kind: "joined", commit: joined.commit } }),
    );
    const gone = await forge.publish(publishSpec("e", onA, { base: { kind: "stage", stage: "never" } }));
    const bases = [c, d, gone].map(
      (one) => one.kind === "published" && hosted.pull(one.pr ?? 0).pull.baseRef,
    );
    expect(bases).toEqual([stageBranch(RUN, "a"), stackBaseBranch(RUN, "d"), "main"]);
    expect(hosted.tip(stackBaseBranch(RUN, "d"))).toBe(joined.commit);
  });

  it("uses native stacks for a chain, and takes a pull request out of one to give it another base", async () => {
    const hosted = await hostedRepository({ stacksEnabled: true });
    const forge = hosted.forge({ stack: "auto" });
    const a = await publishStage(hosted, forge, "a");
    const onA = await hosted.stageCommit("b", a.commit);
    const b = await forge.publish(publishSpec("b", onA, { base: { kind: "stage", stage: "a" } }));
    const c = await forge.publish(
      publishSpec("c", await hosted.stageCommit("c", onA), { base: { kind: "stage", stage: "b" } }),
    );
    const fork = await forge.publish(
      publishSpec("d", await hosted.stageCommit("d", a.commit), { base: { kind: "stage", stage: "a" } }),
    );
    const numbers = [b, c].map((one) => (one.kind === "published" ? one.pr : null));
    expect(hosted.repository.stacks.map(({ pulls }) => pulls)).toEqual([[a.pr, ...numbers]]);
    expect(fork).toMatchObject({ kind: "published" });

    await forge.publish(
      publishSpec("b", onA, { previous: onA, pr: numbers[0] ?? null, base: { kind: "target" } }),
    );
    expect(hosted.pull(numbers[0] ?? 0).pull.baseRef).toBe("main");
  });

  it("asks for native stacks once where there are none", async () => {
    const hosted = await hostedRepository({ stacksEnabled: false });
    const a = await publishStage(hosted, hosted.forge(), "a");
    hosted.requests();
    for (const stage of ["b", "c"]) {
      const commit = await hosted.stageCommit(stage, a.commit);
      await hosted
        .forge({ stack: "auto" })
        .publish(publishSpec(stage, commit, { base: { kind: "stage", stage: "a" } }));
    }
    expect(hosted.requests().filter((line) => line.includes("/stacks"))).toHaveLength(1);
  });
});
