import type { Stats } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ChangeLimits } from "../../../core/config/change-limits.ts";
import type { Sha } from "../../../core/ids.ts";
import { findingTexts } from "../../../core/merge/finding-texts.ts";
import { packagesFolder } from "../../../core/paths/protected-paths.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import type { ImportFinding } from "../../../ports/workspace.ts";
import { editTree, removal } from "../objects/edit-tree.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { isStoredAsIs, storeFile } from "../objects/store-files.ts";
import { GitTimeout } from "../run/git-failure.ts";
import { copyIndex, writeTree } from "../trees/index-file.ts";
import { createLstatInside } from "../trees/lstat-inside.ts";
import type { Slot } from "../trees/slot.ts";
import { inspectName } from "./inspect-changes.ts";
import { vetTree } from "./vet-tree.ts";

/** The limit of GitHub's warning, half of what it refuses. */
const MAX_FILE_BYTES = 50_000_000;

/**
 * The tree of what a slot holds, but for what can be told to be forbidden beforehand: a large file never even becomes an
 * object in the person's repository. Ignored files stay out as they would with `git add`. The private index stays as it was
 * laid out.
 */
export async function stageChanges(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  filled: Sha,
  protect: readonly string[],
  limits: ChangeLimits,
): Promise<StagedChanges> {
  const doubt = await vetTree(slot.path);
  if (doubt) return { kind: "refused", findings: [doubt] };
  try {
    return await stageVetted(git, reader, slot, filled, protect, limits);
  } catch (error) {
    if (!(error instanceof GitTimeout)) throw error;
    const message = findingTexts.tooSlow();
    return { kind: "refused", findings: [{ path: ".", rule: "change-too-large", message }] };
  }
}

async function stageVetted(
  git: RepositoryGit,
  reader: ObjectReader,
  slot: Slot,
  filled: Sha,
  protect: readonly string[],
  limits: ChangeLimits,
): Promise<StagedChanges> {
  const { stdout, cut } = await git.trusted(
    {
      command: "ls-files",
      options: ["-z", "-m", "-o", "--exclude-standard"],
      // A removed file that a folder replaced is listed twice.
      stopAfter: 2 * limits.files,
    },
    { workTree: slot.path, index: slot.index },
  );
  const look = createLstatInside(slot.path);
  const findings: ImportFinding[] = [];
  const present = new Map<string, { readonly isLink: boolean }>();
  const gone: string[] = [];
  const paths = new Set(stdout.split("\0").filter((path) => path !== ""));
  if (cut || paths.size > limits.files) return tooLarge(paths, findingTexts.tooManyFiles(limits));
  let bytes = 0;
  for (const path of paths) {
    const found = path.endsWith("/") ? null : await look(path);
    const finding = inspectFile(path, found, protect);
    if (!finding && found?.isFile()) bytes += found.size;
    if (finding) findings.push(finding);
    else if (found && (await makeStorable(join(slot.path, path), found)))
      present.set(path, { isLink: found.isSymbolicLink() });
    else gone.push(path);
  }
  if (bytes > limits.megabytes * 1_000_000) return tooLarge(paths, findingTexts.tooManyBytes(bytes, limits));
  const isPlain = isStoredAsIs(git.repository, await reader.listing(filled), {
    paths: [...present.keys(), ...gone],
    bytes,
  });
  const tree = isPlain
    ? await editTree(reader.trees, await reader.treeOf(filled), [
        ...gone.map(removal),
        ...[...present].map(([path, { isLink }]) => storeFile(git, slot.path, path, isLink)),
      ])
    : await writeWithGit(git, slot, gone, [...present.keys()]);
  return { kind: "staged", findings, tree };
}

export type StagedChanges =
  | { readonly kind: "staged"; readonly findings: readonly ImportFinding[]; readonly tree: Sha }
  /** The tree as a whole can't be taken. */
  | { readonly kind: "refused"; readonly findings: readonly ImportFinding[] };

/** Packages that nobody ignored are the likely reason, and are named as such. */
function tooLarge(paths: ReadonlySet<string>, message: string): StagedChanges {
  const folders = new Set([...paths].map(packagesFolder).filter((folder) => folder !== null));
  const packages = [...folders].map((path) => ({
    path,
    rule: "protected-path" as const,
    message: findingTexts.packages(path),
  }));
  return { kind: "refused", findings: [{ path: ".", rule: "change-too-large", message }, ...packages] };
}

/** By a copy of the index, so that the slot's own goes on saying what was laid out. */
async function writeWithGit(
  git: RepositoryGit,
  slot: Slot,
  gone: readonly string[],
  present: readonly string[],
): Promise<Sha> {
  const folder = await git.scratch();
  const index = join(folder, "index");
  // Git has to see the tree each time it writes an index, to mark what may have changed within the same second.
  const on = { workTree: slot.path, index };
  const update = async (how: readonly string[], paths: readonly string[]): Promise<void> => {
    if (paths.length === 0) return;
    const input = `${paths.join("\0")}\0`;
    await git.trusted({ command: "update-index", options: [...how, "-z", "--stdin"], input }, on);
  };
  try {
    await copyIndex(slot.index, index);
    await update(["--force-remove"], gone);
    await update(["--add", "--remove", "--replace"], present);
    return await writeTree(git, index);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function inspectFile(path: string, found: Stats | null, protect: readonly string[]): ImportFinding | null {
  // Files are listed one by one; a folder is only named as such when it is a repository of its own.
  if (path.endsWith("/")) {
    const folder = path.slice(0, -1);
    return { path: folder, rule: "submodule", message: findingTexts.submodule(folder) };
  }
  const named = inspectName(path, protect);
  // A name that did not survive decoding can't be looked up either.
  if (named && (found || named.rule === "protected-path" || path.includes("\ufffd"))) return named;
  if (found?.isFile() && found.size > MAX_FILE_BYTES) {
    return { path, rule: "oversized", message: findingTexts.oversized(path, found.size, MAX_FILE_BYTES) };
  }
  return null;
}

/** A folder, a pipe or a socket in the place of a file means that the file is gone. */
async function makeStorable(file: string, found: Stats): Promise<boolean> {
  if (found.isFile() && (found.mode & 0o400) === 0) await chmod(file, (found.mode & 0o777) | 0o600);
  return found.isFile() || found.isSymbolicLink();
}
