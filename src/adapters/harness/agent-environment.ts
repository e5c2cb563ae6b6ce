import type { SessionSpec } from "../../ports/harness.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the session is about, for programs that are no CLI Loom knows. */
export function agentEnvironment(spec: SessionSpec, promptFile: string): Record<string, string> {
  return {
    LOOM_PROMPT: promptFile,
    LOOM_RUN_ID: spec.run,
    LOOM_STAGE_ID: spec.stage,
    LOOM_ATTEMPT: String(spec.attempt),
  };
}
