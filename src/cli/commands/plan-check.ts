import { planReportJson, renderPlanReport } from "../../core/report/plan-report.ts";
import { type Io, say } from "../io.ts";
import { readPlanFile } from "../read-plan-file.ts";

export async function planCheck(io: Io, file: string, options: { json: boolean }): Promise<number> {
  const { parsed } = await readPlanFile(io.cwd, file);
  say(
    io,
    options.json ? JSON.stringify(planReportJson(parsed)) : renderPlanReport(parsed, { file }).trimEnd(),
  );
  return parsed.plan ? 0 : 1;
}
