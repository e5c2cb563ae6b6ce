import type { Stats } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { findingTexts } from "../../core/merge/finding-texts.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { ImportFinding } from "../../ports/workspace.ts";
import { inspectName } from "./inspect-changes.ts";
import { createLstatInside } from "./lstat-inside.ts";
import type { Slot } from "./slot.ts";

/** The limit of GitHub's warning, half of what it refuses. */
const MAX_FILE_BYTES = 50_000_000;

/**
 * Brings the private index in line with the files, but for what can be told to be forbidden beforehand: a large file or
 * a secret never even becomes an object in the person's repository. Ignored files stay out as they would with `git add`.
 */
export async function stageChanges(
  git: RepositoryGit,
  slot: Slot,
  protect: readonly string[],
): Promise<ImportFinding[]> {
  const { stdout } = await git.trusted(
    { command: "ls-files", options: ["-z", "-m", "-o", "--exclude-standard"] },
    { workTree: slot.path, index: slot.index },
  );
  const look = createLstatInside(slot.path);
  const findings: ImportFinding[] = [];
  const present: string[] = [];
  const gone: string[] = [];
  for (const path of new Set(stdout.split("\0"))) {
    if (path === "") continue;
    const found = path.endsWith("/") ? null : await look(path);
    const finding = inspectFile(path, found, protect);
    if (finding) findings.push(finding);
    else if (found && (await makeStorable(join(slot.path, path), found))) present.push(path);
    else gone.push(path);
  }
  await update(git, slot, ["--force-remove"], gone);
  await update(git, slot, ["--add", "--remove", "--replace"], present);
  return findings;
}

/**
 * Each time it writes an index, git marks files that may have changed within the second that they were written in, and
 * for that it has to see them. Written without the tree, the index would take such a change for none from then on.
 */
async function update(
  git: RepositoryGit,
  slot: Slot,
  how: readonly string[],
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await git.trusted(
    { command: "update-index", options: [...how, "-z", "--stdin"], input: `${paths.join("\0")}\0` },
    { workTree: slot.path, index: slot.index },
  );
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
