import { markLines } from "../session/mark-lines.ts";
import { type PlanSections, SECTION_TITLES } from "./answers/read-planner-answer.ts";
import { restoreProse } from "./sanitize-prose.ts";

const MAX_CHARS = 5_000_000;

/** The prose of a plan document that Loom composed, as bare text; null when it has none. It is anybody's words still. */
export function readPlanProse(planText: string): PlanSections | null {
  const found: Record<keyof PlanSections, string[]> = { why: [], outOfScope: [], risks: [] };
  let current: keyof PlanSections | null = null;
  for (const { text, code, heading } of markLines(planText.slice(0, MAX_CHARS))) {
    if (heading && heading.level <= 2) current = SECTION_TITLES.get(heading.title) ?? null;
    else if (current && !code) found[current].push(text);
  }
  const sections = {
    why: restoreProse(found.why.join("\n")),
    outOfScope: restoreProse(found.outOfScope.join("\n")),
    risks: restoreProse(found.risks.join("\n")),
  };
  return Object.values(sections).every((text) => text === "") ? null : sections;
}

/** What a plan is for, as it says itself: behind the first paragraph of its overview, or else below its title. */
export function readPlanGoal(planText: string): string {
  const overview: string[] = [];
  const below: string[] = [];
  let current: string[] | null = null;
  for (const { text, code, heading } of markLines(planText.slice(0, MAX_CHARS))) {
    if (heading) current = heading.title === OVERVIEW ? overview : heading.level === 1 ? below : null;
    else if (code) current = null;
    else current?.push(text);
  }
  const size = /^\s*\S[\s\S]*?(?:\n\s*\n|$)/;
  return restoreProse(overview.length > 0 ? overview.join("\n").replace(size, "") : below.join("\n"));
}

const OVERVIEW = "plan overview";
