import { UserError } from "../core/errors.ts";
import type { Sha } from "../core/ids.ts";
import type { CommandCheck } from "../core/plan/plan.ts";
import { commandsIn, holdsCommands } from "../core/verify/gate/commands-in.ts";
import { filesOfCommand, type NamedFile } from "../core/verify/gate/files-of-command.ts";
import { gateRuleFor, type NamedFiles, namedFiles } from "../core/verify/gate/gate-definition.ts";
import type { CommitContent } from "./check-content.ts";
import type { CheckDeps } from "./check-scene.ts";

/** What has to be laid over a commit so that its gate is the one of its base. */
export type GateOverlay = {
  /** Paths of the commit's change that define the gate, sorted. */
  readonly changed: readonly string[];
  /** Of these, the ones that are the base's as a whole. */
  readonly restore: readonly string[];
  /** The others, of which the base decides over a part. */
  readonly files: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
};

type At = { readonly commit: Sha; readonly base: Sha };

/** More than these no gate runs through; what is beyond is not followed. */
const MOST_SCRIPTS = 100;

/** null: the commit touches nothing that defines the gate. Only names are looked at then, and the base's own commands. */
export async function findGateChanges(
  deps: CheckDeps,
  at: At,
  content: CommitContent,
  checks: readonly CommandCheck[],
): Promise<GateOverlay | null> {
  const paths = [...(await content.changed())].sort();
  if (paths.length === 0) return null;
  const before = new Set(await deps.workspace.listFiles(at.base));
  const named = await findNamed(deps, content, before, paths, checks);
  const restore: string[] = [];
  const remove: string[] = [];
  const files = new Map<string, string>();
  for (const path of paths) {
    const rule = gateRuleFor(path, before.has(path), named);
    if (rule === null) continue;
    if (rule === "whole") {
      restore.push(path);
      continue;
    }
    const [older, newer] = [await content.readBase(path), await content.read(path)];
    // What can't be read, be it a link or too large, can't be taken apart either.
    const laid = newer === null || (older === null && before.has(path)) ? older : rule(older, newer);
    if (laid === newer && newer !== null) continue;
    if (laid === older) restore.push(path);
    else if (laid === null) remove.push(path);
    else files.set(path, laid);
  }
  const changed = [...restore, ...remove, ...files.keys()].sort();
  return changed.length === 0 ? null : { changed, restore, remove, files: Object.fromEntries(files) };
}

/** From the gate through the base's scripts, as far as they name each other. */
async function findNamed(
  { patterns }: CheckDeps,
  content: CommitContent,
  before: ReadonlySet<string>,
  paths: readonly string[],
  checks: readonly CommandCheck[],
): Promise<NamedFiles> {
  const found: NamedFile[] = checks.flatMap(({ command }) => filesOfCommand(command));
  for (const path of manifestsAbove(paths, before)) {
    const { folder, name } = placeOf(path);
    const text = (await content.readBase(path)) ?? "";
    found.push(...commandsIn(name, text).flatMap((command) => filesOfCommand(command, folder)));
  }
  const seen = new Set<string>();
  // Grows while it is read.
  for (const { path, isShell } of found) {
    if (!isShell || seen.has(path) || seen.size >= MOST_SCRIPTS || !before.has(path)) continue;
    seen.add(path);
    const text = (await content.readBase(path)) ?? "";
    found.push(...filesOfCommand(text, placeOf(path).folder));
  }
  return namedFiles(found, (pattern) => globOrNone(patterns, pattern));
}

/** In the folders above what was changed: only commands that are run there can name it without saying where they go. */
function manifestsAbove(paths: readonly string[], before: ReadonlySet<string>): string[] {
  const folders = new Set(["."]);
  for (const path of paths) {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) folders.add(parts.slice(0, depth).join("/"));
  }
  return [...before].filter((path) => {
    const { folder, name } = placeOf(path);
    return folders.has(folder) && holdsCommands(name);
  });
}

function placeOf(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { folder: slash === -1 ? "." : path.slice(0, slash), name: path.slice(slash + 1) };
}

function globOrNone({ glob }: CheckDeps["patterns"], pattern: string): (path: string) => boolean {
  try {
    return glob(pattern);
  } catch (error) {
    if (error instanceof UserError) return () => false;
    throw error;
  }
}
