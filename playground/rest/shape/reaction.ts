import type { Reaction } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, nodeId } from "./addresses.ts";
import { userShape } from "./user.ts";

const CONTENTS = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"] as const;

export function reactionShape(world: World, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId("Reaction", reaction.id),
    user: userShape(world, reaction.user),
    content: reaction.content,
    created_at: instant(reaction.createdAt),
  };
}

/** The summary that issues and comments carry. */
export function reactionRollup(reactions: readonly Reaction[], url: string) {
  const count = (content: string) => reactions.filter((one) => one.content === content).length;
  const counts = Object.fromEntries(CONTENTS.map((content) => [content, count(content)]));
  return {
    url: `${url}/reactions`,
    total_count: reactions.length,
    ...(counts as Record<(typeof CONTENTS)[number], number>),
  };
}
