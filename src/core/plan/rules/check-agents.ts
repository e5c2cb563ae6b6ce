import { nearestName } from "../../text/nearest-name.ts";
import { mayChangeNothing, type StagePlan } from "../plan.ts";
import type { Rule } from "../plan-draft.ts";
import { creationWord } from "../read/creation-word.ts";
import type { Path } from "../read/read-yaml.ts";
import type { Reporter } from "../report-problems.ts";

export const checkAgents: Rule = ({ stages, agents }, reporter) => {
  if (!agents) return;
  const enabled = [...agents].filter(([, { disabled }]) => !disabled).map(([name]) => name);
  for (const { stage, at } of stages) {
    if (stage.agent === null) continue;
    const place = [...at, "agent"];
    const agent = agents.get(stage.agent);
    if (!agent) {
      const near = nearestName(stage.agent, enabled);
      reporter.error(
        place,
        `There is no agent \`${stage.agent}\`.`,
        near ? `Did you mean \`${near}\`?` : "Name an agent that is installed and not disabled.",
      );
    } else if (agent.disabled && !agent.keptBy?.has(stage.id)) {
      reporter.error(
        place,
        `The agent \`${stage.agent}\` is disabled.`,
        "Name another one, or have it enabled: it stands in the operator's LOOM_DISABLED_AGENTS or in `agents.disabled` of .github/loom.yml.",
      );
    } else if (agent.readOnly && hasToWrite(stage)) {
      reporter.error(
        place,
        `The agent \`${stage.agent}\` can only read, but \`${stage.id}\` has to change files.`,
        `Choose an agent that can write, or let the stage change nothing: no \`files\`, and \`allow_no_change: true\` or the \`stage_type\` ${agent.noShell ? "`investigate` or `code-review`" : "`investigate`, `code-review` or `integration-verify`"}.`,
      );
    } else if (agent.noShell && stage.type === "integration-verify") {
      reporter.error(
        place,
        `The agent \`${stage.agent}\` can't run commands, but \`${stage.id}\` has to build and try the project.`,
        "Choose an agent that has a shell, or the `stage_type` `code-review`.",
      );
    } else if (agent.readOnly) warnOfCreation(stage, stage.agent, place, reporter);
  }
};

/** It may change nothing, and so would count as done when nothing was made. */
function warnOfCreation(stage: StagePlan, agent: string, place: Path, reporter: Reporter): void {
  const word = creationWord(stage);
  if (word === null) return;
  reporter.warning(
    place,
    `The agent \`${agent}\` can only read, but the task of \`${stage.id}\` begins with "${word}": nothing would be made.`,
    "Choose an agent that can write, or say what the stage is to find out.",
  );
}

/** What a knowledge stage is there for is the file that it leaves. */
function hasToWrite(stage: StagePlan): boolean {
  return stage.files.length > 0 || stage.type === "knowledge" || !mayChangeNothing(stage);
}
