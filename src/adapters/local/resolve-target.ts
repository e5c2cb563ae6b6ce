import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import { findBranch } from "./checkout-find.ts";

export type Target = { readonly branch: string; readonly tip: Sha; readonly created: boolean };
/** `isNew`: it can be made, and would begin at `tip`. */
export type FoundTarget = { readonly branch: string; readonly tip: Sha; readonly isNew: boolean };

/** The branch that a run merges into: the current one, or the one a person named, which is made when it is new. */
export async function resolveTarget(git: RepositoryGit, into: string | null): Promise<Target> {
  const { branch, tip, isNew } = await findTarget(git, into);
  if (isNew) await makeBranch(git, branch, tip, "commit");
  return { branch, tip, created: isNew };
}

/** The same for who does not know yet whether there will be a run: refuses all that `resolveTarget` does, and makes nothing. */
export async function findTarget(git: RepositoryGit, into: string | null): Promise<FoundTarget> {
  const { headSha, currentBranch } = git.repository;
  const branch = into ?? currentBranch;
  if (branch === null) {
    throw new UserError("HEAD is detached, so it is not clear which branch to merge into.", {
      next: "Check out a branch, or name one with --into.",
    });
  }
  await assertBranchName(git, branch);
  const { tip } = await findBranch(git, branch);
  if (tip !== null) return { branch, tip, isNew: false };
  if (headSha === null) {
    throw new UserError("This repository has no commit yet.", {
      next: "Make a first commit (`git commit --allow-empty -m start` will do) and try again.",
    });
  }
  await makeBranch(git, branch, headSha, "abort");
  return { branch, tip: headSha, isNew: true };
}

/** `abort`: git takes all steps but the last, so it says what would be in the way. */
async function makeBranch(
  git: RepositoryGit,
  branch: string,
  at: Sha,
  end: "commit" | "abort",
): Promise<void> {
  const { code, stderr } = await git.refs({
    command: "update-ref",
    options: [["-m", "loom: created as the target"], "--stdin"],
    input: `start\ncreate refs/heads/${branch} ${at}\nprepare\n${end}\n`,
    answers: [1, 128],
    committer: { name: "Loom", email: "loom@localhost" },
  });
  if (code === 0) return;
  const reason = stderr.replace(/^fatal: (?:prepare: |commit: )?/, "").trim();
  throw new UserError(`The branch \`${branch}\` can't be made: ${reason}`, {
    next: "Choose another name for --into.",
  });
}

async function assertBranchName(git: RepositoryGit, branch: string): Promise<void> {
  // Stage branches are `loom/<run>/<stage>`, and a branch `loom` would leave no room for them.
  if (branch === "loom" || branch.startsWith("loom/")) {
    throw new UserError(`\`${branch}\` can't be the target: names that start with \`loom\` are Loom's own.`, {
      next: "Choose another branch with --into.",
      exitCode: 2,
    });
  }
  const isPlain = branch !== "" && branch !== "HEAD" && !branch.startsWith("-") && !branch.includes("\0");
  const isLegal =
    isPlain &&
    (await git.refs({ command: "check-ref-format", values: [`refs/heads/${branch}`], answers: [1] })).code ===
      0;
  if (isLegal) return;
  throw new UserError(`${JSON.stringify(branch)} is not a name that a branch can have.`, {
    next: "Choose another name for --into.",
    exitCode: 2,
  });
}
