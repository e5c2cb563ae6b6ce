import type { CommandCheck } from "../plan/plan.ts";
import { quote } from "../text/quote.ts";

/** What a command was seen to do. */
export type CommandConduct = {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Those of the texts the check asks about that its standard output held anywhere, not only in the part that is kept. */
  readonly printed: ReadonlySet<string>;
  readonly stderrBlank: boolean;
};

/** What is wrong with it, each as the end of a sentence that begins with the command; empty when it did as asked. */
export function judgeCommand(check: CommandCheck, conduct: CommandConduct): string[] {
  if (conduct.timedOut) return [`did not end within ${seconds(check.timeoutSecs)}`];
  if (conduct.signal !== null) return [`was ended by ${conduct.signal}`];
  const wrong: string[] = [];
  if (conduct.exitCode !== check.exitCode)
    wrong.push(`exited with ${conduct.exitCode} (expected ${check.exitCode})`);
  for (const text of check.stdoutContains)
    if (!conduct.printed.has(text)) wrong.push(`did not print ${quote(text)}`);
  for (const text of check.stdoutNotContains)
    if (conduct.printed.has(text)) wrong.push(`printed ${quote(text)}, which it must not`);
  if (check.stderrEmpty && !conduct.stderrBlank) wrong.push("wrote to standard error, which it must not");
  return wrong;
}

function seconds(secs: number): string {
  return `${secs} ${secs === 1 ? "second" : "seconds"}`;
}
