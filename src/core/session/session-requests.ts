import type { SessionId, StageId } from "../ids.ts";
import { asData } from "../markdown/as-data.ts";
import { ownValue } from "../table.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import type { ReportSection } from "./task-report.ts";

/** What a session that has ended, and is gone on with, can be asked for; the texts stand in `prompts/sessions/`. */
export type SessionTexts = {
  readonly handOffRequest: string;
  readonly reportRequest: string;
  readonly completionRequest: string;
};

/** What a small model is asked for; the texts stand in `prompts/small/`. */
export type SmallTexts = { readonly commitMessage: string; readonly runName: string };

export function askForHandOff(
  text: string,
  about: { readonly session: SessionId; readonly stage: StageId; readonly contextPercent: number },
): string {
  return fillIn(text, {
    session_id: about.session,
    stage_id: about.stage,
    context_percent: String(Math.round(about.contextPercent)),
  });
}

export function askForReport(text: string, missing: readonly ReportSection[]): string {
  return fillIn(text, { missing: missing.map((section) => `- \`## ${section}\``).join("\n") });
}

export function askForCompletion(text: string, problem: string): string {
  return fillIn(text, { problem: shortLine(problem, 500) });
}

const SMALL_DIFF_CHARS = 6_000;

/** For a model without tools: all it may know of the change stands in the text, as data. */
export function askForSubject(
  text: string,
  change: { readonly name: string; readonly files: readonly string[]; readonly diff: string },
): string {
  const files = change.files.slice(0, 30).map((file) => shortLine(file, 200));
  const parts = [`Stage: ${shortLine(change.name, 200)}`, `Files: ${files.join(", ")}`, change.diff];
  return fillIn(text, { change: asData(shortText(parts.join("\n"), SMALL_DIFF_CHARS)) });
}

export function askForName(
  text: string,
  plan: { readonly name: string | null; readonly stages: readonly string[] },
): string {
  const stages = plan.stages.slice(0, 40).map((stage) => `- ${shortLine(stage, 150)}`);
  const parts = [...(plan.name === null ? [] : [`Plan: ${shortLine(plan.name, 200)}`]), ...stages];
  return fillIn(text, { plan: asData(parts.join("\n")) });
}

/** In one pass, so that nothing in a value is taken for a place to fill. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([a-z_]+)\}\}/g, (place, name: string) => ownValue(values, name) ?? place).trim();
}
