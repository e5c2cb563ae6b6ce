import { inTurn } from "../in-turn.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { type RefUpdate, settlePush } from "./settle-push.ts";

export type { RefUpdate } from "./settle-push.ts";

/** Call it after refs of a repository have changed, whoever changed them: a push over HTTP, or a test with plain git. */
export function afterPush(
  world: World,
  repository: Repository,
  updates: readonly RefUpdate[],
  options: { readonly by: Login },
): Promise<void> {
  return inTurn(repository, () => settlePush(world, repository, updates, options));
}
