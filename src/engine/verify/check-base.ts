import type { Sha } from "../../core/ids.ts";
import type { CommandCheck } from "../../core/plan/plan.ts";
import type { Criteria } from "../../core/verify/criteria.ts";
import type { Verdict } from "../../core/verify/verdict.ts";
import { checkCommand, checkSetup } from "./check-command.ts";
import { type CheckDeps, type CheckOrder, type CheckScene, inCleanTree } from "./check-scene.ts";

/**
 * A gate that was red before the stage began must not be blamed on it: what fails on the commit is tried on the base,
 * with the same set-up, and only warned about when it fails there as well.
 */
export async function compareGateWithBase(
  deps: CheckDeps,
  order: CheckOrder,
  base: Sha,
  criteria: Criteria,
  onCommit: readonly Verdict[],
): Promise<Verdict[]> {
  if (!onCommit.some(hasFailed)) return [...onCommit];
  const checks = onCommit.filter(hasFailed).length;
  return inCleanTree(deps, order, { commit: base, checks }, async (scene) => {
    // Without its set-up the base would fail for a reason of its own, which would excuse the commit.
    if (!(await setUpBase(deps, scene, base, criteria))) return [...onCommit];
    const compared: Verdict[] = [];
    for (const [index, verdict] of onCommit.entries()) {
      const check = criteria.gate[index];
      compared.push(check && hasFailed(verdict) ? await compare(scene, check, verdict) : verdict);
    }
    return compared;
  });
}

async function compare(scene: CheckScene, check: CommandCheck, onCommit: Verdict): Promise<Verdict> {
  const onBase = await checkCommand(scene, ".", check);
  if (!hasFailed(onBase)) return onCommit;
  return { ...onCommit, outcome: "warned", detail: `${onCommit.detail}; fails on the base as well` };
}

/** True when the base is as ready as the commit was; a folder that the stage brought needs no set-up there. */
export async function setUpBase(
  deps: CheckDeps,
  scene: CheckScene,
  base: Sha,
  { workingDir, setup }: Criteria,
): Promise<boolean> {
  if (setup.length === 0 || workingDir === null || !(await hasFolder(deps, base, workingDir))) return true;
  const verdict = await checkSetup(scene, workingDir, setup);
  return verdict === null || !hasFailed(verdict);
}

/** Git knows no empty folders: a folder is there when a regular file is below it, and not through a link. */
export async function hasFolder(
  { workspace }: Pick<CheckDeps, "workspace">,
  commit: Sha,
  folder: string,
): Promise<boolean> {
  return folder === "." || (await workspace.listFiles(commit)).some((path) => path.startsWith(`${folder}/`));
}

function hasFailed(verdict: Verdict): boolean {
  return verdict.outcome === "failed";
}
