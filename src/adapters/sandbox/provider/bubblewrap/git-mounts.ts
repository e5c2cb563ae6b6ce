import { lstatSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Mount, MountGroup } from "./mounts.ts";
import { sanitizeGitConfig } from "./sanitize-git-config.ts";

// What `status`, `diff` and `log` read. Hooks, logs, Loom's own files and the remotes of old are not among it.
const COMMON = ["HEAD", "packed-refs", "refs", "reftable", "objects", "info", "shallow"];
const METADATA = ["HEAD", "commondir", "gitdir", "index", "refs", "reftable"];
const MOST_ALTERNATES = 8;

/**
 * What a sandbox sees of the repository that its tree belongs to: read-only, at its own path, and only what git needs to
 * look at history. The settings are a copy without remotes, since their addresses may hold passwords.
 *
 * Each part is mounted into an empty folder. The other way round, the whole folder with covers over what is secret,
 * would fail as soon as someone outside replaces a covered file: the kernel takes the cover off with the old file.
 *
 * Where rules hide files, it sees nothing of it: objects have no paths, an old commit may hold what the newest has not,
 * and a packed file holds all at once. A copy without the hidden files was rejected: it costs a repository for every
 * sandbox, and would have to be right about each link, rename and submodule.
 */
export function gitMounts(tree: string, control: string, showsHistory: boolean): MountGroup[] {
  const pointer = join(tree, ".git");
  const found = lstatSync(pointer, { throwIfNoEntry: false });
  // A link leads nowhere in the sandbox.
  if (!found || found.isSymbolicLink()) return [];
  if (found.isDirectory()) {
    const hidden: MountGroup = { root: pointer, mounts: [{ kind: "hidden", at: pointer }] };
    if (lstatSync(join(pointer, "commondir"), { throwIfNoEntry: false })) return [hidden];
    const borrowed = alternates(join(pointer, "objects"));
    if (!showsHistory) return [hidden, ...borrowed.map(covered)];
    return [
      { root: pointer, mounts: [...hidden.mounts, ...parts(pointer, [...COMMON, "index"], control)] },
      ...borrowed,
    ];
  }
  // A pipe would keep Loom waiting for a writer; what is neither file nor folder says nothing.
  if (!found.isFile()) return [];
  const from = showsHistory ? pointer : placeNoHistory(control);
  const readOnly: MountGroup = { root: pointer, mounts: [{ kind: "read", from, at: pointer }] };
  const metadata = findMetadata(tree, pointer);
  if (metadata === null) return [readOnly];
  const common = dirname(dirname(metadata));
  const borrowed = alternates(join(common, "objects"));
  if (!showsHistory) return [covered({ root: common, mounts: [] }), ...borrowed.map(covered), readOnly];
  return [
    { root: common, mounts: [{ kind: "hidden", at: common }, ...parts(common, COMMON, control)] },
    { root: metadata, mounts: [{ kind: "hidden", at: metadata }, ...parts(metadata, METADATA, control)] },
    ...borrowed,
    readOnly,
  ];
}

/** The folder may lie in something that the sandbox shows for another reason. */
function covered({ root }: MountGroup): MountGroup {
  return { root, mounts: [{ kind: "hidden", at: root }] };
}

/** A pointer to a repository that is not there: git names it in its error, which is how whoever asks learns why. */
function placeNoHistory(control: string): string {
  const path = join(control, "no-history");
  writeFileSync(path, "gitdir: /no-history/the-sandbox-rules-hide-files-so-git-can-not-be-used\n", {
    mode: 0o400,
  });
  return path;
}

/** Only a folder that names this very tree in return: a pointer alone could be aimed at any repository. */
function findMetadata(tree: string, pointer: string): string | null {
  try {
    const target = /^gitdir: (.+?)\n*$/s.exec(readFileSync(pointer, "utf8"))?.[1];
    if (target === undefined) return null;
    const metadata = resolve(tree, target);
    const back = resolve(metadata, readFileSync(join(metadata, "gitdir"), "utf8").replace(/(?<!\n)\n+$/, ""));
    const common = resolve(
      metadata,
      readFileSync(join(metadata, "commondir"), "utf8").replace(/(?<!\n)\n+$/, ""),
    );
    if (basename(back) !== ".git" || realpathSync(dirname(back)) !== realpathSync(tree)) return null;
    return realpathSync(dirname(metadata)) === realpathSync(join(common, "worktrees")) ? metadata : null;
  } catch {
    return null;
  }
}

function parts(folder: string, names: readonly string[], control: string): Mount[] {
  const mounts: Mount[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (isReal(path)) mounts.push({ kind: "read", from: path, at: path });
  }
  for (const name of ["config", "config.worktree"]) {
    const path = join(folder, name);
    if (!isReal(path)) continue;
    const copy = join(control, `git-${basename(folder)}-${name}`);
    writeFileSync(copy, sanitizeGitConfig(readFileSync(path, "utf8")), { mode: 0o600 });
    mounts.push({ kind: "read", from: copy, at: path });
  }
  return mounts;
}

/** Folders of objects that this one borrows from, and those that they borrow from. */
function alternates(objects: string): MountGroup[] {
  const found = new Set<string>();
  const waiting = [objects];
  for (let one = waiting.pop(); one !== undefined && found.size < MOST_ALTERNATES; one = waiting.pop()) {
    for (const line of readLines(join(one, "info", "alternates"))) {
      const path = resolve(one, line);
      if (basename(path) !== "objects" || found.has(path) || !isReal(join(path, "pack"))) continue;
      found.add(path);
      waiting.push(path);
    }
  }
  return [...found].map((path) => ({ root: path, mounts: [{ kind: "read", from: path, at: path }] }));
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  } catch {
    return [];
  }
}

function isReal(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}
