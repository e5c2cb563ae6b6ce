import { nearestName } from "../nearest-name.ts";
import { mayChangeNothing } from "../plan.ts";
import type { Rule } from "../plan-draft.ts";

export const checkAgents: Rule = ({ stages, agents }, reporter) => {
  if (!agents) return;
  for (const { stage, at } of stages) {
    if (stage.agent === null) continue;
    const place = [...at, "agent"];
    const agent = agents.get(stage.agent);
    if (!agent) {
      const near = nearestName(stage.agent, agents.keys());
      reporter.error(
        place,
        `There is no agent \`${stage.agent}\`.`,
        near ? `Did you mean \`${near}\`?` : "Name an agent that is installed and not disabled.",
      );
    } else if (agent.readOnly && (stage.files.length > 0 || !mayChangeNothing(stage))) {
      reporter.error(
        place,
        `The agent \`${stage.agent}\` can only read, but \`${stage.id}\` has to change files.`,
        "Choose an agent that can write, or make it a stage without `files` and with another `stage_type`.",
      );
    }
  }
};
