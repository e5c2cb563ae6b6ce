import type { Sha } from "../../core/ids.ts";
import { quote } from "../../core/text/quote.ts";
import { normaliseFolder, setupChecks } from "../../core/verify/criteria.ts";
import { branch, leaf, type Verdict } from "../../core/verify/verdict.ts";
import { hasFolder } from "./check-base.ts";
import { checkCommands, checkSetup } from "./check-command.ts";
import { type CheckDeps, type CheckOrder, inCleanTree } from "./check-scene.ts";

export type BeforeRequest = CheckOrder & {
  /** What the agent will start from. */
  readonly commit: Sha;
};

/** Whether what the plan takes for granted holds before any agent is paid for. */
export async function checkBefore(deps: CheckDeps, request: BeforeRequest): Promise<Verdict> {
  const { stage, commit } = request;
  if (stage.before.length === 0)
    return branch("before", [], "the plan names no check to hold before this stage");
  const folder = normaliseFolder(stage.workingDir);
  if (folder === null || !(await hasFolder(deps, commit, folder)))
    return branch("before", [
      leaf("failed", "working_dir", `there is no folder ${quote(stage.workingDir)} to run the checks in`),
    ]);
  return inCleanTree(deps, request, { commit, checks: stage.before.length }, async (scene) => {
    const setup = await checkSetup(scene, folder, setupChecks(stage));
    if (setup?.outcome === "failed")
      return branch("before", [setup], "the set-up failed, so nothing else was run");
    const checks = await checkCommands(scene, folder, stage.before);
    return branch("before", setup ? [setup, ...checks] : checks);
  });
}
