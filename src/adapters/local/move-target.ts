import { describeFilter, RefusedSetting } from "../../core/config/settings/refused-setting.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import type { MergeOutcome } from "../../ports/forge.ts";
import type { Identity, RepositoryGit } from "../../ports/git.ts";
import { type Checkout, findBranch, tipOfBranch } from "./checkout-find.ts";
import { findObstacle, follow, type Obstacle, type Step } from "./checkout-follow.ts";
import { removeStaleLocks } from "./checkout-locks.ts";
import { createJournal, followAgain } from "./checkout-recovery.ts";
import { watchSettings } from "./checkout-settings.ts";
import { operationInProgress, someOf } from "./checkout-state.ts";
import { swapRefs } from "./swap-refs.ts";

/**
 * The one place that moves the target branch. The branch moves by compare-and-swap; a checkout of it follows, and is
 * asked beforehand whether it can. A journal covers the moment between the two: whoever comes next finishes first.
 */
export type TargetMover = {
  tip(): Promise<Sha>;
  /** Lets a checkout follow that was left behind when Loom died; what is in its way is for the next move to report. */
  catchUp(): Promise<void>;
  move(step: Step, reason: string): Promise<MergeOutcome>;
};

type Held = Extract<MergeOutcome, { kind: "held" }>;

export async function createTargetMover(
  git: RepositoryGit,
  target: string,
  identity: Identity,
): Promise<TargetMover> {
  const { commonDir } = git.repository;
  const settings = await watchSettings(git);
  const journal = createJournal(commonDir);

  async function tip(): Promise<Sha> {
    const found = await tipOfBranch(git, target);
    if (found === null) throw goneError(target);
    return found;
  }

  /** Finishes what a process that died had begun. */
  async function settle(branchTip: Sha, checkout: Checkout): Promise<Held | null> {
    const step = journal.read(checkout);
    if (!step) return null;
    // When the branch never moved, there is nothing to follow.
    if (branchTip === step.to) {
      removeStaleLocks(commonDir, checkout, target);
      const obstacle = await followAgain(git, checkout, step);
      if (obstacle) return heldByObstacle(checkout, obstacle);
    }
    journal.clear(checkout);
    return null;
  }

  async function checkoutTrouble(checkout: Checkout, step: Step): Promise<Held | null> {
    const operation = operationInProgress(checkout.gitDir);
    if (operation !== null) return heldByOperation(target, checkout, operation);
    const obstacle = await findObstacle(git, checkout, step);
    return obstacle ? heldByObstacle(checkout, obstacle) : null;
  }

  async function swap({ from, to }: Step, reason: string, gitDir: string): Promise<boolean> {
    const moves = [{ ref: `refs/heads/${target}`, from, to }];
    return (await swapRefs(git, moves, { message: `loom: ${reason}`, by: identity }, gitDir)) === null;
  }

  async function move(step: Step, reason: string): Promise<MergeOutcome> {
    const { tip: current, checkout } = await findBranch(git, target);
    if (current === null) throw goneError(target);
    if (checkout) {
      const changed = await settings.changedFile();
      if (changed !== null) return heldBySettings(checkout, changed);
      const unfinished = await settle(current, checkout);
      if (unfinished) return unfinished;
    }
    if (current === step.to) return { kind: "merged", as: step.to };
    if (current !== step.from) return { kind: "moved", tip: current };
    if (!checkout)
      return (await swap(step, reason, commonDir)) ? { kind: "merged", as: step.to } : afterLostSwap(step);

    const trouble = await checkoutTrouble(checkout, step);
    if (trouble) return trouble;
    journal.write(checkout, step);
    if (!(await swap(step, reason, checkout.gitDir))) {
      journal.clear(checkout);
      return afterLostSwap(step);
    }
    // Should a file have come in the way just now, the journal stays and the next move reports it.
    if ((await follow(git, checkout, step)) === null) journal.clear(checkout);
    return { kind: "merged", as: step.to };
  }

  async function afterLostSwap(step: Step): Promise<MergeOutcome> {
    const now = await tip();
    if (now !== step.from) return { kind: "moved", tip: now };
    return {
      kind: "held",
      reason: `Git could not move the branch \`${target}\`: another program holds its lock.`,
      next: `Wait until it is done. If no git is running, delete the left over file ${commonDir}/refs/heads/${target}.lock.`,
    };
  }

  async function catchUp(): Promise<void> {
    const { tip: current, checkout } = await findBranch(git, target);
    if (current === null || !checkout || (await settings.changedFile()) !== null) return;
    await settle(current, checkout).catch(heldByRefusal);
  }

  // One at a time: two would fight over the index of the same checkout.
  let queue: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  }

  return {
    tip,
    catchUp: () => inTurn(async () => (journal.isEmpty() ? undefined : catchUp())),
    move: (step, reason) => inTurn(() => move(step, reason).catch(heldByRefusal)),
  };
}

function goneError(target: string): UserError {
  return new UserError(`The branch \`${target}\` is gone.`, {
    next: `Bring it back with \`git branch ${target} <commit>\`, then run \`loom resume\`.`,
  });
}

function heldByObstacle({ workTree }: Checkout, obstacle: Obstacle): Held {
  if (obstacle.kind === "git") {
    return {
      kind: "held",
      reason: `Git can't bring the checkout in ${workTree} forward: ${obstacle.message.split("\n")[0]}`,
      next: "Put that right (a lock file may be left over from a git that was killed), then run `loom resume`.",
    };
  }
  if (obstacle.kind === "filter") {
    const names = someOf(obstacle.files.map(({ path }) => path));
    return {
      kind: "held",
      reason: `The checkout in ${workTree} can't follow the merge, which writes ${names}: ${describeFilter(obstacle.files[0])}`,
      next: "Check out another branch there, run `loom resume`, look at the change and merge or check out the branch yourself.",
    };
  }
  return {
    kind: "held",
    reason: `The checkout in ${workTree} can't follow the merge: it would overwrite ${someOf(obstacle.files)}.`,
    next: "Commit, stash or move these files away, then run `loom resume`.",
  };
}

function heldByRefusal(error: unknown): Held {
  if (!(error instanceof RefusedSetting)) throw error;
  return {
    kind: "held",
    reason: error.message,
    next: `${error.next ?? ""} Then run \`loom resume\`.`.trim(),
  };
}

function heldByOperation(target: string, checkout: Checkout, operation: string): Held {
  return {
    kind: "held",
    reason: `A ${operation} is in progress in ${checkout.workTree}, where \`${target}\` is checked out.`,
    next: `Finish or abort the ${operation}, then run \`loom resume\`.`,
  };
}

function heldBySettings(checkout: Checkout, file: string): Held {
  return {
    kind: "held",
    reason: `Git settings in ${file} changed during the run. They can make git run programs in ${checkout.workTree}, and an agent may have written them.`,
    next: `Look at ${file}, take out what is not yours, then run \`loom resume\`.`,
  };
}
