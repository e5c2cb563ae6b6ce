import { checkBody, checkTitle } from "../checks/check-body.ts";
import { requestSuites } from "../checks/request-suites.ts";
import { openPulls, type PullIssue } from "../find.ts";
import { addLabel } from "../issues/add-label.ts";
import { addIssue } from "../issues/open-issue.ts";
import { nextId } from "../next-id.ts";
import type { Actor } from "../people/actor.ts";
import { tell } from "../people/subjects.ts";
import { invalid } from "../refusal.ts";
import type { Pull, Repository } from "../types.ts";
import type { World } from "../world.ts";

export type NewPull = Actor & {
  readonly title: string;
  readonly body?: string;
  /** Branch names. */
  readonly head: string;
  readonly base: string;
  /** Where the head branch lives; the repository itself unless it comes from a fork. */
  readonly headRepository?: Repository;
  readonly draft?: boolean;
  readonly labels?: readonly string[];
};

export async function openPull(world: World, repository: Repository, options: NewPull): Promise<PullIssue> {
  const { git } = world;
  const from = options.headRepository ?? repository;
  checkTitle("PullRequest", options.title);
  checkBody("PullRequest", options.body ?? "");
  const baseSha = await git.tip(repository.gitDir, options.base);
  if (baseSha === null) throw invalid("PullRequest", "base");
  const headSha = await git.tip(from.gitDir, options.head);
  if (headSha === null) throw invalid("PullRequest", "head");
  if (from !== repository) await git.fetchFrom(repository.gitDir, from.gitDir, headSha);
  await refuseEmpty(world, repository, options, { baseSha, headSha });
  // Looked at last and without an await after it, so that of two equal requests one is refused.
  refuseTwin(repository, from, options);
  const pull: Pull = {
    id: nextId(world),
    headRef: options.head,
    headRepo: from.id,
    headSha,
    baseRef: options.base,
    baseSha,
    draft: options.draft ?? false,
    merged: false,
    mergedAt: null,
    mergedBy: null,
    mergeCommitSha: null,
    mergeable: { value: null, knownAt: null },
    reviews: [],
    threads: [],
    requestedReviewers: [],
    autoMerge: null,
    stack: null,
  };
  const issue = addIssue(world, repository, options, pull);
  await git.updateRef(repository.gitDir, `refs/pull/${issue.number}/head`, headSha);
  tell(world, "pull_request", "opened", { repository, sender: options.by }, { issue });
  requestSuites(world, repository, { sender: options.by, sha: headSha, branch: options.head });
  for (const label of options.labels ?? []) addLabel(world, repository, issue, { by: options.by, label });
  return issue;
}

async function refuseEmpty(
  world: World,
  repository: Repository,
  options: NewPull,
  { baseSha, headSha }: { readonly baseSha: string; readonly headSha: string },
): Promise<void> {
  const { git } = world;
  if (await git.isAncestor(repository.gitDir, headSha, baseSha)) {
    throw invalid("PullRequest", "head", `No commits between ${options.base} and ${options.head}`);
  }
  if ((await git.mergeBase(repository.gitDir, headSha, baseSha)) === null) {
    throw invalid(
      "PullRequest",
      "head",
      `The ${options.head} branch has no history in common with ${options.base}`,
    );
  }
}

function refuseTwin(repository: Repository, from: Repository, options: NewPull): void {
  const twin = openPulls(repository).some(
    ({ pull }) => pull.headRepo === from.id && pull.headRef === options.head && pull.baseRef === options.base,
  );
  if (!twin) return;
  const message = `A pull request already exists for ${from.owner}:${options.head}.`;
  throw invalid("PullRequest", "base", message);
}
