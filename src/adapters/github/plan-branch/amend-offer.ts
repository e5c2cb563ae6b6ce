import { UserError } from "../../../core/errors.ts";
import { planBranch } from "../../../core/ids.ts";
import type { PlanAmended, PlanAmendment } from "../../../ports/github/plan-branch.ts";
import { blobAt } from "../git-facts.ts";
import { pullsFromBranch } from "../pulls/pull.ts";
import type { Repository } from "../repository.ts";

/**
 * One more commit on the plan's branch. An earlier try is recognised by what it left there, the plan itself; the push
 * names the tip it was made for, so that nobody's commit is lost.
 */
export async function amendOffer(repository: Repository, amendment: PlanAmendment): Promise<PlanAmended> {
  const { planPath, files, remove, message, replaces, adopts } = amendment;
  const branch = planBranch(amendment.run);
  const ref = `refs/heads/${branch}`;
  const text = files[planPath] ?? "";
  for (let round = 0; round < 3; round += 1) {
    const [latest] = await pullsFromBranch(repository, branch);
    if (latest?.merged) return { kind: "merged", pr: latest.number };
    if (!latest?.open) return { kind: "closed", pr: latest?.number ?? null };
    const tip = (await repository.remote.fetchRefs([ref])).get(ref);
    if (tip === undefined) return { kind: "closed", pr: latest.number };
    const blob = await blobAt(repository, tip, planPath);
    const there = await repository.workspace.readFile(tip, planPath, Buffer.byteLength(text) + 1);
    if (blob !== null && (blob === adopts || there === text))
      // The commit is there, so that this is when it came, or a little later.
      return { kind: "offered", pr: latest.number, head: tip, blob, since: latest.updatedAt };
    // What a person pushed is never replaced by what another one did.
    if (adopts !== null || blob !== replaces) return { kind: "edited", head: tip };
    const commit = await repository.workspace.commitFiles({ base: tip, files, remove, message });
    const pushed = await repository.remote.push([{ ref, to: commit, expected: tip }]);
    if (pushed.kind === "refused") {
      throw new UserError(`GitHub refused the branch \`${branch}\`: ${pushed.reason}`, {
        next: "Let the App push to branches that start with `loom/` in the repository's rules.",
      });
    }
  }
  throw new Error(`failed to push ${branch}: it moves all the time`);
}
