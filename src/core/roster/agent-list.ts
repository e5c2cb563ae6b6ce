import type { StageId } from "../ids.ts";
import { type AgentProfile, canRun, isReadOnly } from "../plan/agent-profile.ts";
import type { Plan } from "../plan/plan.ts";
import type { AgentLimits, AgentList } from "../plan/plan-draft.ts";
import type { Roster } from "./roster.ts";
import { withoutAgents } from "./without-agents.ts";

/** What the rules of a plan have to know about the roster. */
export function agentList({ agents, disabled }: Pick<Roster, "agents" | "disabled">): AgentList {
  return new Map([
    ...[...agents].map(([name, profile]) => [name, limitsOf(profile)] as const),
    ...[...disabled].map(([name, profile]) => [name, { ...limitsOf(profile), disabled: true }] as const),
  ]);
}

function limitsOf(profile: AgentProfile): AgentLimits {
  return { readOnly: isReadOnly(profile), ...(canRun(profile) ? {} : { noShell: true }) };
}

/** Stages that stand in a run keep their agents: what is finished has to stay as it is, whoever is disabled since. */
export function agentsFor(
  roster: Roster,
  disabled: readonly string[],
  stages: Plan["stages"] = [],
): AgentList {
  const all = agentList(withoutAgents(roster, disabled));
  const kept = new Map<string, Set<StageId>>();
  for (const { id, agent } of stages) {
    if (agent === null || (all.has(agent) && !all.get(agent)?.disabled)) continue;
    kept.set(agent, (kept.get(agent) ?? new Set()).add(id));
  }
  // One whose file is gone since is as good as disabled.
  const gone: AgentLimits = { readOnly: false, disabled: true };
  return new Map<string, AgentLimits>([
    ...all,
    ...[...kept].map(([name, keptBy]) => [name, { ...(all.get(name) ?? gone), keptBy }] as const),
  ]);
}
