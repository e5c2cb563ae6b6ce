import { matchesCommand } from "./command-pattern.ts";
import type { Judge, Judgement } from "./judgement.ts";
import { matchesGlob } from "./matches-glob.ts";
import { outputFiles } from "./output-files.ts";
import { DECISIONS, type Decision, type Matcher, type Policy, type Rule } from "./policy.ts";
import { policyTexts } from "./policy-texts.ts";
import { programName } from "./shell/program-name.ts";
import type { ShellCommand } from "./shell/shell-script.ts";
import { splitShell } from "./shell/split-shell.ts";

/** A question of the stage so far; null while nobody has answered. */
export type PolicyAnswer = { readonly question: string; readonly answer: string | null };

/**
 * Judges shell text by the strictest thing in it: every command that it may run is compared with every rule. What can't
 * be read is denied, since nobody could say what was allowed. A rule that asks stays quiet once a person has said yes to
 * the same question, and speaks with that person's words once they have said no.
 *
 * This is comfort, not the boundary: a script or a program can do what its command line does not show, and the sandbox is
 * there for that.
 */
export function createJudge(policy: Policy, answers: readonly PolicyAnswer[]): Judge {
  const answered = new Map(
    answers.flatMap(({ question, answer }) => (answer === null ? [] : [[question, answer]])),
  );
  return ({ command }) => {
    if (command === null) return ALLOW;
    const judgement = judgeText(policy, command);
    const answer = judgement.kind === "ask" ? answered.get(judgement.question) : undefined;
    if (answer === undefined) return judgement;
    return isYes(answer) ? ALLOW : { kind: "deny", reason: policyTexts.refused(answer) };
  };
}

const ALLOW: Judgement = { kind: "allow" };

function judgeText(policy: Policy, text: string): Judgement {
  const { commands, unreadable } = splitShell(text);
  const asked = new Set<string>();
  for (const command of commands) {
    const rule = strictestRule(policy, command);
    const decision = rule?.decision ?? decisionWithoutRule(policy, command);
    if (decision === "deny") {
      const { source } = command;
      return {
        kind: "deny",
        reason: rule ? policyTexts.denied(source, rule.reason) : policyTexts.noRule(source),
      };
    }
    if (decision === "ask") asked.add(rule?.reason ?? policyTexts.askedFor);
  }
  if (unreadable) return { kind: "deny", reason: policyTexts.unreadable(unreadable) };
  if (asked.size > 0) return { kind: "ask", question: policyTexts.question(text, [...asked]) };
  return ALLOW;
}

/** Of those that match, the first of the strictest. */
function strictestRule({ rules }: Policy, command: ShellCommand): Rule | null {
  const program = programName(command.words[0]);
  let best: Rule | null = null;
  for (const rule of rules) {
    if (best && DECISIONS.indexOf(rule.decision) >= DECISIONS.indexOf(best.decision)) continue;
    if (matches(rule.matcher, command, program)) best = rule;
  }
  return best;
}

function decisionWithoutRule({ otherwise }: Policy, { words, incidental }: ShellCommand): Decision {
  return incidental || words.length === 0 ? "allow" : otherwise;
}

function matches(matcher: Matcher, command: ShellCommand, program: string | null): boolean {
  switch (matcher.kind) {
    case "output-to-file":
      return outputFiles(command).length > 0;
    case "here-document":
      return command.redirections.some(({ kind }) => kind === "here-document");
    case "commands":
      return (
        command.words.length > 0 &&
        (matcher.commands.length === 0 ||
          matcher.commands.some((one) => matchesCommand(one, program, command.words))) &&
        (matcher.arguments.length === 0 || hasArgument(command, matcher.arguments))
      );
  }
}

function hasArgument({ words }: ShellCommand, globs: readonly string[]): boolean {
  return words.slice(1).some(({ text }) => globs.some((glob) => matchesGlob(glob, text)));
}

const YES = new Set(["y", "yes", "allow", "allowed", "approve", "approved", "ok", "okay"]);

function isYes(answer: string): boolean {
  return YES.has(/[\p{L}]+/u.exec(answer)?.[0].toLowerCase() ?? "");
}
