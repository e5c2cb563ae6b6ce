import * as z from "zod";
import type { Sha } from "../../../core/ids.ts";
import type { PullFacts } from "../../../ports/github/pulls.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Reply } from "../api/send.ts";
import type { Repository } from "../repository.ts";

/** A pull request as GitHub tells it, with what only this adapter needs to know. */
export type Pull = PullFacts & {
  readonly draft: boolean;
  /** What GitHub makes of all its rules, such as `clean`, `blocked` or `behind`; `unknown` until it was asked. */
  readonly standing: string;
  readonly createdAt: string | null;
  /** Among others, when its branch was last pushed to. */
  readonly updatedAt: string | null;
  /** Where its base stood when GitHub last looked; for a merged one, right before that. */
  readonly baseTip: Sha | null;
  /** GitHub's native stack that it is part of. */
  readonly stack: { readonly number: number; readonly position: number } | null;
};

const SHAPE = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  draft: z.boolean().optional(),
  created_at: z.iso.datetime().nullish(),
  updated_at: z.iso.datetime().nullish(),
  merged: z.boolean().optional(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  mergeable: z.boolean().nullish(),
  mergeable_state: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  head: z.object({ sha: z.string(), ref: z.string(), repo: z.object({ id: z.number() }).nullish() }),
  base: z.object({ ref: z.string(), sha: z.string().nullish() }),
  labels: z.array(z.object({ name: z.string() })).optional(),
  stack: z.object({ number: z.number().optional(), position: z.number().optional() }).nullish(),
});

export function pullShape(repositoryId: number): z.ZodType<Pull> {
  return SHAPE.transform((pull): Pull => {
    const merged = pull.merged ?? pull.merged_at != null;
    const { number, position } = pull.stack ?? {};
    return {
      number: pull.number,
      title: pull.title,
      body: pull.body ?? "",
      author: pull.user?.login ?? "ghost",
      open: pull.state === "open",
      merged,
      // While it is open, GitHub names a trial merge here that is in no branch.
      mergeCommit: merged ? (pull.merge_commit_sha ?? null) : null,
      head: { sha: pull.head.sha, ref: pull.head.ref, sameRepository: pull.head.repo?.id === repositoryId },
      base: pull.base.ref,
      labels: (pull.labels ?? []).map((label) => label.name),
      mergeable: pull.mergeable ?? null,
      draft: pull.draft ?? false,
      standing: pull.mergeable_state ?? "unknown",
      createdAt: pull.created_at ?? null,
      updatedAt: pull.updated_at ?? null,
      baseTip: pull.base.sha ?? null,
      stack: number === undefined ? null : { number, position: position ?? 1 },
    };
  }) as unknown as z.ZodType<Pull>;
}

export function readPull(repository: Repository, reply: Reply, route: string): Pull {
  return readAnswer(pullShape(repository.place.id), reply, route);
}

const ALL = "GET /repos/{owner}/{repo}/pulls";
const ONE = "GET /repos/{owner}/{repo}/pulls/{pull_number}";

export async function getPull(repository: Repository, number: number): Promise<Pull | null> {
  const reply = await repository.ask(ONE, { pull_number: number }, { answers: [404] });
  if (reply.status !== 404) return readPull(repository, reply, ONE);
  await repository.assertReachable();
  return null;
}

/** The newest of those that are open, in one request. What the list says about mergeability counts for nothing. */
export async function newestOpenPulls(repository: Repository): Promise<readonly Pull[]> {
  const reply = await repository.ask(ALL, {
    state: "open",
    sort: "created",
    direction: "desc",
    per_page: 100,
  });
  return readAnswer(z.array(pullShape(repository.place.id)), reply, ALL);
}

/** Of this repository's own branches; the newest first. What the list says about mergeability counts for nothing. */
export async function pullsFromBranch(repository: Repository, branch: string): Promise<readonly Pull[]> {
  const found = await repository.list(
    ALL,
    { head: `${repository.place.owner}:${branch}`, state: "all", sort: "created", direction: "desc" },
    pullShape(repository.place.id),
  );
  return found
    .filter(({ head }) => head.ref === branch && head.sameRepository)
    .sort((one, other) => other.number - one.number);
}
