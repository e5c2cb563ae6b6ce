import { folderOf, isInstalled, nameOf, PACKAGE_MANAGERS, type PackageManager } from "./package-managers.ts";
import type { Plain } from "./plain-manifest.ts";

/** One manager's download: what to lay out in a folder of its own, and where in there to run what. */
export type Download = {
  readonly manager: string;
  readonly files: readonly LaidFile[];
  readonly runs: readonly DownloadRun[];
  readonly takesLock: ((text: string) => boolean) | null;
};

export type LaidFile = {
  readonly path: string;
  /** Who wrote it: what an agent wrote is made plain. `stub`: it is empty. */
  readonly from:
    | { readonly kind: "commit"; readonly plain: Plain }
    | { readonly kind: "base" }
    | { readonly kind: "stub" };
  readonly isLock: boolean;
};

/** `folder` is `""` for the root; the first command that succeeds is enough. */
export type DownloadRun = {
  readonly folder: string;
  readonly tries: readonly (readonly [string, ...string[]])[];
};

const MOST_RUNS = 20;
const MOST_FILES = 20_000;
const BUILT = /^(?:pyproject\.toml|setup\.py)$/;

/** What has to be downloaded because the commit changes it, and what building a Python project needs in any case. */
export function planDownloads(tree: {
  readonly commit: readonly string[];
  readonly base: readonly string[];
  /** Between the two. */
  readonly changed: readonly string[];
}): Download[] {
  return PACKAGE_MANAGERS.flatMap((manager): Download[] => {
    const own = (paths: readonly string[]): string[] =>
      paths.filter((path) => plainOf(manager, path) !== null && !isInstalled(path));
    const manifests = own(tree.commit);
    const changed = own(tree.changed);
    const runs =
      manager.name === "pip"
        ? pipRuns(manager, manifests, changed)
        : runsIn(manager, tree.commit, manifests, changed);
    if (runs.length === 0) return [];
    const files = [
      ...manifests.map((path): LaidFile => {
        const plain = plainOf(manager, path);
        const isLock = manager.lock.test(nameOf(path));
        return { path, from: plain ? { kind: "commit", plain } : { kind: "stub" }, isLock };
      }),
      ...settingsOf(manager, tree.base, manifests),
      ...tree.commit
        .filter((path) => manager.stubs?.test(path) && !isInstalled(path))
        .map((path): LaidFile => ({ path, from: { kind: "stub" }, isLock: false })),
    ];
    if (files.length > MOST_FILES) return [];
    return [{ manager: manager.name, files, runs, takesLock: manager.takesLock ?? null }];
  });
}

function plainOf({ manifests }: PackageManager, path: string): Plain | null {
  return manifests.find(([name]) => name.test(nameOf(path)))?.[1] ?? null;
}

/** In each folder whose lock file covers something that changed; without any, where the outermost manifest is. */
function runsIn(
  manager: PackageManager,
  commit: readonly string[],
  manifests: readonly string[],
  changed: readonly string[],
): DownloadRun[] {
  const locked = locksOf(manager, manifests);
  const all = new Set(manifests.map(folderOf));
  const folders = new Set<string>();
  for (const path of changed) {
    const around = foldersAround(path);
    const nearest = around.find((folder) => locked.has(folder));
    // A manifest that several managers read is that one's whose lock file is nearer.
    const nearer = nearest === undefined ? around : around.slice(0, around.indexOf(nearest));
    const others = PACKAGE_MANAGERS.filter((one) => one !== manager && plainOf(one, path) !== null);
    if (others.some((one) => nearer.some((folder) => locksOf(one, commit).has(folder)))) continue;
    const outermost = manager.worksUnlocked ? around.findLast((folder) => all.has(folder)) : undefined;
    const folder = nearest ?? outermost;
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].slice(0, MOST_RUNS).map((folder) => ({
    folder,
    tries: locked.has(folder) ? manager.tries : manager.tries.slice(-1),
  }));
}

function locksOf({ lock }: PackageManager, paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.filter((path) => lock.test(nameOf(path)) && !isInstalled(path)).map(folderOf));
}

/** pip takes one file of requirements at a time. What builds a project is not in any cache that it could use later. */
function pipRuns(
  manager: PackageManager,
  manifests: readonly string[],
  changed: readonly string[],
): DownloadRun[] {
  const wanted = new Set([
    ...manifests.filter((path) => BUILT.test(nameOf(path))),
    ...changed.filter((path) => manifests.includes(path) && manager.lock.test(nameOf(path))),
  ]);
  return [...wanted].slice(0, MOST_RUNS).map((path) => ({
    folder: folderOf(path),
    tries: manager.tries.map(([program, ...rest]) => [
      program,
      ...rest.map((word) => (word === "{file}" ? nameOf(path) : word)),
    ]),
  }));
}

function settingsOf(
  { settings }: PackageManager,
  base: readonly string[],
  manifests: readonly string[],
): LaidFile[] {
  if (settings === null) return [];
  const folders = new Set(["", ...manifests.map(folderOf)]);
  return base
    .filter((path) =>
      foldersAround(path).some(
        (folder) =>
          folders.has(folder) && settings.test(folder === "" ? path : path.slice(folder.length + 1)),
      ),
    )
    .map((path) => ({ path, from: { kind: "base" }, isLock: false }));
}

/** From its own folder out to the root. */
function foldersAround(path: string): string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) folders.push(folder);
  return [...folders, ""];
}
