import * as z from "zod";
import type { LineRemark } from "../../../core/findings/line-remark.ts";
import type { Repository } from "../repository.ts";
import { AUTHOR, isOwn, nameOf } from "./author.ts";
import { markedKey, unmarked } from "./marker.ts";

/** `databaseId` is too small for the numbers of today's comments; REST knows nothing of threads. */
const DOCUMENT = `query ReviewThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          resolvedBy { login }
          isOutdated
          path
          line
          startLine
          comments(first: 20) { nodes { fullDatabaseId body author { __typename login } } }
        }
      }
    }
  }
}`;

const THREAD = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  resolvedBy: z.object({ login: z.string() }).nullish(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: z.number().nullish(),
  startLine: z.number().nullish(),
  comments: z.object({
    nodes: z.array(
      z.object({
        fullDatabaseId: z.coerce.number(),
        body: z.string(),
        author: AUTHOR,
      }),
    ),
  }),
});
type Thread = z.infer<typeof THREAD>;

const SHAPE = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewThreads: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
        nodes: z.array(THREAD),
      }),
    }),
  }),
});

const PAGES = 50;

export async function lineRemarks(repository: Repository, number: number): Promise<readonly LineRemark[]> {
  const remarks: LineRemark[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const threads: Threads | null = await readThreads(repository, number, after);
    if (threads === null) {
      await repository.assertReachable();
      break;
    }
    remarks.push(...threads.nodes.flatMap((thread) => ownRemark(repository, thread)));
    after = threads.pageInfo.endCursor ?? null;
    if (!threads.pageInfo.hasNextPage || after === null) break;
  }
  return remarks;
}

type Threads = z.infer<typeof SHAPE>["repository"]["pullRequest"]["reviewThreads"];

async function readThreads(
  { place, graphQl }: Repository,
  number: number,
  after: string | null,
): Promise<Threads | null> {
  const variables = { owner: place.owner, name: place.name, number, after };
  const answer = await graphQl({ document: DOCUMENT, variables, shape: SHAPE });
  return answer?.repository.pullRequest.reviewThreads ?? null;
}

function ownRemark(repository: Repository, thread: Thread): LineRemark[] {
  const [first, ...replies] = thread.comments.nodes;
  const key = markedKey(first?.body);
  if (!first || !isOwn(repository, first.author) || key === null) return [];
  return [
    {
      id: first.fullDatabaseId,
      key,
      body: unmarked(first.body),
      path: thread.path,
      line: thread.isOutdated ? null : (thread.line ?? null),
      startLine: thread.isOutdated ? null : (thread.startLine ?? null),
      resolvedBy: resolverOf(repository, thread),
      replies: replies.map(({ author, body }) => ({ author: nameOf(author), text: body })),
      thread: thread.id,
    },
  ];
}

/**
 * GitHub's type for who settled it is a person's, also where that is an App, so that only the name tells. Where it names
 * nobody, nobody's word is taken for it either: a finding that people never settled must not be hidden for good.
 */
function resolverOf({ app }: Repository, { isResolved, resolvedBy }: Thread): LineRemark["resolvedBy"] {
  if (!isResolved) return null;
  return resolvedBy && resolvedBy.login.replace(/\[bot\]$/, "") !== app.slug ? "people" : "loom";
}
