import { describe, expect, it } from "vitest";
import { closeIssue } from "../../../playground/model/issues/close-issue.ts";
import { deleteBranch } from "../../../playground/model/pulls/delete-branch.ts";
import { mergePull } from "../../../playground/model/pulls/merge-pull.ts";
import { pullSimpleShape } from "../../../playground/rest/shape/pulls/pull-simple.ts";
import { hostedRepository, RUN } from "./support/hosted-repository.ts";
import { publishSpec, publishStage } from "./support/publish-stage.ts";

describe("what is merged", () => {
  it("is seen for all stages at once, also where a person wrote the message", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const since = hosted.tip("main") ?? "";
    const a = await publishStage(hosted, forge, "a");
    const b = await publishStage(hosted, forge, "b");
    const c = await publishStage(hosted, forge, "c");
    const { playground, repository } = hosted;
    await mergePull(playground.world, repository, hosted.pull(a.pr), { by: "pat", method: "merge" });
    const asA = hosted.tip("main");
    await mergePull(playground.world, repository, hosted.pull(b.pr), {
      by: "pat",
      method: "squash",
      title: "Mine",
      message: "all mine",
    });
    const asB = hosted.tip("main");
    const seen = await hosted.pulls.observe({
      run: RUN,
      since,
      target: "main",
      planPr: null,
      stages: [
        { stage: "a", pr: a.pr },
        { stage: "b", pr: b.pr },
        { stage: "c", pr: c.pr },
        { stage: "d", pr: null },
      ],
    });
    expect(seen.targetTip).toBe(asB);
    // A person's merge commit carries no trailers, so that the commit which it merged is found.
    expect(asA).not.toBe(a.commit);
    expect(seen.stages.get("a")?.merged).toBe(a.commit);
    expect(seen.stages.get("b")).toMatchObject({ merged: asB, tip: b.commit, pull: { merged: true } });
    expect(seen.stages.get("c")).toMatchObject({ merged: null, tip: c.commit, pull: { open: true } });
    expect(seen.stages.get("d")).toEqual({ merged: null, tip: null, pull: null });
    expect(await forge.findMerged(RUN, "b", since)).toBe(asB);
  });

  it("is asked of as few pull requests as something can still come of", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const since = hosted.tip("main") ?? "";
    const names = ["a", "b", "c", "d", "e"];
    const made = new Map<string, Awaited<ReturnType<typeof publishStage>>>();
    for (const name of names) made.set(name, await publishStage(hosted, forge, name));
    const pr = (stage: string): number => made.get(stage)?.pr ?? 0;
    const { playground, repository } = hosted;
    await mergePull(playground.world, repository, hosted.pull(pr("a")), { by: "pat", method: "squash" });
    closeIssue(playground.world, repository, hosted.pull(pr("b")), { by: "pat" });
    const look = async (ask: (stage: string) => object) => {
      hosted.requests();
      const stages = names.map((stage) => ({ stage, pr: pr(stage), ...ask(stage) }));
      const seen = await hosted.pulls.observe({ run: RUN, since, target: "main", planPr: null, stages });
      const asked = hosted.requests().filter((line) => line.startsWith("GET /pulls"));
      return { seen: seen.stages, asked: asked.map((line) => line.replace("GET /pulls", "")).sort() };
    };

    const all = await look((stage) => ({ settled: stage === "a" }));
    expect(all.asked).toEqual(["", `/${pr("b")}`]);
    expect(all.seen.get("a")).toMatchObject({ pull: null });
    expect(all.seen.get("b")).toMatchObject({ pull: { open: false, merged: false } });
    for (const stage of ["c", "d", "e"])
      expect(all.seen.get(stage)).toMatchObject({
        pull: { number: pr(stage), open: true, head: { sha: made.get(stage)?.commit }, base: "main" },
        merged: null,
      });

    const one = await look((stage) => ({ settled: stage !== "c" }));
    expect(one.asked).toEqual([`/${pr("c")}`]);
    const known = await look((stage) => ({ settled: stage === "a", mergeable: true }));
    expect(known.asked).toEqual(["b", "c", "d", "e"].map((stage) => `/${pr(stage)}`));
  });

  it("is seen also while GitHub's list still has it open", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const since = hosted.tip("main") ?? "";
    const stages = [];
    for (const stage of ["a", "b", "c"])
      stages.push({ stage, ...(await publishStage(hosted, forge, stage)) });
    const [a] = stages;
    const { playground, repository } = hosted;
    const { world } = playground;
    const older = stages.map(({ pr }) => pullSimpleShape(world, repository, hosted.pull(pr)));
    const of = { by: "pat", method: "squash", title: "Mine", message: "all mine" } as const;
    const { sha } = await mergePull(world, repository, hosted.pull(a?.pr ?? 0), of);
    await deleteBranch(world, repository, { by: "pat", branch: hosted.pull(a?.pr ?? 0).pull.headRef });
    playground.faults.inject({
      on: "request",
      match: { method: "GET", route: "/repos/{owner}/{repo}/pulls" },
      effect: { kind: "fail", status: 200, body: older },
    });
    hosted.requests();
    const seen = await hosted.pulls.observe({ run: RUN, since, target: "main", planPr: null, stages });
    expect(seen.stages.get("a")).toMatchObject({
      tip: null,
      merged: sha,
      pull: { open: false, merged: true },
    });
    expect(hosted.requests().filter((line) => line.startsWith("GET /pulls"))).toEqual([
      "GET /pulls",
      `GET /pulls/${a?.pr}`,
    ]);
  });

  it("is seen of a settled stage as well once another was merged into its branch", async () => {
    const hosted = await hostedRepository();
    const forge = hosted.forge();
    const since = hosted.tip("main") ?? "";
    const a = await publishStage(hosted, forge, "a");
    const child = await forge.publish(
      publishSpec("b", await hosted.stageCommit("b", a.commit), { base: { kind: "stage", stage: "a" } }),
    );
    const b = child.kind === "published" ? child.pr : null;
    const { playground, repository } = hosted;
    await mergePull(playground.world, repository, hosted.pull(b ?? 0), { by: "pat", method: "merge" });
    await mergePull(playground.world, repository, hosted.pull(a.pr), { by: "pat", method: "squash" });
    const seen = await hosted.pulls.observe({
      run: RUN,
      since,
      target: "main",
      planPr: null,
      stages: [
        { stage: "a", pr: a.pr, settled: true },
        { stage: "b", pr: b },
      ],
    });
    expect(seen.stages.get("a")).toMatchObject({ pull: { merged: true }, merged: hosted.tip("main") });
    expect(seen.stages.get("b")).toMatchObject({ pull: { merged: true }, merged: null });
  });
});
