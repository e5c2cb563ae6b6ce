import { agentName } from "../plan/agent-profile.ts";
import { nearestName } from "../text/nearest-name.ts";
import { quote } from "../text/quote.ts";
import type { Environment } from "./harness-settings.ts";

export type DisabledAgents = {
  /** As the roster has them, each once. */
  readonly names: readonly string[];
  readonly warnings: readonly string[];
};

const MAX_NAMES = 200;

/** LOOM_DISABLED_AGENTS: agents that no stage is given to, divided by commas. A name that is none is told and passed over. */
export function readDisabledAgents(env: Environment, known: Iterable<string>): DisabledAgents {
  const all = new Set(known);
  const names = new Set<string>();
  const warnings: string[] = [];
  const written = (env.LOOM_DISABLED_AGENTS ?? "").slice(0, 100 * MAX_NAMES).split(",");
  for (const word of new Set(written.slice(0, MAX_NAMES).map((one) => one.trim()))) {
    if (word === "") continue;
    const name = agentName(word);
    if (all.has(name)) {
      names.add(name);
      continue;
    }
    const near = nearestName(name, all);
    warnings.push(
      `LOOM_DISABLED_AGENTS names ${quote(word)}, but there is no such agent${near ? `; did you mean \`${near}\`?` : "."}`,
    );
  }
  return { names: [...names].sort(), warnings };
}
