import { type CommandCheck, DEFAULT_CHECK_TIMEOUT_SECS } from "../plan.ts";
import type { Reporter } from "../report-problems.ts";
import type { WrittenCheck } from "../schema.ts";
import { pickOne } from "./pick-one.ts";
import type { Path } from "./read-yaml.ts";

export function readChecks(
  written: readonly WrittenCheck[] | undefined,
  at: Path,
  reporter: Reporter,
): CommandCheck[] {
  return (written ?? []).flatMap((check, index) => readCheck(check, [...at, index], reporter) ?? []);
}

function readCheck(written: WrittenCheck, at: Path, reporter: Reporter): CommandCheck | null {
  const pick = pickOne(written, at, reporter);
  const command = pick("command", "run");
  if (command === undefined) return null;
  if (readsLikeProse(command)) {
    reporter.warning(
      at,
      `\`${command}\` reads like a sentence, but will be run as a command.`,
      "Write a command that exits with 0 when it is so.",
    );
  }
  const expected = pickOne({ ...written, ...written.success_criteria }, at, reporter);
  return {
    command,
    description: pick("description", "name") ?? null,
    timeoutSecs: pick("timeout_secs", "timeout") ?? DEFAULT_CHECK_TIMEOUT_SECS,
    exitCode: expected("exit_code", "expected_exit_code") ?? 0,
    stdoutContains: expected("stdout_contains", "expected_output") ?? [],
    stdoutNotContains: expected("stdout_not_contains") ?? [],
    stderrEmpty: expected("stderr_empty") ?? false,
  };
}

/** Plans in the wild state truths in words. A program's name rarely has a capital, and never three plain words behind it. */
function readsLikeProse(command: string): boolean {
  return /^[A-Z][a-z]+(?: [A-Za-z]+){3,}\.?$/.test(command);
}
