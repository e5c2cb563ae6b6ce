import type { Failure } from "../../core/failure/failure.ts";
import type { Sha } from "../../core/ids.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import type { SetUpProblem } from "../../core/report/texts/setup-texts.ts";
import { normaliseFolder, SETUP_TIMEOUT_SECS } from "../../core/verify/criteria.ts";
import { expandVariables } from "../../core/verify/expand-variables.ts";
import { checkDeps } from "../verify/check-deps.ts";
import type { CheckSandbox } from "../verify/check-sandbox.ts";
import { throwIfInterrupted } from "./interrupted.ts";
import type { AttemptContext } from "./restore-work.ts";
import { type CommandResult, runToEnd } from "./run-command.ts";
import { setUp } from "./set-up.ts";

type Ran = { readonly problem: SetUpProblem | null; readonly output: string };

/**
 * Makes the tree ready for the agent. A set-up that fails here would fail in the proof as well. `content` is what the tree
 * holds: no session has begun, so all of it is in a commit, earlier work too.
 */
export async function runSetup(attempt: AttemptContext, content: Sha): Promise<Failure | null> {
  const { engine, claim, run, plan, tree, base, abort } = attempt;
  if (plan.setup.length === 0) return null;
  const { result, closed, close } = await setUp<Ran>(checkDeps(engine, run, claim), {
    tree,
    content,
    head: base,
    folder: normaliseFolder(plan.workingDir) ?? ".",
    marker: claim.token,
    signal: abort,
    lay: null,
    run: (sandbox) => runCommands(attempt, sandbox),
    problemOf: ({ problem }) => problem,
  });
  await close();
  return result.problem && failures.setupFailed(result.problem, result.output, closed);
}

/** Up to the first one that fails. */
async function runCommands(
  { engine, plan, tree, abort }: AttemptContext,
  sandbox: CheckSandbox,
): Promise<Ran> {
  const variables = { WORKTREE: tree.path, PROJECT_ROOT: engine.projectRoot, STAGE_ID: plan.id };
  for (const command of plan.setup) {
    const result = await runToEnd(
      sandbox,
      {
        argv: ["sh", "-c", expandVariables(command, variables)],
        cwd: plan.workingDir === "." ? tree.path : `${tree.path}/${plan.workingDir}`,
        env: variables,
        stdin: "",
      },
      { timeoutMs: SETUP_TIMEOUT_SECS * 1000, tailBytes: 8_000, graceMs: 2_000, signal: abort },
    );
    throwIfInterrupted(abort);
    const how = sandbox.exceeded() ?? whatWentWrong(result);
    if (how !== null) return { problem: { command, how }, output: result.output };
  }
  return { problem: null, output: "" };
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
