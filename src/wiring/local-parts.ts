import type { FoundTarget, Target } from "../adapters/local/resolve-target.ts";
import type { UnsavedWork } from "../adapters/local/unsaved-work.ts";
import type { UserError } from "../core/errors.ts";
import type { Sha } from "../core/ids.ts";
import type { Run } from "../core/run/run.ts";
import type { TaskId } from "../core/task/task.ts";
import type { DiskUse } from "./folders/disk-use.ts";
import type { LocalTaskHold, OnTaskEvent } from "./hold-task.ts";
import type { ReplacedPrompts } from "./prompt-texts.ts";

/** The person's own branches and files. */
export type LocalCheckout = {
  /** Where a branch stands; null when there is none of that name. */
  tipOf(branch: string): Promise<Sha | null>;
  /** The branch to merge into: the current one, or `into`, made when it does not exist. */
  resolveTarget(into: string | null): Promise<Target>;
  /** The same, but one that does not exist is not made yet. */
  findTarget(into: string | null): Promise<FoundTarget>;
  /** What the checkout holds that is not committed yet. */
  unsavedWork(): Promise<UnsavedWork>;
  /** Throws a UserError when following the target would meet changes of the person's. */
  assertClean(target: string): Promise<void>;
  /** The same for changes that writing these files would bring about. */
  assertUntracked(target: string, files: readonly string[]): Promise<void>;
  /** From the repository's root; absolute when the file lies elsewhere. */
  pathInRepository(path: string): string;
  /** Paths of the repository that no agent may change, because Loom itself runs from there. */
  readonly ownPrograms: readonly string[];
};

/** Who can be given work here, and what they are told. */
export type LocalAgents = {
  readonly harnesses: readonly string[];
  /** About agents that were to be left out and are not there. */
  readonly warnings: readonly string[];
  /** Why no agent may be started here; null: nothing is wrong with their files. */
  readonly problem: UserError | null;
  /** Which prompts the repository replaces for a plan, and where it keeps them, from its root. */
  replacedPrompts(run: PlanOfRun): ReplacedPrompts & { readonly folder: string };
};

/** What Loom takes of this disk. */
export type LocalDisk = {
  /** Absolute; it need not exist yet. */
  readonly treesFolder: string;
  use(): Promise<DiskUse>;
  /** Once a day: removes what nobody needs any more of what Loom left on this disk. Nothing it meets is a reason to fail. */
  sweep(): Promise<void>;
};

export type LocalTasks = {
  /** Takes a task for this process; what is written about it meanwhile is told. */
  hold(id: TaskId, onEvent: OnTaskEvent): Promise<LocalTaskHold>;
  /** The file that holds all that became of a task. */
  ledgerFile(id: TaskId): string;
};

/** All that prompts depend on; without settings, those of the environment. */
export type PlanOfRun = { readonly planPath: string; readonly settings?: Pick<Run["settings"], "stateDir"> };
