import type { LabelEvent, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, nodeId, repoApiUrl } from "./addresses.ts";
import { labelShape } from "./label.ts";
import { userShape } from "./user.ts";

export function labelEventShape(world: World, repository: Repository, one: LabelEvent) {
  const { name, color } = labelShape(world, repository, one.label);
  return {
    id: one.id,
    node_id: nodeId(one.event === "labeled" ? "LabeledEvent" : "UnlabeledEvent", one.id),
    url: repoApiUrl(world, repository, `/issues/events/${one.id}`),
    actor: userShape(world, one.by),
    event: one.event,
    commit_id: null,
    commit_url: null,
    created_at: instant(one.at),
    performed_via_github_app: null,
    label: { name, color },
  };
}
