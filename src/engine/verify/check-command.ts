import { assertNever } from "../../core/errors.ts";
import type { CommandCheck } from "../../core/plan/plan.ts";
import { type ClosedSetUp, setupTexts } from "../../core/report/texts/setup-texts.ts";
import { keepTail } from "../../core/text/keep-tail.ts";
import { quote, withoutStop } from "../../core/text/quote.ts";
import { expandVariables } from "../../core/verify/expand-variables.ts";
import { judgeCommand } from "../../core/verify/judge-command.ts";
import { branch, leaf, type Verdict } from "../../core/verify/verdict.ts";
import { throwIfInterrupted } from "../attempt/interrupted.ts";
import { runToEnd } from "../attempt/run-command.ts";
import { watchOutput } from "./check-output.ts";
import type { CheckSandbox } from "./check-sandbox.ts";
import type { CheckScene } from "./check-scene.ts";

const PASSED_TAIL_BYTES = 4 * 1024;
const FAILED_TAIL_BYTES = 16 * 1024;
const GRACE_MS = 2_000;

/** Runs one command of the approved plan and says whether it did as asked. `folder` is relative to the tree. */
export async function checkCommand(scene: CheckScene, folder: string, check: CommandCheck): Promise<Verdict> {
  throwIfInterrupted(scene.order.signal);
  const ran = await scene.inSandbox((sandbox) => judgeIn(sandbox, scene, folder, check));
  const title = check.description ?? check.command;
  switch (ran.kind) {
    case "done":
      return ran.result;
    case "set-up-failed":
      return leaf("failed", title, setupTexts.failedAgain());
    case "unreadable":
      return leaf("failed", title, setupTexts.unreadable());
    default:
      return assertNever(ran);
  }
}

async function judgeIn(
  sandbox: CheckSandbox,
  { order, tree }: CheckScene,
  folder: string,
  check: CommandCheck,
): Promise<Verdict> {
  order.onProgress?.(`checking ${quote(check.description ?? check.command)}`);
  const variables = { WORKTREE: tree, PROJECT_ROOT: order.projectRoot, STAGE_ID: order.stage.id };
  const watch = watchOutput(sandbox, [...check.stdoutContains, ...check.stdoutNotContains]);
  const result = await runToEnd(
    watch.sandbox,
    {
      argv: ["sh", "-c", expandVariables(check.command, variables)],
      cwd: folder === "." ? tree : `${tree}/${folder}`,
      env: variables,
      stdin: "",
    },
    {
      timeoutMs: check.timeoutSecs * 1000,
      tailBytes: FAILED_TAIL_BYTES,
      graceMs: GRACE_MS,
      ...(order.signal && { signal: order.signal }),
    },
  );
  throwIfInterrupted(order.signal);
  const { exit } = result;
  // A shell that can't be started says something about this machine and nothing about the commit.
  if (exit.kind === "not-started") throw new Error(`failed to start the shell of a check: ${exit.reason}`);

  const exitCode = exit.kind === "exited" ? exit.code : null;
  const wrong = judgeCommand(check, {
    exitCode,
    signal: exit.kind === "signalled" ? exit.signal : null,
    timedOut: result.timedOut,
    printed: watch.printed,
    stderrBlank: watch.stderrBlank(),
  });
  const broken = sandbox.exceeded();
  if (broken !== null) wrong.push(broken.replace(/\.$/, ""));
  const failed = wrong.length > 0;
  const tail = keepTail(result.output, failed ? FAILED_TAIL_BYTES : PASSED_TAIL_BYTES);
  return leaf(
    failed ? "failed" : "passed",
    check.description ?? check.command,
    failed ? wrong.join("; ") : null,
    {
      command: check.command,
      exitCode,
      durationMs: result.durationMs,
      timedOut: result.timedOut,
      output: tail.text,
      cutBytes: result.cutBytes + tail.cutBytes,
    },
  );
}

/** All of them, whatever becomes of each: people and agents want every problem at once. */
export async function checkCommands(
  scene: CheckScene,
  folder: string,
  checks: readonly CommandCheck[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const check of checks) verdicts.push(await checkCommand(scene, folder, check));
  return verdicts;
}

/** Set-up in order, up to the first command that fails; null when there is none. */
export async function checkSetup(
  scene: CheckScene,
  folder: string,
  setup: readonly CommandCheck[],
): Promise<Verdict | null> {
  if (setup.length === 0) return null;
  const { result, closed, changed } = await scene.setUp<Verdict[]>({
    folder,
    async run(sandbox) {
      const verdicts: Verdict[] = [];
      for (const check of setup) {
        throwIfInterrupted(scene.order.signal);
        verdicts.push(await judgeIn(sandbox, scene, folder, check));
        if (verdicts.at(-1)?.outcome === "failed") break;
      }
      return verdicts;
    },
    problemOf(verdicts) {
      const failed = verdicts.find(({ outcome }) => outcome === "failed");
      return failed
        ? { command: failed.evidence?.command ?? failed.title, how: failed.detail ?? "failed" }
        : null;
    },
  });
  const commands = result.map((one) => (closed && one.outcome === "failed" ? explained(one, closed) : one));
  if (changed.length === 0) return branch("setup", commands);
  return branch("setup", [...commands, leaf("warned", setupTexts.changedTitle, setupTexts.changed(changed))]);
}

/** A set-up may fail only because it had no network, which its own output does not say. */
function explained(verdict: Verdict, closed: ClosedSetUp): Verdict {
  const why = withoutStop(setupTexts.closed(closed));
  return { ...verdict, detail: `${verdict.detail ?? "failed"}. ${why}` };
}
