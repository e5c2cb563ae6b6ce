import type { RunSettings } from "../../core/config/run-settings.ts";
import { assertNever } from "../../core/errors.ts";
import type { AgentProfile } from "../../core/plan/agent-profile.ts";
import type { SessionSpec, ToolAccess } from "../../ports/harness.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";

/** What the tools of a session are, by what its agent may do; without an agent it may use them all. */
export function toolsOf(profile: AgentProfile | null): ToolAccess {
  if (!profile) return "all";
  switch (profile.capability) {
    case "full":
      return "all";
    case "read-write":
      return "edit";
    case "read-shell":
      return "shell";
    case "read-only":
      return "read";
    default:
      return assertNever(profile.capability);
  }
}

/** The plan's own word about a stage counts before that of its agent, which only ever shortens what the run allows. */
export function ceilingOf(
  { run, plan }: Pick<AttemptContext, "run" | "plan">,
  profile: AgentProfile | null,
): number {
  if (plan.timeoutSecs !== null) return plan.timeoutSecs;
  return shortenedBy(profile, run.settings.timeoutSecs);
}

export function shortenedBy(profile: AgentProfile | null, secs: number): number {
  return profile ? Math.min(secs, profile.timeoutMins * 60) : secs;
}

export function turnsOf(
  settings: Pick<RunSettings, "maxTurns">,
  profile: AgentProfile | null,
): SessionSpec["maxTurns"] {
  const limits = [settings.maxTurns, profile?.maxTurns].filter((one) => one != null);
  return limits.length === 0 ? null : Math.min(...limits);
}
