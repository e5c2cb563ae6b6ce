import { repositoryById } from "../../model/find.ts";
import type { Token } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant } from "./addresses.ts";
import { repositoryShape } from "./repository.ts";

export function tokenShape(world: World, token: Token) {
  return {
    token: token.value,
    expires_at: instant(token.expiresAt),
    permissions: token.permissions,
    repository_selection: token.repositories === null ? ("all" as const) : ("selected" as const),
    ...(token.repositories && {
      repositories: token.repositories.map((id) => repositoryShape(world, repositoryById(world, id))),
    }),
  };
}
