import type { SandboxRefusal } from "../../ports/sandbox.ts";
import type { ImportFinding } from "../../ports/workspace.ts";
import type { Engine } from "../engine.ts";
import type { Claim } from "./claim.ts";

type Where = Pick<Claim, "run" | "stage">;

/** What a sandbox of this attempt refuses, told with whose it is. */
export function auditSandbox(
  { audit }: Pick<Engine, "audit">,
  { run, stage }: Where,
  who: "agent" | "setup" | "checks",
): (refusal: SandboxRefusal) => void {
  return (refusal) => audit.refused({ ...refusal, run, stage, who });
}

/** Markers of a conflict that are left in a file are a mistake and no attack. */
export function auditImport(
  { audit }: Pick<Engine, "audit">,
  { run, stage }: Where,
  findings: readonly ImportFinding[],
): void {
  for (const { rule, message } of findings) {
    if (rule !== "conflict-markers")
      audit.refused({ boundary: "import", rule, run, stage, who: "agent", what: message });
  }
}
