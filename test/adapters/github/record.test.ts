import { describe, expect, it } from "vitest";
import { mergePull } from "../../../playground/model/pulls/merge-pull.ts";
import { planBranch } from "../../../src/core/ids.ts";
import type { Forge } from "../../../src/ports/forge.ts";
import { protection } from "../../support/merge-story.ts";
import { type Hosted, hostedRepository, RUN } from "./support/hosted-repository.ts";

describe("the record", () => {
  const files = { [`.loom/${RUN}/PLAN.md`]: "# Plan\n", [`.loom/${RUN}/history.jsonl`]: "{}\n" };
  const message = `Record the run ${RUN}`;
  const offer = (hosted: Hosted) =>
    hosted.planBranch.offerPlan({
      run: RUN,
      target: "main",
      base: hosted.tip("main") ?? "",
      files: { [`.loom/${RUN}/PLAN.md`]: "# Plan\n" },
      planPath: `.loom/${RUN}/PLAN.md`,
      message: "Plan\n",
      title: "Plan",
      body: "Plan",
    });

  async function recordWhenKnown(forge: Forge) {
    for (let round = 0; ; round += 1) {
      const outcome = await forge.record({ run: RUN, files, message });
      if (outcome.kind === "recorded" || round === 5) return outcome;
    }
  }

  it("goes onto the plan's branch and is merged with it", async () => {
    const hosted = await hostedRepository();
    await offer(hosted);
    const forge = hosted.forge();
    const outcome = await recordWhenKnown(forge);
    const tip = hosted.tip("main") ?? "";
    expect(outcome).toEqual({ kind: "recorded", commit: tip });
    expect(await hosted.contents.readFile(tip, `.loom/${RUN}/history.jsonl`, 100)).toBe("{}\n");
    expect(await forge.record({ run: RUN, files, message })).toEqual(outcome);
    expect([...hosted.repository.issues.values()]).toHaveLength(1);
  });

  it("is left to people in review mode", async () => {
    const hosted = await hostedRepository();
    await offer(hosted);
    const forge = hosted.forge({ mode: "review" });
    const outcome = await forge.record({ run: RUN, files, message });
    expect(outcome).toEqual({ kind: "recorded", commit: hosted.tip(planBranch(RUN)) });
    expect(await forge.record({ run: RUN, files, message })).toEqual(outcome);
  });

  it("gets a pull request of its own when the plan's is merged", async () => {
    const hosted = await hostedRepository();
    const offered = await offer(hosted);
    if (offered.kind !== "offered") return expect.fail(offered.kind);
    await mergePull(hosted.playground.world, hosted.repository, hosted.pull(offered.pr), {
      by: "pat",
      method: "squash",
    });
    expect(await recordWhenKnown(hosted.forge())).toEqual({ kind: "recorded", commit: hosted.tip("main") });
    expect([...hosted.repository.issues.values()].map(({ title }) => title)).toEqual(["Plan", message]);
  });

  it("is not merged together with what somebody else put on the plan's branch", async () => {
    const hosted = await hostedRepository();
    await offer(hosted);
    await hosted.push(planBranch(RUN), { "backdoor.txt": "x\n" });
    const before = hosted.tip("main");
    expect(await hosted.forge().record({ run: RUN, files, message })).toMatchObject({ kind: "held" });
    expect(hosted.tip("main")).toBe(before);
  });

  for (const strict of [false, true]) {
    it(`is merged although the target moves meanwhile${strict ? ", where branches have to be up to date" : ""}`, async () => {
      const hosted = await hostedRepository();
      await offer(hosted);
      hosted.repository.protection.set("main", protection({ strict }));
      let letGo = (): void => {};
      const asked = hosted.playground.faults.inject({
        on: "request",
        match: { method: "GET", route: "/repos/{owner}/{repo}/pulls/{pull_number}" },
        effect: { kind: "delay", until: new Promise<void>((done) => (letGo = done)) },
      });
      const recording = hosted.forge().record({ run: RUN, files, message });
      await asked.whenFired;
      await hosted.push("main", { "theirs.txt": "theirs\n" });
      letGo();
      expect(await recording).toEqual({ kind: "recorded", commit: hosted.tip("main") });
    });
  }
});
