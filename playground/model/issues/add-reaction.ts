import { nextId } from "../next-id.ts";
import type { Login, Reaction, ReactionContent } from "../types.ts";
import type { World } from "../world.ts";

/** The same reaction of the same person is there once: the second call gives the first one back. No webhook tells. */
export function addReaction(
  world: World,
  target: { readonly reactions: Reaction[] },
  options: { readonly by: Login; readonly content: ReactionContent },
): { readonly reaction: Reaction; readonly created: boolean } {
  const known = target.reactions.find((one) => one.user === options.by && one.content === options.content);
  if (known) return { reaction: known, created: false };
  const reaction: Reaction = {
    id: nextId(world),
    user: options.by,
    content: options.content,
    createdAt: world.clock.now(),
  };
  target.reactions.push(reaction);
  return { reaction, created: true };
}
