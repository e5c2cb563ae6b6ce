import type { Login, Repository, Role } from "../types.ts";
import type { World } from "../world.ts";

const ORDER: readonly Role[] = ["none", "read", "triage", "write", "maintain", "admin"];

/** What a person may do in a repository. The owner is admin; strangers read public repositories only. */
export function roleOf(_world: World, repository: Repository, login: Login): Role {
  if (login === repository.owner) return "admin";
  return repository.roles.get(login) ?? (repository.private ? "none" : "read");
}

export function atLeast(role: Role, needed: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(needed);
}
