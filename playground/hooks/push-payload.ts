import type { GitCommit } from "../model/model-git.ts";
import { personOf } from "../model/people/person-of.ts";
import type { Subjects } from "../model/people/subjects.ts";
import type { Change, Repository } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { instant, repoHtmlUrl } from "../rest/shape/addresses.ts";
import { simpleCommitShape } from "../rest/shape/check-suite.ts";

const NOTHING = "0".repeat(40);
/** GitHub sends up to 2,048; nobody here needs more than these. */
const MOST_COMMITS = 20;

export async function pushPayload(world: World, repository: Repository, change: Change) {
  const { ref, before, after, forced } = change.subject as Subjects["push"];
  const { name, email } = personOf(world, change.sender);
  const commits = after === null ? [] : await newCommits(world, repository, ref, before, after);
  const shown = await Promise.all(commits.map((commit) => pushedCommit(world, repository, commit)));
  const head = after === null ? null : await world.git.commit(repository.gitDir, after);
  const [from, to] = [
    before?.slice(0, 12) ?? NOTHING.slice(0, 12),
    after?.slice(0, 12) ?? NOTHING.slice(0, 12),
  ];
  return {
    ref,
    before: before ?? NOTHING,
    after: after ?? NOTHING,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: repoHtmlUrl(world, repository, `/compare/${from}...${to}`),
    commits: shown,
    head_commit: head && (await pushedCommit(world, repository, head)),
    pusher: { name, email },
  };
}

export async function mergeGroupPayload(
  world: World,
  repository: Repository,
  subject: Subjects["merge_group"],
) {
  const { entry, baseRef, reason } = subject;
  const group = {
    head_sha: entry.headSha,
    head_ref: entry.headRef,
    base_ref: `refs/heads/${baseRef}`,
    base_sha: entry.baseSha,
  };
  const commit = await world.git.commit(repository.gitDir, group.head_sha);
  if (commit === null) throw new Error(`failed to find the commit ${group.head_sha} of a merge group`);
  const head_commit = simpleCommitShape(commit);
  return { merge_group: { ...group, head_commit }, ...(reason !== undefined && { reason }) };
}

/** Oldest first. A new branch brings what the default branch has not. */
async function newCommits(
  world: World,
  repository: Repository,
  ref: string,
  before: string | null,
  to: string,
): Promise<GitCommit[]> {
  const isDefault = ref === `refs/heads/${repository.defaultBranch}`;
  const known = isDefault ? null : await world.git.tip(repository.gitDir, repository.defaultBranch);
  const from = before ?? known;
  const range = from === null ? { to } : { from, to };
  return (await world.git.commits(repository.gitDir, { ...range, limit: MOST_COMMITS })).toReversed();
}

async function pushedCommit(world: World, repository: Repository, commit: GitCommit) {
  const files = await world.git.changedFiles(repository.gitDir, commit.parents[0] ?? null, commit.sha);
  const paths = (status: string): string[] =>
    files.filter((file) => file.status === status).map((file) => file.path);
  const renamed = files.filter((file) => file.status === "renamed");
  return {
    ...simpleCommitShape(commit),
    timestamp: instant(commit.author.at),
    distinct: true,
    url: repoHtmlUrl(world, repository, `/commit/${commit.sha}`),
    added: [...paths("added"), ...renamed.map((file) => file.path)],
    modified: paths("modified"),
    removed: [...paths("removed"), ...renamed.flatMap((file) => file.previousPath ?? [])],
  };
}
