import { fullName } from "../model/find.ts";
import type { Subjects } from "../model/people/subjects.ts";
import type { Change } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { nodeId } from "../rest/shape/addresses.ts";
import { installationShape } from "../rest/shape/installation.ts";
import { userShape } from "../rest/shape/user.ts";

export function installationPayload(world: World, change: Change) {
  const { installation } = change.subject as Subjects["installation"];
  return {
    installation: installationShape(world, installation),
    repositories: namesOf(world, installation.repositories),
    sender: userShape(world, change.sender),
  };
}

export function installationRepositoriesPayload(world: World, change: Change) {
  const { installation, added, removed } = change.subject as Subjects["installation_repositories"];
  return {
    installation: installationShape(world, installation),
    repository_selection: installation.selection,
    repositories_added: namesOf(world, added),
    repositories_removed: namesOf(world, removed),
    requester: null,
    sender: userShape(world, change.sender),
  };
}

function namesOf(world: World, ids: readonly number[]) {
  return world.github.repositories
    .filter((repository) => ids.includes(repository.id))
    .map((repository) => ({
      id: repository.id,
      node_id: nodeId("Repository", repository.id),
      name: repository.name,
      full_name: fullName(repository),
      private: repository.private,
    }));
}
