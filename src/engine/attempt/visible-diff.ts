import type { Sha } from "../../core/ids.ts";
import type { StagePlan } from "../../core/plan/plan.ts";
import type { Run } from "../../core/run/run.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Engine } from "../engine.ts";
import { sandboxAt } from "../session/sandbox-at.ts";
import { hiddenIn } from "./hidden-content.ts";
import { DIFF_BYTES } from "./save-work.ts";

type Seen = {
  readonly engine: Pick<Engine, "patterns">;
  readonly run: Pick<Run, "plan">;
  readonly plan: StagePlan;
  readonly workspace: Workspace;
};

/** A diff for the eyes of the stage's agent: without files that the plan hides from it (T39). */
export async function visibleDiff(
  { engine, run, plan, workspace }: Seen,
  from: Sha,
  to: Sha,
  { maxBytes = DIFF_BYTES, paths }: { maxBytes?: number; paths?: readonly string[] } = {},
): Promise<string> {
  const reading = { patterns: engine.patterns, workspace };
  const { hidden } = await sandboxAt(reading, run.plan, plan, from);
  if (hidden.length === 0) return workspace.diff(from, to, paths ? { maxBytes, paths } : { maxBytes });
  const isHidden = await hiddenIn(reading, hidden, from);
  const ids = await workspace.fileIds(to);
  const files = paths ?? (await workspace.changedFiles(from, to));
  return workspace.diff(from, to, {
    maxBytes,
    paths: files.filter((path) => !isHidden(path, ids.get(path))),
  });
}
