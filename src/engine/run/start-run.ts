import type { RunSettings } from "../../core/config/run-settings.ts";
import { UserError } from "../../core/errors.ts";
import type { RunId, Sha } from "../../core/ids.ts";
import type { RunCreated } from "../../core/run/events.ts";
import type { Run } from "../../core/run/run.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { type Engine, timestamp } from "../engine.ts";
import { gateAt } from "../verify/gate-at.ts";

export type StartRequest = {
  readonly run: RunId;
  readonly planPath: string;
  readonly planText: string;
  /** Whether the plan brings its own gate, or wants none. */
  readonly planHasGate: boolean;
  readonly target: string;
  readonly base: Sha;
  readonly generation: number;
  readonly settings: RunSettings;
  /** What the repository and planning add, and all that only a run on GitHub has. */
  readonly besides?: Pick<
    RunCreated,
    | "origin"
    | "merge"
    | "needsApproval"
    | "approverRole"
    | "labels"
    | "showsPanel"
    | "alsoGate"
    | "protect"
    | "planning"
  >;
};

/** Writes the first event of a run: from here on the plan's bytes, the target and the gate are fixed. */
export async function startRun(engine: Engine, workspace: Workspace, request: StartRequest): Promise<Run> {
  const gate = request.planHasGate ? null : (await gateAt(workspace, request.base)).commands;
  const run = await engine.runs.create(request.run, [
    {
      type: "run-created",
      at: timestamp(engine),
      run: request.run,
      generation: request.generation,
      planPath: request.planPath,
      planText: request.planText,
      target: request.target,
      base: request.base,
      gate,
      settings: request.settings,
      ...request.besides,
    },
  ]);
  if (!run)
    throw new UserError(`The run ${request.run} was just started by another process.`, {
      next: [{ verb: "status", run: null }, " shows it."],
    });
  return run;
}
