import { planReportJson, renderPlanReport } from "../../core/report/commands/plan-report.ts";
import { configTexts } from "../../core/report/texts/config-texts.ts";
import { agentList } from "../../core/roster/agent-list.ts";
import { withoutAgents } from "../../core/roster/without-agents.ts";
import { openRoster } from "../../wiring/load-roster.ts";
import { readHeadConfig } from "../../wiring/settings/head-config.ts";
import { readPlanFile } from "../input/read-plan-file.ts";
import { usableConfig } from "../input/usable-config.ts";
import { explain, type Io, say } from "../io.ts";

export async function planCheck(io: Io, file: string, options: { json: boolean }): Promise<number> {
  const { roster, warnings } = openRoster(io.env);
  const planFile = await readPlanFile(io.cwd, file);
  const reading = await readHeadConfig(io.cwd, roster);
  const { disabledAgents, limits } = usableConfig(reading);
  const parsed = await planFile.parseFor(agentList(withoutAgents(roster, disabledAgents)));
  for (const problem of reading.problems) explain(io, configTexts.warning(problem), null);
  for (const text of warnings) explain(io, text, null);
  const stages = parsed.plan?.stages.length ?? 0;
  if (stages > limits.maxStages) explain(io, configTexts.tooManyStages(stages, limits.maxStages), null);
  say(
    io,
    options.json ? JSON.stringify(planReportJson(parsed)) : renderPlanReport(parsed, { file }).trimEnd(),
  );
  return parsed.plan ? 0 : 1;
}
