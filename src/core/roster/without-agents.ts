import { agentName } from "../plan/agent-profile.ts";
import type { Roster } from "./roster.ts";

/** The roster with these disabled; names that are not in it are of no account. */
export function withoutAgents(roster: Roster, names: Iterable<string>): Roster {
  const gone = new Set([...names].map(agentName).filter((name) => roster.agents.has(name)));
  if (gone.size === 0) return roster;
  const all = [...roster.agents];
  return {
    ...roster,
    agents: new Map(all.filter(([name]) => !gone.has(name))),
    disabled: new Map([...roster.disabled, ...all.filter(([name]) => gone.has(name))]),
  };
}
