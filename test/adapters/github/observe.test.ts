import { describe, expect, it } from "vitest";
import { mergePull } from "../../../playground/model/merge-pull.ts";
import { hostedRepository, RUN } from "./support/hosted-repository.ts";
import { publishStage } from "./support/publish-stage.ts";

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
    const seen = await hosted.hub.observe({
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
});
