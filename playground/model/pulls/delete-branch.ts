import { inTurn } from "../in-turn.ts";
import { Refusal } from "../refusal.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { retargetChildren } from "./retarget-children.ts";
import { settlePush } from "./settle-push.ts";

/**
 * Deletes a branch as the API does: pull requests based on it are closed. `retargetTo` does what the button on the page
 * of a merged pull request does: they move to that branch first.
 */
export async function deleteBranch(
  world: World,
  repository: Repository,
  options: { readonly by: Login; readonly branch: string; readonly retargetTo?: string },
): Promise<void> {
  await inTurn(repository, async () => {
    const { branch, by } = options;
    const tip = await world.git.tip(repository.gitDir, branch);
    if (tip === null) throw new Refusal(422, "Reference does not exist");
    if (branch === repository.defaultBranch) throw new Refusal(422, "Cannot delete the default branch");
    if (repository.protection.has(branch)) throw new Refusal(422, "Cannot delete a protected branch");
    if (options.retargetTo !== undefined) {
      await retargetChildren(world, repository, { by, from: branch, to: options.retargetTo });
    }
    const ref = `refs/heads/${branch}`;
    if (!(await world.git.updateRef(repository.gitDir, ref, null, tip))) {
      throw new Refusal(409, `The branch ${branch} has just moved. Try again.`);
    }
    await settlePush(world, repository, [{ ref, before: tip, after: null }], { by });
  });
}
