import type { Sha } from "../../core/ids.ts";
import type { ClosedSetUp, SetUpProblem } from "../../core/report/texts/setup-texts.ts";
import { KEPT_FOLDERS } from "../../core/setup/kept-folders.ts";
import { isManifest } from "../../core/setup/package-managers.ts";
import { offlineEnvironment, sharedEnvironment } from "../../core/setup/setup-environment.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import type { CheckSandbox, SetUpDeps, SetUpHome, SetUpTrust } from "../verify/check-sandbox.ts";
import { downloadDependencies } from "./download-dependencies.ts";
import { throwIfInterrupted } from "./interrupted.ts";

export type SetUpJob<T> = {
  readonly tree: WorkTree;
  /** What the tree holds, as one commit, and where the agent's git says it stands. */
  readonly content: Sha;
  readonly head: Sha;
  /** Where the commands run, from the root of the tree. */
  readonly folder: string;
  readonly marker: string;
  readonly signal: AbortSignal | undefined;
  /** Puts files on top of the content; null: there are none. */
  readonly lay: ((sandbox: CheckSandbox) => Promise<void>) | null;
  run(sandbox: CheckSandbox): Promise<T>;
  /** What went wrong; null: nothing. */
  problemOf(result: T): SetUpProblem | null;
};

export type SetUpDone<T> = {
  readonly result: T;
  /** null: it had its network. */
  readonly closed: ClosedSetUp | null;
  /** Closes the sandbox and takes its home away. */
  close(): Promise<void>;
};

/** Homes of one process never have the same name. */
let count = 0;

/**
 * Runs the set-up of a tree. Nothing that an agent wrote runs with the network of set-up (T34): its `preinstall`, or a script
 * that `make deps` calls, could send the code away. So where the content is not what the run started from, set-up runs twice:
 *
 * 1. on what the run started from, with the network. It fills the caches in the home and folders such as node_modules. That
 *    it fails is no failure yet: a project may get its first manifest from a stage.
 * 2. on the content, with the same home and those folders, without any network.
 *
 * In between, what changed manifests name is downloaded, by the package managers and in a folder without any code. A proxy
 * that lets GET requests pass alone was rejected: it would have to read what TLS hides. So was a set-up of the base's
 * manifests alone, since set-up commands run scripts, makefiles and builds.
 */
export async function setUp<T>(deps: SetUpDeps, job: SetUpJob<T>): Promise<SetUpDone<T>> {
  const { workspace, trust } = deps;
  const changed = trust === null ? [] : await workspace.changedFiles(trust.base, job.content);
  if (trust === null || (changed.length === 0 && job.lay === null)) {
    const sandbox = await deps.openSandbox(job.tree.path, "setup", job.marker, null);
    return finishing(
      () => sandbox.close(),
      async () => {
        await job.lay?.(sandbox);
        return { result: await job.run(sandbox), closed: null };
      },
    );
  }
  count += 1;
  const home = await trust.openHome(`${job.marker}-setup-${count}`);
  return finishing(
    () => home.remove(),
    () => setUpTwice(deps, trust, job, home, changed),
  );
}

async function setUpTwice<T>(
  deps: SetUpDeps,
  trust: SetUpTrust,
  job: SetUpJob<T>,
  home: SetUpHome,
  changed: readonly string[],
): Promise<Omit<SetUpDone<T>, "close">> {
  const { workspace } = deps;
  const { tree, content, head } = job;
  const files = { commit: await workspace.listFiles(content), base: await workspace.listFiles(trust.base) };
  const shared = sharedEnvironment(home.path, [...files.base, ...files.commit]);
  const inSandbox = async <R>(
    purpose: "setup" | "closed",
    env: Readonly<Record<string, string>>,
    work: (sandbox: CheckSandbox) => Promise<R>,
  ): Promise<R> => {
    const sandbox = await deps.openSandbox(tree.path, purpose, job.marker, home.path);
    try {
      return await work(withEnvironment(sandbox, env));
    } finally {
      await sandbox.close();
    }
  };

  let onBase: SetUpProblem | null = null;
  if (hasFolder(files.base, job.folder)) {
    await workspace.reopen(tree, trust.base);
    onBase = job.problemOf(await inSandbox("setup", shared, (sandbox) => job.run(sandbox)));
  }
  throwIfInterrupted(job.signal);
  const undownloaded = await downloadDependencies(deps, {
    commits: { commit: content, base: trust.base },
    files: { ...files, changed },
    home,
    env: shared,
    marker: job.marker,
    signal: job.signal,
  });

  await workspace.reopen(tree, head, KEPT_FOLDERS);
  if (content !== head) await workspace.fill(tree, content, KEPT_FOLDERS);
  const offline = { ...shared, ...offlineEnvironment(home.path) };
  const result = await inSandbox("closed", offline, async (sandbox) => {
    await job.lay?.(sandbox);
    return job.run(sandbox);
  });
  return { result, closed: { manifests: changed.filter(isManifest), undownloaded, onBase } };
}

async function finishing<T>(
  close: () => Promise<void>,
  work: () => Promise<Omit<SetUpDone<T>, "close">>,
): Promise<SetUpDone<T>> {
  try {
    return { ...(await work()), close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

function withEnvironment(sandbox: CheckSandbox, env: Readonly<Record<string, string>>): CheckSandbox {
  return { ...sandbox, spawn: (spec) => sandbox.spawn({ ...spec, env: { ...env, ...spec.env } }) };
}

function hasFolder(files: readonly string[], folder: string): boolean {
  return folder === "." ? files.length > 0 : files.some((path) => path.startsWith(`${folder}/`));
}
