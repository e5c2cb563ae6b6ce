import type { Sha } from "../../core/ids.ts";
import { type Download, planDownloads } from "../../core/setup/plan-downloads.ts";
import { downloadEnvironment } from "../../core/setup/setup-environment.ts";
import { SETUP_TIMEOUT_SECS } from "../../core/verify/criteria.ts";
import type { SetUpDeps, SetUpHome } from "../verify/check-sandbox.ts";
import { throwIfInterrupted } from "./interrupted.ts";
import { runToEnd } from "./run-command.ts";

export type DownloadOrder = {
  readonly commits: { readonly commit: Sha; readonly base: Sha };
  readonly files: {
    readonly commit: readonly string[];
    readonly base: readonly string[];
    readonly changed: readonly string[];
  };
  readonly home: SetUpHome;
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  readonly signal: AbortSignal | undefined;
};

/** Of one manifest or lock file. */
const MOST_BYTES = 32 * 1_048_576;

/**
 * Lets package managers put what the commit's manifests name into their caches, with set-up's network. All that is there is
 * manifests and lock files, made plain; settings, which can name programs, are the base's. So even a manager that could be
 * talked into running something would find nothing worth sending. Resolves with those that did not succeed.
 */
export async function downloadDependencies(deps: SetUpDeps, order: DownloadOrder): Promise<string[]> {
  const failed: string[] = [];
  for (const download of planDownloads(order.files)) {
    const files = await filesOf(deps, order, download);
    if (files === "not-its-own") continue;
    if (files === "not-plain" || !(await run(deps, order, download, files))) failed.push(download.manager);
    throwIfInterrupted(order.signal);
  }
  return failed;
}

async function filesOf(
  { workspace }: SetUpDeps,
  { commits }: DownloadOrder,
  { files, takesLock }: Download,
): Promise<ReadonlyMap<string, string> | "not-plain" | "not-its-own"> {
  const laid = new Map<string, string>();
  for (const { path, from, isLock } of files) {
    if (from.kind === "stub") {
      laid.set(path, "");
      continue;
    }
    const ofBase = await workspace.readFile(commits.base, path, MOST_BYTES);
    if (from.kind === "base") {
      if (ofBase !== null) laid.set(path, ofBase);
      continue;
    }
    const text = await workspace.readFile(commits.commit, path, MOST_BYTES);
    if (text !== null && isLock && takesLock !== null && !takesLock(text)) return "not-its-own";
    const plain = text === null ? null : from.plain(text, ofBase);
    if (plain === null) return "not-plain";
    laid.set(path, plain);
  }
  return laid;
}

async function run(
  deps: SetUpDeps,
  { home, env, marker, signal }: DownloadOrder,
  { runs }: Download,
  files: ReadonlyMap<string, string>,
): Promise<boolean> {
  const folder = await home.lay(files);
  const sandbox = await deps.openSandbox(folder, "setup", marker, home.path);
  try {
    let all = true;
    for (const { folder: inside, tries } of runs) {
      const cwd = inside === "" ? folder : `${folder}/${inside}`;
      let succeeded = false;
      for (const argv of tries) {
        throwIfInterrupted(signal);
        const { exit } = await runToEnd(
          sandbox,
          { argv, cwd, env: { ...env, ...downloadEnvironment(home.path) }, stdin: "" },
          {
            timeoutMs: SETUP_TIMEOUT_SECS * 1000,
            tailBytes: 4096,
            graceMs: 2_000,
            ...(signal && { signal }),
          },
        );
        succeeded = exit.kind === "exited" && exit.code === 0;
        if (succeeded) break;
      }
      all &&= succeeded;
    }
    return all;
  } finally {
    await sandbox.close();
  }
}
