import { isPull } from "../../model/find.ts";
import type { Login, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";

/**
 * As unreliable as GitHub's: it tells a relation, not a right. A collaborator with read is a COLLABORATOR too, which is
 * why nobody may take it for permission.
 */
export function authorAssociation(world: World, repository: Repository, login: Login) {
  if (login === repository.owner) return "OWNER" as const;
  if (world.github.members.get(repository.owner)?.has(login)) return "MEMBER" as const;
  if (repository.roles.has(login)) return "COLLABORATOR" as const;
  const merged = [...repository.issues.values()].some(
    (issue) => isPull(issue) && issue.pull.merged && issue.author === login,
  );
  return merged ? ("CONTRIBUTOR" as const) : ("NONE" as const);
}
