import * as z from "zod";
import { UserError } from "../../../core/errors.ts";
import type { ReviewSpec, Reviews } from "../../../ports/github/reviews.ts";
import { detailOf } from "../api/failure.ts";
import { findOrMake } from "../api/find-or-make.ts";
import { getPull } from "../pulls/pull.ts";
import type { Repository } from "../repository.ts";
import { marked, markedKey, unmarked } from "../threads/marker.ts";

const LIST = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews";
const MAKE = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews";

const SHAPE = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
});

type Outcome = Awaited<ReturnType<Reviews["review"]>>;

/** One request for the review and all its remarks: GitHub takes all of it or nothing. */
export async function review(repository: Repository, number: number, spec: ReviewSpec): Promise<Outcome> {
  const content = contentOf(spec);
  return findOrMake<Outcome>(
    async () => ((await findReview(repository, number, spec.key)) ? { kind: "found" } : null),
    async () => {
      if (await hasMoved(repository, number, spec)) return { kind: "stale" };
      const reply = await repository.ask(MAKE, { pull_number: number, ...content }, { answers: [422] });
      if (reply.status !== 422) return { kind: "made" };
      if (await hasMoved(repository, number, spec)) return { kind: "stale" };
      // The diff of this very head has the lines, but GitHub does not show those of large files.
      return { kind: "refused", reason: detailOf(reply.data) };
    },
    repository.pause,
  );
}

export async function findReview(
  repository: Repository,
  number: number,
  key: string,
): Promise<{ readonly id: number } | null> {
  return (await ownReviews(repository, number)).find((one) => one.key === key) ?? null;
}

export async function reviewTexts(
  repository: Repository,
  number: number,
): Promise<readonly { readonly key: string; readonly body: string }[]> {
  return (await ownReviews(repository, number)).map(({ key, body }) => ({ key, body }));
}

async function ownReviews(repository: Repository, number: number) {
  const all = await repository.list(LIST, { pull_number: number }, SHAPE);
  return all.flatMap(({ id, body, user }) => {
    const key = user?.login === repository.app.botLogin ? markedKey(body) : null;
    return key === null ? [] : [{ id, key, body: unmarked(body ?? "") }];
  });
}

function contentOf({ key, head, body, remarks }: ReviewSpec): Record<string, unknown> {
  return {
    commit_id: head,
    event: "COMMENT",
    body: marked(body, key),
    comments: remarks.map(({ key: own, path, startLine, line, body: text }) => ({
      path,
      line,
      side: "RIGHT",
      // A range of one line is none for GitHub, and refused.
      ...(startLine !== null && startLine < line ? { start_line: startLine, start_side: "RIGHT" } : {}),
      body: marked(text, own),
    })),
  };
}

async function hasMoved(repository: Repository, number: number, { head }: ReviewSpec): Promise<boolean> {
  const pull = await getPull(repository, number);
  if (pull !== null) return pull.head.sha !== head;
  throw new UserError(`There is no pull request #${number} to review.`);
}
