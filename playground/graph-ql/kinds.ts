import { findPull, isPull, type PullIssue } from "../model/find.ts";
import { Refusal } from "../model/refusal.ts";
import { mustMayResolve, resolveThread } from "../model/reviews/resolve-thread.ts";
import type { LineComment, Repository, Review, ReviewThread } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { authorize } from "../rest/authorize.ts";
import type { Call, Needs } from "../rest/call.ts";
import { instant, nodeId } from "../rest/shape/addresses.ts";
import { connection, paged } from "./paging.ts";
import { kindOf } from "./run-operation.ts";

/** The little of GitHub's schema that anybody here asks for: conversations on lines, and settling one. */
export type Context = Pick<Call, "world" | "caller">;

type Found = { readonly repository: Repository; readonly issue: PullIssue; readonly thread: ReviewThread };
type Person = { readonly login: string; readonly type: string };

const READ: Needs = { permission: ["pull_requests"], level: "read" };

const ACTOR = kindOf<Person, Context>("Actor", {
  // Every type answers it; an actor's is the one that it really is.
  __typename: { resolve: ({ type }) => type },
  login: { resolve: ({ login }) => login.replace(/\[bot\]$/, "") },
});

/** Who settled a conversation has this type, an App's bot as well. */
const USER = kindOf<Person, Context>("User", {
  login: { resolve: ({ login }) => login.replace(/\[bot\]$/, "") },
});

const COMMENT = kindOf<LineComment, Context>("PullRequestReviewComment", {
  id: { resolve: ({ id }) => nodeId("PullRequestReviewComment", id) },
  fullDatabaseId: { resolve: ({ id }) => String(id) },
  body: { resolve: ({ body }) => body },
  lastEditedAt: {
    resolve: ({ createdAt, updatedAt }) => (updatedAt === createdAt ? null : instant(updatedAt)),
  },
  author: {
    of: ACTOR,
    resolve: ({ author }, _args, { world }) => personOf(world, author),
  },
});

type OnLine = LineComment & { readonly thread: ReviewThread };

const COMMENT_OF_REVIEW = kindOf<OnLine, Context>(COMMENT.name, {
  ...COMMENT.fields,
  path: { resolve: ({ thread }) => thread.path },
  line: { resolve: ({ thread }) => thread.place?.line ?? null },
  originalLine: { resolve: ({ thread }) => thread.original.line },
});

type OfPull = { readonly issue: PullIssue; readonly review: Review };

const REVIEW = kindOf<OfPull, Context>("PullRequestReview", {
  fullDatabaseId: { resolve: ({ review }) => String(review.id) },
  body: { resolve: ({ review }) => review.body },
  submittedAt: { resolve: ({ review }) => instant(review.submittedAt) },
  lastEditedAt: {
    resolve: ({ review }) => (review.editedAt === null ? null : instant(review.editedAt)),
  },
  author: {
    of: ACTOR,
    resolve: ({ review }, _args, { world }) => personOf(world, review.author),
  },
  comments: {
    of: connection("PullRequestReviewCommentConnection", COMMENT_OF_REVIEW),
    args: ["first", "after"],
    resolve: ({ issue, review }, args) =>
      paged(
        issue.pull.threads.flatMap((thread) =>
          thread.comments
            .filter((comment) => comment.review === review.id)
            .map((comment): OnLine => ({ ...comment, thread })),
        ),
        args,
        "comments",
      ),
  },
});

const THREAD = kindOf<Found, Context>("PullRequestReviewThread", {
  id: { resolve: ({ thread }) => threadId(thread) },
  isResolved: { resolve: ({ thread }) => thread.resolvedBy !== null },
  resolvedBy: {
    of: USER,
    resolve: ({ thread }, _args, { world }) =>
      thread.resolvedBy === null ? null : personOf(world, thread.resolvedBy),
  },
  isOutdated: { resolve: ({ thread }) => thread.place === null },
  path: { resolve: ({ thread }) => thread.path },
  line: { resolve: ({ thread }) => thread.place?.line ?? null },
  startLine: { resolve: ({ thread }) => thread.place?.startLine ?? null },
  comments: {
    of: connection("PullRequestReviewCommentConnection", COMMENT),
    args: ["first", "after"],
    resolve: ({ thread }, args) => paged(thread.comments, args, "comments"),
  },
});

const PULL = kindOf<Found, Context>("PullRequest", {
  number: { resolve: ({ issue }) => issue.number },
  reviews: {
    of: connection("PullRequestReviewConnection", REVIEW),
    args: ["first", "last", "after"],
    resolve: ({ issue }, args) =>
      paged(
        issue.pull.reviews.map((review) => ({ issue, review })),
        args,
        "reviews",
      ),
  },
  reviewThreads: {
    of: connection("PullRequestReviewThreadConnection", THREAD),
    args: ["first", "after"],
    resolve: ({ repository, issue }, args) =>
      paged(
        issue.pull.threads.map((thread) => ({ repository, issue, thread })),
        args,
        "reviewThreads",
      ),
  },
});

const REPOSITORY = kindOf<Repository, Context>("Repository", {
  pullRequest: {
    of: PULL,
    args: ["number!"],
    resolve(repository, { number }) {
      const wanted = Number(number);
      if (!repository.issues.get(wanted)?.pull)
        throw new Refusal(404, `Could not resolve to a PullRequest with the number of ${wanted}.`);
      return { repository, issue: findPull(repository, wanted) };
    },
  },
});

export const QUERY = kindOf<null, Context>("Query", {
  repository: {
    of: REPOSITORY,
    args: ["owner!", "name!"],
    resolve(_source, { owner, name }, context) {
      try {
        return allowed(context, `${owner}/${name}`, READ).repository;
      } catch (problem) {
        if (!(problem instanceof Refusal) || problem.status !== 404) throw problem;
        throw new Refusal(404, `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      }
    },
  },
});

const RESOLVED = kindOf<Found, Context>("ResolveReviewThreadPayload", {
  thread: { of: THREAD, resolve: (found) => found },
});

export const MUTATION = kindOf<null, Context>("Mutation", {
  resolveReviewThread: {
    of: RESOLVED,
    args: ["input!"],
    resolve(_source, { input }, context) {
      const { threadId } = input as { threadId?: unknown };
      const found = findThread(context.world, String(threadId));
      const by = found && mayResolve(context, found);
      if (!found || !by)
        throw new Refusal(404, `Could not resolve to a node with the global id of '${threadId}'`);
      resolveThread(found.thread, { by });
      return found;
    },
  },
});

/** An App needs to be able to push as well, which its documentation does not tell. */
function mayResolve(context: Context, { repository, issue }: Found): string | null {
  const place = `${repository.owner}/${repository.name}`;
  try {
    const { by } = allowed(context, place, { permission: ["pull_requests"], level: "write" });
    if (context.caller.kind === "installation") {
      allowed(context, place, { permission: ["contents"], level: "write" });
    } else mustMayResolve(context.world, repository, issue, by);
    return by;
  } catch (problem) {
    if (problem instanceof Refusal && problem.status === 404) return null;
    throw problem;
  }
}

function allowed(context: Context, place: string, needs: Needs) {
  const [owner = "", repo = ""] = place.split("/");
  const rest = { query: {}, body: {}, accept: "", address: new URL(context.world.github.url) };
  return authorize({ ...context, ...rest, params: { owner, repo } }, needs);
}

function findThread({ github }: World, id: string): Found | null {
  for (const repository of github.repositories) {
    for (const issue of [...repository.issues.values()].filter(isPull)) {
      const thread = issue.pull.threads.find((one) => threadId(one) === id);
      if (thread) return { repository, issue, thread };
    }
  }
  return null;
}

export function threadId({ id }: ReviewThread): string {
  return nodeId("PullRequestReviewThread", id);
}

function personOf({ github }: World, login: string): Person {
  return github.users.get(login) ?? { login, type: "User" };
}
