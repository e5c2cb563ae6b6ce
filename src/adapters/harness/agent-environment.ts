import type { SessionSpec } from "../../ports/harness.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The user's own environment, and what the session is about. Git's variables would point the agent's git at another
 * repository than its work tree; Loom's own are settings for Loom.
 */
export function agentEnvironment(user: Environment, spec: SessionSpec): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && !name.startsWith("GIT_") && !name.startsWith("LOOM_")) env[name] = value;
  }
  return {
    ...env,
    LOOM_SIGNAL: spec.signalFile,
    LOOM_RUN_ID: spec.run,
    LOOM_STAGE_ID: spec.stage,
    LOOM_ATTEMPT: String(spec.attempt),
  };
}
