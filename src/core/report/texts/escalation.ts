import type { TaskKind } from "../../command/task-kinds.ts";
import { assertNever } from "../../errors.ts";
import type { Failure } from "../../failure/failure.ts";
import type { RunId, StageId } from "../../ids.ts";
import { plainText } from "../../text/escape-text.ts";

/** The commands that people are told to type, spelled in one place. */
export const commandFor = {
  retry: (run: RunId, stage: StageId) => `\`loom retry ${plainText(run)} ${plainText(stage)}\``,
  skip: (run: RunId, stage: StageId) => `\`loom skip ${plainText(run)} ${plainText(stage)}\``,
  logs: (run: RunId, stage: StageId) => `\`loom logs ${plainText(run)} ${plainText(stage)}\``,
  answer: (run: RunId, stage: StageId) => `\`loom answer ${plainText(run)} ${plainText(stage)} "…"\``,
  resume: (run: RunId) => `\`loom resume ${plainText(run)}\``,
  cancel: (run: RunId) => `\`loom cancel ${plainText(run)}\``,
  status: (run: RunId) => `\`loom status ${plainText(run)}\``,
  doctor: () => "`loom doctor`",
};

/** What a person can do about a stage that Loom gave up on. */
export function whatToDo(failure: Failure, run: RunId, stage: StageId): string {
  const retry = commandFor.retry(run, stage);
  const skip = commandFor.skip(run, stage);
  const logs = commandFor.logs(run, stage);
  const resume = commandFor.resume(run);
  switch (failure.kind) {
    case "agent-failed":
    case "crashed":
      return `See what the agent wrote with ${logs}. Give it fresh attempts with ${retry}, or do the work yourself and go on with ${skip}.`;
    case "no-change":
      return `If there is nothing to do, go on with ${skip}. Otherwise read ${logs} and try again with ${retry}.`;
    case "checks-failed":
      return `The output of the failed checks stands in ${logs}. Give the agent fresh attempts with ${retry}, or fix it yourself and go on with ${skip}.`;
    case "out-of-reach":
      return `The output of the failed checks stands in ${logs}. When they hold on the target branch, ${retry} lets the agent look again; ${skip} goes on without it.`;
    case "refused":
      return `${retry} lets the agent go on without that part; make it yourself afterwards. ${logs} shows what it did.`;
    case "timeout":
      return `${retry} goes on from what it has done so far. If that is not enough, split the stage or raise its timeout_secs in the plan and run that.`;
    case "stalled":
      return `${logs} shows the last thing it did. Try again with ${retry}; if it has good reason to be quiet, raise its no_progress_secs in the plan and run that.`;
    case "credentials":
      return `${commandFor.doctor()} names the variable that holds the key. When it holds a good one, ${resume} goes on.`;
    case "context-overflow":
      return `Split the stage in the plan and run that, or let a model with a larger context do it. ${logs} shows how far it came.`;
    case "contract-unmet":
      return `${logs} shows what it said. Give it fresh attempts with ${retry}, or set LOOM_CONTRACT=warn to let such work through.`;
    case "transient":
      return `The provider did not recover in time. When it is back, ${resume} goes on.`;
    case "setup-failed":
      return `Run the set-up command in your own checkout, fix what it complains about, then ${retry}.`;
    case "precondition-failed":
      return `Make the check hold on the target branch, then ${retry}. If the check itself is wrong, correct the plan and run that.`;
    case "conflict-unresolved":
      return `Let an agent try again with ${retry}, or merge the branch loom/${plainText(run)}/${plainText(stage)} by hand and go on with ${skip}.`;
    case "merge-blocked":
      return `When that is done, ${resume} goes on.`;
    case "branch-taken":
    case "pull-closed":
      return `When it is as it should be, ${retry} goes on with it, and ${skip} without it.`;
    case "target-rewound":
      return `Put the merged commits back onto the branch, then ${resume}. If that was on purpose, \`loom run --clean\` with its plan starts over.`;
    case "infrastructure":
      return `${commandFor.doctor()} looks for what is wrong with this machine. When that is fixed, ${resume} goes on.`;
    case "harness-missing":
      return `${commandFor.doctor()} says what is missing. When it is installed, ${resume} goes on.`;
    case "quarantined":
      return `Find out with ${logs} what ended Loom, memory above all, before you allow it again with ${retry}.`;
    case "dependency":
      return "Nothing to do here: it goes on by itself once the stage it waits for is merged or skipped.";
    case "cancelled":
      return "The run was cancelled. `loom run --clean` with its plan starts it over.";
    default:
      return assertNever(failure.kind);
  }
}

/** What a person can do about a task that came to nothing. On GitHub that may not be who looks after Loom's machine. */
export function afterTask(
  { kind }: Failure,
  task: TaskKind,
  { hosted }: { readonly hosted: boolean },
): string {
  const again = `${hosted && task === "plan" ? "`/loom run`" : "the same command"} tries again`;
  switch (kind) {
    case "credentials":
    case "harness-missing":
      return hosted
        ? `The person who runs Loom here has to fix that, and ${commandFor.doctor()} tells them how. Then ${again}.`
        : `${commandFor.doctor()} says what is missing. Then ${again}.`;
    case "infrastructure":
      return hosted
        ? `That is not about the code. The person who runs Loom here can look for the cause with ${commandFor.doctor()}. Then ${again}.`
        : `${commandFor.doctor()} looks for what is wrong with this machine. Then ${again}.`;
    case "transient":
      return `The provider did not recover in time. When it is back, ${again}.`;
    case "contract-unmet":
      return `Another try may do better: ${again}.`;
    // These say themselves what to do, or that there is nothing to do.
    case "context-overflow":
    case "cancelled":
      return "";
    default:
      return hosted
        ? `${upper(again)}. If it ends like this every time, tell the person who runs Loom here.`
        : `${commandFor.doctor()} checks what the agent needs, and ${again}.`;
  }
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
