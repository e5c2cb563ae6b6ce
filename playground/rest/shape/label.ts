import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { nodeId, repoApiUrl } from "./addresses.ts";

export function labelShape(world: World, repository: Repository, name: string) {
  const label = repository.labels.get(name) ?? { id: 0, color: "ededed", description: null };
  return {
    id: label.id,
    node_id: nodeId("Label", label.id),
    url: repoApiUrl(world, repository, `/labels/${encodeURIComponent(name)}`),
    name,
    color: label.color,
    default: false,
    description: label.description,
  };
}
