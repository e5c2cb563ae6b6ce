import { tell } from "../people/subjects.ts";
import type { Installation, Login } from "../types.ts";
import type { World } from "../world.ts";

export function suspend(
  world: World,
  installation: Installation,
  options: { readonly by?: Login } = {},
): void {
  if (installation.suspended) return;
  installation.suspended = true;
  installation.suspendedAt = world.clock.now();
  const sender = options.by ?? installation.account;
  tell(world, "installation", "suspend", { repository: null, sender }, { installation });
}

export function unsuspend(
  world: World,
  installation: Installation,
  options: { readonly by?: Login } = {},
): void {
  if (!installation.suspended) return;
  installation.suspended = false;
  installation.suspendedAt = null;
  const sender = options.by ?? installation.account;
  tell(world, "installation", "unsuspend", { repository: null, sender }, { installation });
}
