import { describe, expect, it } from "vitest";
import { closeIssue } from "../../../playground/model/issues/close-issue.ts";
import { stageBranch } from "../../../src/core/ids.ts";
import { git } from "../../support/git-repo.ts";
import { hostedRepository, RUN } from "./support/hosted-repository.ts";
import { mergeSpec, mergeWhenKnown, publishSpec, publishStage } from "./support/publish-stage.ts";

describe("cleaning up", () => {
  it("deletes what is merged or Loom's own, and nothing that people need", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const branch = (stage: string) => stageBranch(RUN, stage);
    const merged = await publishStage(hosted, forge, "merged");
    await mergeWhenKnown(forge, mergeSpec("merged", merged));
    const closed = await publishStage(hosted, forge, "closed");
    const open = await publishStage(hosted, forge, "open");
    const moved = await publishStage(hosted, forge, "moved");
    const kept = await publishStage(hosted, forge, "kept");
    for (const { pr } of [closed, moved, kept]) {
      closeIssue(hosted.playground.world, hosted.repository, hosted.pull(pr), { by: "pat" });
    }
    await hosted.push(branch("moved"), { "x.txt": "mine\n" });
    await hosted.push("loom/another-run/x", { "y.txt": "y\n" }, "main");

    await forge.cleanUp(RUN, ["kept"]);
    const left = git(
      hosted.repository.gitDir,
      "for-each-ref",
      "--format=%(refname:short)",
      "refs/heads/loom",
    );
    expect(left.split("\n").sort()).toEqual(
      ["loom/another-run/x", branch("kept"), branch("moved"), branch("open")].sort(),
    );
    expect(hosted.pull(open.pr).state).toBe("open");
    expect(hosted.warnings).toEqual([`${branch("moved")} holds what Loom did not write; it is left alone.`]);
    await forge.cleanUp(RUN, ["kept"]);
  });

  it("never deletes the base of an open pull request", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const a = await publishStage(hosted, forge, "a");
    const child = await forge.publish(
      publishSpec("b", await hosted.stageCommit("b", a.commit), { base: { kind: "stage", stage: "a" } }),
    );
    await mergeWhenKnown(forge, mergeSpec("a", a));
    await forge.cleanUp(RUN, []);
    expect(hosted.tip(stageBranch(RUN, "a"))).toBe(a.commit);
    expect(child.kind === "published" && hosted.pull(child.pr ?? 0).state).toBe("open");
  });

  it("deletes nothing where it is not wanted", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge({ deleteBranches: false });
    const a = await publishStage(hosted, forge, "a");
    await mergeWhenKnown(forge, mergeSpec("a", a));
    await forge.cleanUp(RUN, []);
    expect(hosted.tip(stageBranch(RUN, "a"))).toBe(a.commit);
  });
});
