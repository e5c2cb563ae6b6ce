import { parseCommandPattern } from "./command-pattern.ts";
import type { Policy } from "./policy.ts";

/** The same policy, with the commands denied that a plan or a stage excludes. */
export function withExcluded(policy: Policy, commands: readonly string[]): Policy {
  const patterns = commands.map(parseCommandPattern).filter(({ program }) => program !== "");
  if (patterns.length === 0) return policy;
  const rule = {
    id: "excluded-by-the-plan",
    decision: "deny",
    reason: "The plan excludes this command. Do the stage without it.",
    matcher: { kind: "commands", commands: patterns, arguments: [] },
  } as const;
  return { ...policy, rules: [rule, ...policy.rules] };
}
