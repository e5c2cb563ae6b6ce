import * as z from "zod";
import { messageOf, UserError } from "../../../core/errors.ts";
import { GitHubFailure } from "../api/failure.ts";
import type { Repository } from "../repository.ts";

const DOCUMENT = `mutation ResolveThread($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { id isResolved } }
}`;
const SHAPE = z.object({ resolveReviewThread: z.unknown() });

/**
 * GitHub lets those settle a conversation who may push, hence the token for merging. Where it does not let Loom, or can't
 * do it, the remark stays open, and people can settle it: no reason to stop what it belongs to.
 */
export async function resolveRemark(repository: Repository, thread: string): Promise<"resolved" | "refused"> {
  const question = { document: DOCUMENT, variables: { thread }, shape: SHAPE, use: "merge" } as const;
  try {
    if ((await repository.graphQl(question)) === null) await repository.assertReachable();
    return "resolved";
  } catch (error) {
    if (!(error instanceof UserError || error instanceof GitHubFailure)) throw error;
    repository.warn(`failed to settle a conversation on a pull request: ${messageOf(error)}`);
    return "refused";
  }
}
