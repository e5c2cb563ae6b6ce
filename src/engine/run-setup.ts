import type { Failure } from "../core/failure/failure.ts";
import { failures } from "../core/report/failure-texts.ts";
import { SETUP_TIMEOUT_SECS } from "../core/verify/criteria.ts";
import { expandVariables } from "../core/verify/expand-variables.ts";
import { openCheckRoom } from "./check-deps.ts";
import { throwIfInterrupted } from "./interrupted.ts";
import type { Desk } from "./lay-out.ts";
import { type CommandResult, runToEnd } from "./run-command.ts";

/** Makes the tree ready for the agent. A set-up that fails here would fail in the proof as well. */
export async function runSetup(desk: Desk): Promise<Failure | null> {
  const { engine, claim, run, plan, tree, abort } = desk;
  if (plan.setup.length === 0) return null;
  const variables = { WORKTREE: tree.path, PROJECT_ROOT: engine.projectRoot, STAGE_ID: plan.id };
  const room = await openCheckRoom(engine, run, claim)(tree.path, "setup", claim.token);
  try {
    for (const command of plan.setup) {
      const result = await runToEnd(
        room,
        {
          argv: ["sh", "-c", expandVariables(command, variables)],
          cwd: plan.workingDir === "." ? tree.path : `${tree.path}/${plan.workingDir}`,
          env: variables,
          stdin: "",
        },
        { timeoutMs: SETUP_TIMEOUT_SECS * 1000, tailBytes: 8_000, graceMs: 2_000, signal: abort },
      );
      throwIfInterrupted(abort);
      const wrong = room.exceeded() ?? whatWentWrong(result);
      if (wrong !== null) return failures.setupFailed(command, wrong, result.output);
    }
    return null;
  } finally {
    await room.close();
  }
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
