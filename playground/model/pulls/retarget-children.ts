import { openPulls } from "../find.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { retarget } from "./edit-pull.ts";

/** What GitHub does when it deletes a merged branch by itself or from its page; never when the API deletes it. */
export async function retargetChildren(
  world: World,
  repository: Repository,
  move: { readonly by: Login; readonly from: string; readonly to: string },
): Promise<void> {
  const baseSha = await world.git.tip(repository.gitDir, move.to);
  if (baseSha === null) return;
  for (const child of openPulls(repository)) {
    if (child.pull.baseRef !== move.from) continue;
    await retarget(world, repository, child, { by: move.by, base: move.to, baseSha });
  }
}
