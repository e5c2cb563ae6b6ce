import { headRepository, type PullIssue } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import { personOf } from "../people/person-of.ts";
import { Refusal } from "../refusal.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { settlePush } from "./settle-push.ts";

/** The "Update branch" button: merges the base into the head of a pull request from the same repository. */
export function updateBranch(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: { readonly by: Login; readonly expectedHead?: string | undefined },
): Promise<void> {
  return inTurn(repository, async () => {
    const { pull } = issue;
    const { expectedHead, by } = options;
    if (expectedHead !== undefined && expectedHead !== pull.headSha) {
      throw new Refusal(422, "expected head sha didn’t match current head ref.");
    }
    const base = await world.git.tip(repository.gitDir, pull.baseRef);
    if (base === null || headRepository(world, issue) !== repository) throw new Refusal(403, "Forbidden");
    if (await world.git.isAncestor(repository.gitDir, base, pull.headSha)) {
      throw new Refusal(422, "There are no new commits on the base branch.");
    }
    const message = `Merge branch '${pull.baseRef}' into ${pull.headRef}`;
    const author = personOf(world, by);
    const work = { method: "merge", base: pull.headSha, head: base, message, author } as const;
    const made = await world.git.merge(repository.gitDir, work);
    if (made.kind === "conflict") throw new Refusal(422, "merge conflict between base and head");
    const ref = `refs/heads/${pull.headRef}`;
    const before = pull.headSha;
    if (!(await world.git.updateRef(repository.gitDir, ref, made.sha, before))) {
      throw new Refusal(422, "expected head sha didn’t match current head ref.");
    }
    await settlePush(world, repository, [{ ref, before, after: made.sha }], { by });
  });
}
