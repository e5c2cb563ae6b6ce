import { tmpdir } from "node:os";
import { isAbsolute } from "node:path";
import { UserError } from "../../core/errors.ts";
import { findFolderTrouble } from "./place-trouble.ts";

/**
 * Pipes, sandboxes and trials of agents all need a place for temporary files: it is looked at once, before any of them
 * trips over it. Each starts programs in folders of its own, where a relative path would lead elsewhere.
 */
export function assertTemporaryFolder(): void {
  const folder = tmpdir();
  const reason = isAbsolute(folder) ? findFolderTrouble(folder) : "its path is not absolute";
  if (reason !== null)
    throw new UserError(`Temporary files can't be made in ${folder}: ${reason}.`, {
      next: "Set TMPDIR to a folder that you may write to.",
    });
}
