import * as z from "zod";
import type { ThreadComment } from "../../../ports/github/threads.ts";
import { fitBody } from "../fit-body.ts";
import type { Repository } from "../repository.ts";
import { AUTHOR, isOwn, nameOf } from "../threads/author.ts";

/** REST does not tell when a review was edited, and what was edited since a command must not count (T3). */
const DOCUMENT = `query Reviews($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 100) {
        nodes {
          fullDatabaseId
          body
          submittedAt
          lastEditedAt
          author { __typename login }
          comments(first: 100) {
            nodes { fullDatabaseId body path line originalLine lastEditedAt author { __typename login } }
          }
        }
      }
    }
  }
}`;

const REMARK = z.object({
  fullDatabaseId: z.coerce.number(),
  body: z.string(),
  lastEditedAt: z.string().nullish(),
  author: AUTHOR,
});
type Remark = z.infer<typeof REMARK>;

const REVIEW = REMARK.extend({
  /** null: nobody but its author sees it yet. */
  submittedAt: z.string().nullish(),
  comments: z.object({
    nodes: z.array(
      REMARK.extend({ path: z.string(), line: z.number().nullish(), originalLine: z.number().nullish() }),
    ),
  }),
});

const SHAPE = z.object({
  repository: z.object({ pullRequest: z.object({ reviews: z.object({ nodes: z.array(REVIEW) }) }) }),
});

const BODY_CHARS = 20_000;

/** What was said in the newest reviews of a pull request and on its lines; all of a review appears when it is submitted. */
export async function readReviews(repository: Repository, number: number): Promise<readonly ThreadComment[]> {
  const { owner, name } = repository.place;
  const variables = { owner, name, number };
  const answer = await repository.graphQl({ document: DOCUMENT, variables, shape: SHAPE });
  if (answer === null) await repository.assertReachable();
  const reviews = answer?.repository.pullRequest.reviews.nodes ?? [];
  return reviews.flatMap(({ submittedAt: at, comments, ...review }) => {
    if (!at) return [];
    const onLines = comments.nodes.map(({ path, line, originalLine, ...remark }) => {
      const known = line ?? originalLine ?? null;
      const place = known === null ? path : `${path}:${known}`;
      return { ...commentOf(repository, remark, at), kind: "line" as const, place };
    });
    const whole = { ...commentOf(repository, review, at), kind: "review" as const, place: null };
    return review.body.trim() === "" ? onLines : [whole, ...onLines];
  });
}

function commentOf(
  repository: Repository,
  { fullDatabaseId, body, lastEditedAt, author }: Remark,
  at: string,
) {
  return {
    id: fullDatabaseId,
    author: nameOf(author),
    at,
    body: fitBody(body, "", BODY_CHARS),
    own: isOwn(repository, author),
    editedAt: lastEditedAt ?? null,
  };
}
