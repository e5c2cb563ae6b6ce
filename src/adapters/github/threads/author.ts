import * as z from "zod";
import type { Repository } from "../repository.ts";

/** Who wrote something, as GraphQL tells it; null: somebody whose account is gone. */
export const AUTHOR = z.object({ __typename: z.string(), login: z.string() }).nullish();

export function isOwn({ app }: Repository, author: z.infer<typeof AUTHOR>): boolean {
  // A bot is called without `[bot]` here, and a person may have the very same name.
  return author?.__typename === "Bot" && author.login.replace(/\[bot\]$/, "") === app.slug;
}

export function nameOf(author: z.infer<typeof AUTHOR>): string {
  return author?.login ?? "ghost";
}
