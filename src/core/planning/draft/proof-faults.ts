import { type CommandCheck, mayChangeNothing, type Plan, type StagePlan } from "../../plan/plan.ts";
import type { AgentList } from "../../plan/plan-draft.ts";
import { shortLine } from "../../text/cut-text.ts";
import type { DraftFault } from "./draft-fault.ts";

/** Whether what a stage is proved by can show anything. What people wrote so before stays theirs. */
export function proofFaults(stage: StagePlan, before: Plan | null, agents: AgentList | null): DraftFault[] {
  const had = before?.stages.find(({ id }) => id === stage.id) ?? null;
  return [...missingProof(stage), ...emptyProofs(stage, had), ...unchanged(stage, had, agents)];
}

function missingProof(stage: StagePlan): DraftFault[] {
  if (stage.type !== "integration-verify" || isProved(stage)) return [];
  const text = `Nothing proves the stage \`${stage.id}\`. Add \`acceptance\` with the commands that try everything together.`;
  return [{ severity: "warning", text, lacking: stage.id }];
}

function isProved({ acceptance, truths, artifacts, wiring, after, regressionTest }: StagePlan): boolean {
  return (
    regressionTest !== null || [acceptance, truths, artifacts, wiring, after].some((list) => list.length > 0)
  );
}

function checksOf({ acceptance, truths, after }: StagePlan): CommandCheck[] {
  return [...acceptance, ...truths, ...after];
}

/** It reads like a proof and is none, so it is worse than a stage that says nothing of itself. */
function emptyProofs(stage: StagePlan, had: StagePlan | null): DraftFault[] {
  const known = new Set(had ? checksOf(had).map(({ command }) => command) : []);
  const commands = checksOf(stage).filter((check) => !known.has(check.command) && alwaysHolds(check));
  return [...new Set(commands.map(({ command }) => command))].map((command) => {
    const shown = shortLine(command, 80).replaceAll("`", "'");
    const text = `The check \`${shown}\` of the stage \`${stage.id}\` can't fail, so it proves nothing. Write a command that fails as long as the work is not done.`;
    return { severity: "warning", text };
  });
}

const NOTHING = "(?:true|:|exit 0|/(?:usr/)?bin/true)";
const ONLY_NOTHING = new RegExp(`^${NOTHING}$`);
/** Says what it was told to say: nothing in it is run, read or filled in. */
const ONLY_WORDS = /^(?:echo|printf)\b[^|&;<>$`()]*$/;
const WHATEVER_CAME = new RegExp(`(?:\\|\\||;)\\s*${NOTHING}$`);

function alwaysHolds({ command, exitCode, stdoutContains, stdoutNotContains, stderrEmpty }: CommandCheck) {
  const text = command.trim().slice(-2_000);
  if (exitCode !== 0) return false;
  if (ONLY_NOTHING.test(text) || ONLY_WORDS.test(text)) return true;
  return WHATEVER_CAME.test(text) && !stderrEmpty && stdoutContains.length + stdoutNotContains.length === 0;
}

/** An agent that can only read has nothing to change. */
function unchanged(stage: StagePlan, had: StagePlan | null, agents: AgentList | null): DraftFault[] {
  const readsOnly = stage.agent !== null && agents?.get(stage.agent)?.readOnly === true;
  const isUsual = mayChangeNothing({ ...stage, allowNoChange: false });
  if (!stage.allowNoChange || isUsual || readsOnly || had?.allowNoChange) return [];
  const text = `The stage \`${stage.id}\` counts as done when its agent changes nothing (\`allow_no_change\`).`;
  return [{ severity: "note", text }];
}
