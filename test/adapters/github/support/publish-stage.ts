import type { Protection } from "../../../../playground/model/types.ts";
import type { Sha } from "../../../../src/core/ids.ts";
import { commitMessage } from "../../../../src/core/merge/trailers.ts";
import type { Forge, MergeOutcome, PublishSpec } from "../../../../src/ports/forge.ts";
import { type Hosted, RUN } from "./hosted-repository.ts";

export function publishSpec(stage: string, commit: Sha, more: Partial<PublishSpec> = {}): PublishSpec {
  return {
    run: RUN,
    stage,
    commit,
    previous: null,
    base: { kind: "target" },
    pr: null,
    title: `Do ${stage}`,
    body: `The stage ${stage}.`,
    ...more,
  };
}

export type Published = { commit: Sha; pr: number; onto: Sha };

export async function publishStage(hosted: Hosted, forge: Forge, stage: string): Promise<Published> {
  const onto = hosted.tip("main") ?? "";
  const commit = await hosted.stageCommit(stage, onto);
  const outcome = await forge.publish(publishSpec(stage, commit));
  if (outcome.kind !== "published" || outcome.pr === null) throw new Error(JSON.stringify(outcome));
  return { commit, pr: outcome.pr, onto };
}

export function mergeSpec(stage: string, { commit, pr, onto }: Published) {
  const message = commitMessage({ subject: `Do ${stage}`, body: "Why.", run: RUN, stage, attempt: 1 });
  return { run: RUN, stage, commit, pr, onto, message };
}

/** As the engine does: asks again while GitHub works out whether it can be merged. */
export async function mergeWhenKnown(
  forge: Forge,
  request: Parameters<Forge["merge"]>[0],
): Promise<MergeOutcome> {
  for (let round = 0; ; round += 1) {
    const outcome = await forge.merge(request);
    if (outcome.kind !== "waiting" || !/working out/.test(outcome.reason) || round === 5) return outcome;
  }
}

/** A branch without any rule, to add some to. */
export const RULES: Protection = {
  requiredChecks: [],
  strict: false,
  requiredApprovals: 0,
  dismissStaleReviews: false,
  codeOwnerReviews: false,
  mergeQueue: false,
  linearHistory: false,
};

/** GitHub works it out when it is asked for the first time. */
export async function mergeableNow({ pulls }: Hosted, pr: number): Promise<void> {
  for (let round = 0; round < 20; round += 1) if ((await pulls.pull(pr))?.mergeable) return;
  throw new Error(`#${pr} does not get mergeable`);
}
