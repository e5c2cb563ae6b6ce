import { type AgentProfile, isReadOnly } from "../plan/agent-profile.ts";

/** Seven methods that agents are handed when their work calls for them; nothing else can be asked for. */
export const SKILL_NAMES = [
  "code-review",
  "delegation",
  "design-dialogue",
  "execution",
  "implementation-planning",
  "session-management",
  "validation",
] as const;
export type SkillName = (typeof SKILL_NAMES)[number];

/** A method with the protocols that go with it. */
export type Skill = {
  readonly name: SkillName;
  readonly description: string;
  readonly body: string;
  readonly protocols: readonly { readonly name: string; readonly body: string }[];
};

/** Who can be given a stage, and by which methods they work. */
export type Roster = {
  /** By name; those that were disabled are not in it. */
  readonly agents: ReadonlyMap<string, AgentProfile>;
  /** No new plan is given to these. What was accepted with one of them is still done by it, with its limits. */
  readonly disabled: ReadonlyMap<string, AgentProfile>;
  readonly skills: ReadonlyMap<SkillName, Skill>;
};

/** Who does what was accepted earlier; undefined: there is no file for it here. */
export function findAgent({ agents, disabled }: Roster, name: string): AgentProfile | undefined {
  return agents.get(name) ?? disabled.get(name);
}

/** The agent that a stage names, where it is one that can't change files. */
export function readerOf(roster: Roster, agent: string | null): AgentProfile | null {
  const profile = agent === null ? undefined : findAgent(roster, agent);
  return profile && isReadOnly(profile) ? profile : null;
}

/** By name; a list of disabled agents may also name one that somebody else disabled. */
export function allAgents({ agents, disabled }: Roster): string[] {
  return [...agents.keys(), ...disabled.keys()];
}
