import { notFound } from "../refusal.ts";
import type { Reaction } from "../types.ts";

export function removeReaction(target: { readonly reactions: Reaction[] }, id: number): void {
  const at = target.reactions.findIndex((one) => one.id === id);
  if (at < 0) throw notFound();
  target.reactions.splice(at, 1);
}
