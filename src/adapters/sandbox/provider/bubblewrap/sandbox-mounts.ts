import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../../core/errors.ts";
import type { Patterns } from "../../../../ports/patterns.ts";
import type { SandboxSpec } from "../../../../ports/sandbox.ts";
import { guardFile } from "../../gateway/program-files.ts";
import type { SandboxFolder } from "../sandbox-folder.ts";
import { gitMounts } from "./git-mounts.ts";
import { inOrder, type Mount, type MountGroup } from "./mounts.ts";
import { type KnownPaths, rememberPaths } from "./moved-paths.ts";
import { findTreeExceptions, treeMounts } from "./tree-mounts.ts";

export type SandboxMounts = {
  /**
   * Asked before each program: what a program made of the tree meanwhile must not be followed. A `UserError` when the
   * isolation would not be where it has to.
   */
  current(): Mount[];
};

/** Tree, git directory, home, temporary folder, control folder and what else is to be shown. */
export async function makeSandboxMounts(
  sandboxSpec: SandboxSpec,
  files: SandboxFolder,
  shows: readonly string[],
  patterns: Patterns,
): Promise<SandboxMounts> {
  const nothing = join(files.control, "nothing");
  writeFileSync(nothing, "", { mode: 0o400 });
  const exceptions = await findTreeExceptions(sandboxSpec, patterns);
  // Says now, and not with every program, that there are too many.
  treeMounts(sandboxSpec, exceptions, nothing);
  const known = rememberPaths(sandboxSpec.tree, [...exceptions.hidden, ...exceptions.readOnly]);
  // Programs can't change what git keeps, so once is enough.
  const git = gitMounts(sandboxSpec.tree, files.control, sandboxSpec.hidden.length === 0);
  const one = (kind: "read" | "write", path: string): MountGroup => ({
    root: path,
    mounts: [{ kind, from: path, at: path }],
  });
  return {
    current() {
      refuseMoved(known);
      return inOrder([
        ...[...shows, ...sandboxSpec.shows]
          .filter((path) => existsSync(path))
          .map((path) => one("read", path)),
        { root: sandboxSpec.tree, mounts: treeMounts(sandboxSpec, exceptions, nothing) },
        ...git,
        one("write", files.home),
        one("write", files.tmp),
        one("read", files.control),
      ]);
    },
  };
}

function refuseMoved(known: KnownPaths): void {
  const moved = known.findMoved();
  if (moved === null) return;
  const { path, to } = moved;
  throw new UserError(`\`${path}\`, which the sandbox rules name, was moved to \`${to}\``, {
    next: "Move it back.",
  });
}

/** A copy with a name that says what it is: the package that says it for the original is not in the sandbox. */
export function placeGuard(files: SandboxFolder): string {
  const guard = join(files.control, "guard.mjs");
  copyFileSync(guardFile(), guard);
  return guard;
}
