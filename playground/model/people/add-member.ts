import type { Login } from "../types.ts";
import type { World } from "../world.ts";
import { createUser } from "./create-user.ts";

/**
 * Makes somebody a member of an organization. It shows as MEMBER beside what they write and gives no role anywhere:
 * whoever reads rights from it is wrong, which tests can show.
 */
export function addMember(world: World, organization: Login, login: Login): void {
  createUser(world, { login: organization, type: "Organization" });
  createUser(world, { login });
  const members = world.github.members.get(organization) ?? new Set<Login>();
  world.github.members.set(organization, members.add(login));
}
