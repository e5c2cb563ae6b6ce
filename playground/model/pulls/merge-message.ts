import { headRepository, type PullIssue } from "../find.ts";
import type { MergeMethod, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** GitHub's own texts for merge and squash commits, unless the caller gives others. */
export async function mergeMessage(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: {
    readonly method: MergeMethod;
    readonly base: string;
    readonly title?: string | undefined;
    readonly message?: string | undefined;
  },
): Promise<string> {
  const { title, text } = await usual(world, repository, issue, options);
  const body = options.message ?? text;
  return [options.title ?? title, ...(body === "" ? [] : [body])].join("\n\n");
}

async function usual(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: { readonly method: MergeMethod; readonly base: string },
): Promise<{ title: string; text: string }> {
  const { pull } = issue;
  if (options.method !== "squash") {
    const owner = headRepository(world, issue)?.owner ?? issue.author;
    return { title: `Merge pull request #${issue.number} from ${owner}/${pull.headRef}`, text: issue.title };
  }
  const commits = await world.git.commits(repository.gitDir, { from: options.base, to: pull.headSha });
  const [only, ...more] = commits;
  if (only && more.length === 0) {
    const [subject = issue.title, ...rest] = only.message.split("\n");
    return { title: `${subject} (#${issue.number})`, text: rest.join("\n").trim() };
  }
  const text = commits.toReversed().map((commit) => `* ${commit.message}`);
  return { title: `${issue.title} (#${issue.number})`, text: text.join("\n\n") };
}
