import { assertNever } from "../errors.ts";
import { type AgentProfile, canRun, isReadOnly } from "../plan/agent-profile.ts";
import type { StagePlan } from "../plan/plan.ts";
import { SKILL_NAMES, type SkillName } from "../roster/roster.ts";
import type { PromptKind } from "./prompt.ts";

/** Each takes room that the work could have. */
export const MAX_SKILLS = 3;

type Stage = Pick<StagePlan, "type" | "acceptance" | "truths" | "effort">;

/** The methods that a session is handed, the most fitting first: by what it goes on with, by the kind of stage, by its agent. */
export function skillsFor(stage: Stage, kind: PromptKind, agent: AgentProfile | null): SkillName[] {
  const wanted = [...forSession(kind), ...forStage(stage), ...ownSkills(kind, agent), ...forChecks(stage)];
  const usable = kind === "merge-conflict" || !agent ? wanted : wanted.filter((name) => canUse(agent, name));
  return [...new Set(usable)].slice(0, MAX_SKILLS);
}

/** One is about running what proves a change, one about making it step by step. */
function canUse(agent: AgentProfile, skill: SkillName): boolean {
  if (skill === "validation") return canRun(agent);
  return skill !== "execution" || !isReadOnly(agent);
}

function forSession(kind: PromptKind): SkillName[] {
  switch (kind) {
    case "recovery":
    case "hand-off":
      return ["session-management"];
    case "merge-conflict":
      return ["validation"];
    case "stage":
    case "retry":
      return [];
    default:
      return assertNever(kind);
  }
}

function forStage({ type, effort }: Stage): SkillName[] {
  switch (type) {
    case "code-review":
      return ["code-review"];
    case "integration-verify":
      return ["validation"];
    case "standard":
      return effort === "high" ? ["execution"] : [];
    case "knowledge":
    case "investigate":
      return [];
    default:
      return assertNever(type);
  }
}

/** Two changes that meet are nobody's craft. */
function ownSkills(kind: PromptKind, agent: AgentProfile | null): SkillName[] {
  if (!agent || kind === "merge-conflict") return [];
  return SKILL_NAMES.filter((name) => agent.skills.includes(name));
}

function forChecks({ type, acceptance, truths }: Stage): SkillName[] {
  return type === "standard" && acceptance.length + truths.length > 0 ? ["validation"] : [];
}
