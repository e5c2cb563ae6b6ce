import { tell } from "../people/subjects.ts";
import type { Installation, Login } from "../types.ts";
import type { World } from "../world.ts";

/** The installation stays in the list, marked, so that its last webhook and old tokens are understood. */
export function uninstall(
  world: World,
  installation: Installation,
  options: { readonly by?: Login } = {},
): void {
  if (installation.removed) return;
  installation.removed = true;
  const sender = options.by ?? installation.account;
  tell(world, "installation", "deleted", { repository: null, sender }, { installation });
}
