import type { Failure } from "../core/failure/failure.ts";
import type { StagePlan } from "../core/plan/plan.ts";
import { failures } from "../core/report/failure-texts.ts";
import { SETUP_TIMEOUT_SECS } from "../core/verify/criteria.ts";
import { expandVariables } from "../core/verify/expand-variables.ts";
import type { Engine } from "./engine.ts";
import { throwIfInterrupted } from "./interrupted.ts";
import { type CommandResult, runToEnd } from "./run-command.ts";

export type SetupRequest = {
  readonly plan: StagePlan;
  readonly tree: string;
  readonly marker: string;
  readonly abort: AbortSignal;
};

/** Runs the stage's set-up in the agent's tree, so that it finds the project ready to work in. */
export async function runSetup(engine: Engine, request: SetupRequest): Promise<Failure | null> {
  const { plan, tree, marker, abort } = request;
  const variables = { WORKTREE: tree, PROJECT_ROOT: engine.projectRoot, STAGE_ID: plan.id };
  for (const command of plan.setup) {
    const result = await runToEnd(
      engine.sandbox,
      {
        argv: ["sh", "-c", expandVariables(command, variables)],
        cwd: plan.workingDir === "." ? tree : `${tree}/${plan.workingDir}`,
        env: { ...engine.commandEnv, ...variables },
        stdin: "",
        marker,
      },
      { timeoutMs: SETUP_TIMEOUT_SECS * 1000, tailBytes: 8_000, graceMs: 2_000, signal: abort },
    );
    throwIfInterrupted(abort);
    const wrong = whatWentWrong(result);
    if (wrong !== null) return failures.setupFailed(command, wrong, result.output);
  }
  return null;
}

function whatWentWrong({ exit, timedOut }: CommandResult): string | null {
  if (timedOut) return "did not end in time";
  switch (exit.kind) {
    case "not-started":
      return `could not be started: ${exit.reason}`;
    case "signalled":
      return `was ended by ${exit.signal}`;
    case "exited":
      return exit.code === 0 ? null : `exited with ${exit.code}`;
  }
}
