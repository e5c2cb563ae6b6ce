import type { GitPerson } from "../model-git.ts";
import type { Login } from "../types.ts";
import type { World } from "../world.ts";

/** How an account signs commits that GitHub makes for it: with its no-reply address. */
export function personOf(world: World, login: Login): GitPerson {
  const user = world.github.users.get(login);
  const email = `${user?.id ?? 0}+${login}@users.noreply.github.com`;
  return { name: user?.name ?? login, email, at: world.clock.now() };
}
