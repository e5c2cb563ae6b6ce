import { tell } from "../people/subjects.ts";
import type { Installation, Login } from "../types.ts";
import type { World } from "../world.ts";

/** Adds repositories to an installation or takes them away; tokens that exist lose them at once. */
export function changeInstalledRepositories(
  world: World,
  installation: Installation,
  change: { readonly by?: Login; readonly add?: readonly number[]; readonly remove?: readonly number[] },
): void {
  const sender = change.by ?? installation.account;
  const added = (change.add ?? []).filter((id) => !installation.repositories.includes(id));
  const removed = (change.remove ?? []).filter((id) => installation.repositories.includes(id));
  installation.repositories = [...installation.repositories, ...added].filter((id) => !removed.includes(id));
  const at = { repository: null, sender };
  const subject = { installation, added, removed };
  if (added.length > 0) tell(world, "installation_repositories", "added", at, { ...subject, removed: [] });
  if (removed.length > 0) tell(world, "installation_repositories", "removed", at, { ...subject, added: [] });
}
