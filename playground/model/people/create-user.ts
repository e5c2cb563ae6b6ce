import { nextId } from "../next-id.ts";
import type { Login, User } from "../types.ts";
import type { World } from "../world.ts";

export function createUser(
  world: World,
  options: { readonly login: Login; readonly name?: string; readonly type?: User["type"] },
): User {
  const known = world.github.users.get(options.login);
  if (known) return known;
  const user: User = {
    id: nextId(world),
    login: options.login,
    type: options.type ?? "User",
    name: options.name ?? options.login,
  };
  world.github.users.set(user.login, user);
  return user;
}
