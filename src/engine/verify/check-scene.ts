import type { Sha } from "../../core/ids.ts";
import type { StagePlan } from "../../core/plan/plan.ts";
import type { RefusalAt } from "../../core/policy/boundaries.ts";
import type { Patterns } from "../../ports/patterns.ts";
import type { TreeMark } from "../../ports/workspace.ts";
import { throwIfInterrupted } from "../attempt/interrupted.ts";
import { layFile } from "../attempt/lay-file.ts";
import { type SetUpDone, type SetUpJob, setUp } from "../attempt/set-up.ts";
import type { CheckPurpose, CheckSandbox, SetUpDeps } from "./check-sandbox.ts";

export type CheckDeps = SetUpDeps & {
  readonly patterns: Patterns;
  /** Told of what is in a commit and is no mistake; absent where nobody watches. */
  readonly onDoubt?: (doubt: ContentDoubt) => void;
};

/** What a commit holds that somebody may have put there on purpose. */
export type ContentDoubt =
  | Pick<RefusalAt<"published">, "boundary" | "rule" | "what">
  | Pick<RefusalAt<"import">, "boundary" | "rule" | "what">;

/** What all checks of one verification have in common. */
export type CheckOrder = {
  readonly stage: StagePlan;
  readonly projectRoot: string;
  readonly marker: string;
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
};

/** Set-up commands build on each other, in one sandbox; `folder` is where they run, from the root of the tree. */
export type SceneSetUp<T> = Pick<SetUpJob<T>, "folder" | "run" | "problemOf">;

/**
 * A clean checkout in which commands may run, once what it needs is set up. Every check has a sandbox and a home of its own, and
 * begins with the tree as it was before the first one: what a check leaves behind, be it an emptied test or a `.npmrc`, decides
 * nothing about the next (T36). Of a set-up stays what it adds; files of the commit are as committed.
 */
export type CheckScene = {
  readonly order: CheckOrder;
  readonly tree: string;
  /** Puts a file on top of the commit, before set-up and checks. */
  lay(path: string, text: string): void;
  setUp<T>(wanted: SceneSetUp<T>): Promise<SceneSetUpDone<T>>;
  inSandbox<T>(work: (sandbox: CheckSandbox) => Promise<T>): Promise<InSandbox<T>>;
};

export type SceneSetUpDone<T> = Omit<SetUpDone<T>, "close"> & {
  /** Files of the commit that it changed; they are as committed again. */
  readonly changed: readonly string[];
};

/** `set-up-failed`: it did not come to its end a second time. `unreadable`: what it left can't be told from a check's work. */
export type InSandbox<T> = { readonly kind: "done"; readonly result: T } | { readonly kind: Unready };
type Unready = "set-up-failed" | "unreadable";

export async function inCleanTree<T>(
  deps: CheckDeps,
  order: CheckOrder,
  /** `checks`: how many commands are going to be run besides set-up. */
  { commit, checks }: { readonly commit: Sha; readonly checks: number },
  work: (scene: CheckScene) => Promise<T>,
): Promise<T> {
  throwIfInterrupted(order.signal);
  const { workspace } = deps;
  const tree = await workspace.open(commit);
  const laid = new Map<string, string>();
  let isLaid = true;
  let closeSetUp: (() => Promise<void>) | null = null;
  let rebuild: (() => Promise<boolean>) | null = null;
  let mark: TreeMark | null = null;
  let isReadable = true;

  const layAll = async (sandbox: CheckSandbox): Promise<void> => {
    for (const [path, text] of laid) await layFile(sandbox, tree.path, path, text);
    isLaid = true;
  };
  const inNewSandbox = async <R>(
    purpose: CheckPurpose,
    inside: (sandbox: CheckSandbox) => Promise<R>,
  ): Promise<R> => {
    const sandbox = await deps.openSandbox(tree.path, purpose, order.marker, null);
    try {
      return await inside(sandbox);
    } finally {
      await sandbox.close().catch(() => {});
    }
  };

  const prepare = async (): Promise<"ready" | Unready> => {
    if (!isReadable) return "unreadable";
    if (!isLaid) await inNewSandbox("closed", layAll);
    if (checks < 2) return "ready";
    if (mark !== null && (await workspace.setBack(tree, mark)) === "set-back") return "ready";
    if (mark !== null) {
      await workspace.fill(tree, commit);
      if (rebuild && !(await rebuild())) return "set-up-failed";
      if (!rebuild && laid.size > 0) await inNewSandbox("closed", layAll);
    }
    mark = workspace.mark(tree, new Set(laid.keys()));
    isReadable &&= mark !== null;
    return isReadable ? "ready" : "unreadable";
  };

  const endSetUp = async (): Promise<void> => {
    const close = closeSetUp;
    closeSetUp = null;
    await close?.().catch(() => {});
  };
  const setUpOnce = async <R>(wanted: SceneSetUp<R>): Promise<SceneSetUpDone<R>> => {
    await endSetUp();
    const done = await setUp<R>(deps, {
      tree,
      content: commit,
      head: commit,
      marker: order.marker,
      signal: order.signal,
      lay: laid.size > 0 ? layAll : null,
      ...wanted,
    });
    closeSetUp = done.close;
    if (wanted.problemOf(done.result) !== null) return { ...done, changed: [] };
    // Set-up runs code of the commit, which could empty a test for all checks to come (T36, T37).
    const changed = await workspace.restoreTracked(tree, new Set(laid.keys()));
    isReadable &&= changed !== null;
    return { ...done, changed: changed ?? [] };
  };

  try {
    return await work({
      order,
      tree: tree.path,
      lay(path, text) {
        laid.set(path, text);
        isLaid = false;
      },
      async setUp(wanted) {
        const done = await setUpOnce(wanted);
        rebuild = async () => wanted.problemOf((await setUpOnce(wanted)).result) === null;
        return done;
      },
      async inSandbox(inside) {
        const state = await prepare();
        return state === "ready"
          ? { kind: "done", result: await inNewSandbox("checks", inside) }
          : { kind: state };
      },
    });
  } finally {
    await endSetUp();
    await workspace.close(tree);
  }
}
