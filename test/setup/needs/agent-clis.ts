import { ensureAgentClis } from "../agent-clis.ts";

/** Files run side by side, and the installation does not. Those that can't do without it fail, each by itself. */
export function setup(): void {
  try {
    ensureAgentClis();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}
