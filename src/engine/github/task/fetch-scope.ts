import type { Sha } from "../../../core/ids.ts";
import type { Task } from "../../../core/task/task.ts";
import type { RepoEngine } from "../host.ts";

/**
 * What a task reads, readable here. The head of a pull request may lie in a fork, and may have been pushed over since;
 * resolves with the one that it has now.
 */
export async function fetchScope(
  { contents, pulls }: Pick<RepoEngine, "contents" | "pulls">,
  { commit, scope }: Pick<Task, "commit" | "scope">,
): Promise<Sha> {
  const change = scope?.pr ? await pulls.fetchChange(scope.pr) : null;
  await contents.fetch(scope ? [scope.from, commit] : [commit]);
  return change?.head ?? commit;
}
