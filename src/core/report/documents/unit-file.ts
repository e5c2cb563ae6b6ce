import { stringify } from "yaml";
import type { StagePlan } from "../../plan/plan.ts";

/** One stage as a unit file of `.loom/<run>/`: what it overrides in front, then the brief. */
export function renderUnit(stage: StagePlan): string {
  const overrides = Object.entries({
    id: stage.id,
    dependencies: stage.dependencies.length > 0 ? stage.dependencies : null,
    effort: stage.effort,
    timeout_secs: stage.timeoutSecs,
    no_progress_secs: stage.noProgressSecs,
  }).filter(([, value]) => value !== null);
  return `---\n${stringify(Object.fromEntries(overrides))}---\n\n# ${stage.name}\n\n${stage.description.trim()}\n`;
}

/** `01-first-step.md`, in the order of the graph. */
export function unitName(place: number, total: number, id: string): string {
  return `${String(place + 1).padStart(Math.max(2, String(total).length), "0")}-${id}.md`;
}
