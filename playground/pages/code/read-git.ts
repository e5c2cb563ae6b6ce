import type { PullIssue } from "../../model/find.ts";
import type { GitChangedFile, GitCommit } from "../../model/model-git.ts";
import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";

const REMEMBERED = 200;
const memories = new WeakMap<World, Map<string, Promise<unknown>>>();

export type PullChanges = {
  readonly commits: readonly GitCommit[];
  readonly files: readonly GitChangedFile[];
};

/** What a pull request brings: its commits, oldest first, and its files compared with where it left its base. */
export async function readPullChanges(
  world: World,
  repository: Repository,
  issue: PullIssue,
): Promise<PullChanges> {
  const { gitDir } = repository;
  const { headSha, baseSha, mergeCommitSha } = issue.pull;
  return remember(world, `pull ${gitDir} ${headSha} ${baseSha} ${mergeCommitSha}`, async () => {
    const from = await forkPoint(world, gitDir, issue);
    const commits = await world.git.commits(gitDir, {
      ...(from !== null && { from }),
      to: headSha,
      limit: 250,
    });
    return { commits: commits.toReversed(), files: await world.git.changedFiles(gitDir, from, headSha) };
  });
}

/** Once the base contains the head, their merge base is the head itself; the commit before the merge still knows. */
async function forkPoint(world: World, gitDir: string, { pull }: PullIssue): Promise<string | null> {
  const point = await world.git.mergeBase(gitDir, pull.baseSha, pull.headSha);
  if (point !== pull.headSha || pull.mergeCommitSha === null) return point;
  const before = (await world.git.commit(gitDir, pull.mergeCommitSha))?.parents[0];
  return before === undefined ? point : await world.git.mergeBase(gitDir, before, pull.headSha);
}

export async function readCommitChanges(
  world: World,
  gitDir: string,
  commit: GitCommit,
): Promise<readonly GitChangedFile[]> {
  return remember(world, `commit ${gitDir} ${commit.sha}`, () =>
    world.git.changedFiles(gitDir, commit.parents[0] ?? null, commit.sha),
  );
}

/** What is named by shas alone never changes, and pages ask for it again every second. */
async function remember<T>(world: World, key: string, read: () => Promise<T>): Promise<T> {
  const memory = memories.get(world) ?? new Map<string, Promise<unknown>>();
  memories.set(world, memory);
  const known = memory.get(key) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const answer = read();
  memory.set(key, answer);
  const oldest = memory.keys().next().value;
  if (memory.size > REMEMBERED && oldest !== undefined) memory.delete(oldest);
  answer.catch(() => memory.delete(key));
  return answer;
}
