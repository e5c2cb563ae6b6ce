import type { Login, Repository, Role } from "../types.ts";
import type { World } from "../world.ts";
import { createUser } from "./create-user.ts";
import { tell } from "./subjects.ts";

/** `none` takes the person off the list of collaborators. */
export function setRole(
  world: World,
  repository: Repository,
  change: { readonly login: Login; readonly role: Role; readonly sender?: Login },
): void {
  const { login, role } = change;
  createUser(world, { login });
  const known = repository.roles.has(login);
  if (role === "none") repository.roles.delete(login);
  else repository.roles.set(login, role);
  const action = role === "none" ? "removed" : known ? "edited" : "added";
  tell(
    world,
    "member",
    action,
    { repository, sender: change.sender ?? repository.owner },
    { member: login, role },
  );
}
