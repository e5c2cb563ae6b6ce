import { join } from "node:path";
import { UserError } from "../../core/errors.ts";
import { isId, type RunId } from "../../core/ids.ts";

/** Where everything of a run is kept. Throws before a text that is no id becomes a path. */
export function runFolder(root: string, run: RunId): string {
  if (!isId(run)) {
    throw new UserError(`${JSON.stringify(run)} is not the name of a run.`, {
      next: "`loom runs` lists the runs there are.",
      exitCode: 2,
    });
  }
  return join(root, run);
}

export function ledgerPath(root: string, run: RunId): string {
  return join(runFolder(root, run), "events.jsonl");
}
