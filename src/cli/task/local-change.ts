import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { type LookedAt, localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { Local } from "../../wiring/local.ts";

/** Where a branch usually goes to, in this order. */
const USUAL_BASES = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];

/**
 * The change that a person has before them: what their branch has beyond the branch it will go to, and what they have not
 * committed yet. Where there is none, all that is there is looked at.
 */
export async function findLocalChange(local: Local, base: string | null): Promise<LookedAt> {
  const head = headOf(local);
  const { commit: unsaved, untracked } = await local.checkout.unsavedWork();
  const began = base === null ? await usualStart(local, head) : await startAt(local, head, base);
  const from = began !== null && began !== head ? began : unsaved === null ? null : head;
  if (base !== null && from === null)
    throw new UserError(localTaskTexts.noChange(base), { next: localTaskTexts.noChangeNext() });
  return { commit: unsaved ?? head, from, unsaved: unsaved !== null, untracked };
}

/** All that is there, with what is not committed yet. */
export async function findLocalState(local: Local): Promise<LookedAt> {
  const head = headOf(local);
  const { commit, untracked } = await local.checkout.unsavedWork();
  return { commit: commit ?? head, from: null, unsaved: commit !== null, untracked };
}

export function headOf({ repository }: Local): Sha {
  if (repository.headSha !== null) return repository.headSha;
  throw new UserError(localTaskTexts.noCommit(), { next: localTaskTexts.noCommitNext() });
}

async function usualStart(local: Local, head: Sha): Promise<Sha | null> {
  for (const name of USUAL_BASES) {
    const tip = await resolve(local.git, name);
    const shared = tip === null ? null : await local.workspace(LOOKING).mergeBase(tip, head);
    if (shared !== null) return shared;
  }
  return null;
}

async function startAt(local: Local, head: Sha, base: string): Promise<Sha> {
  const next = { next: localTaskTexts.noBaseNext(), exitCode: 2 } as const;
  const tip = base === "" || base.startsWith("-") ? null : await resolve(local.git, base);
  if (tip === null) throw new UserError(localTaskTexts.noBase(base), next);
  const shared = await local.workspace(LOOKING).mergeBase(tip, head);
  if (shared === null) throw new UserError(localTaskTexts.noSharedHistory(base), next);
  return shared;
}

/** A workspace without trees: only commits are looked at. */
const LOOKING = ".looking";

async function resolve(git: RepositoryGit, name: string): Promise<Sha | null> {
  if (/[\0\n]|::/.test(name)) return null;
  const { code, stdout } = await git.refs({
    command: "rev-parse",
    options: ["--verify", "--quiet", "--end-of-options"],
    values: [`${name}^{commit}`],
    answers: [1, 128],
  });
  return code === 0 ? stdout.trim() : null;
}
