import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { nodeId, repoApiUrl } from "./addresses.ts";

export function refShape(
  world: World,
  repository: Repository,
  at: { readonly ref: string; readonly sha: string },
) {
  return {
    ref: at.ref,
    node_id: nodeId("Ref", `${repository.id}:${at.ref}`),
    url: repoApiUrl(world, repository, `/git/${at.ref}`),
    object: {
      type: "commit",
      sha: at.sha,
      url: repoApiUrl(world, repository, `/git/commits/${at.sha}`),
    },
  };
}
