import type { Plan } from "../plan/plan.ts";
import { findPlanBlock } from "../plan/read/find-plan-block.ts";
import { parsePlan } from "../plan/read/parse-plan.ts";
import { renderPlanBlock } from "../plan/render-plan.ts";
import { markLines } from "../session/mark-lines.ts";
import { splitLines } from "../text/text-lines.ts";
import { composePlan, type PlanDocument } from "./compose-plan.ts";

/**
 * Whether a document is one that Loom wrote for this plan, as far as its headings tell: it has all that Loom writes and no
 * other. Comparing all of it was rejected: whoever fixes a word of a stage would get a document whose tables and graph
 * stay behind from then on.
 */
export function isComposed(document: string, frame: Omit<PlanDocument, "sections">): boolean {
  const outlineWith = (words: string): Set<string> => {
    const sections = { why: words, outOfScope: words, risks: words };
    return outlineOf(composePlan({ ...frame, sections }));
  };
  const least = outlineWith("");
  const most = outlineWith("words");
  const here = outlineOf(document);
  const isTold = [...least].some((heading) => !heading.startsWith("1 "));
  return isTold && [...least].every((one) => here.has(one)) && [...here].every((one) => most.has(one));
}

function outlineOf(document: string): Set<string> {
  return new Set(
    markLines(document).flatMap(({ heading }) => (heading ? [`${heading.level} ${heading.title}`] : [])),
  );
}

/** The same document with another plan in its block, and every other byte as it was; null: it would not read back. */
export function replacePlanBlock(document: string, plan: Plan): string | null {
  const lines = splitLines(document);
  const { block } = findPlanBlock(lines);
  if (!block) return null;
  const { from, to } = block.range;
  const before = document.slice(lines.start(from), lines.start(to));
  const indent = /^ *(?=\S)/m.exec(before)?.[0] ?? "";
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const yaml = renderPlanBlock(plan)
    .split("\n")
    .map((line) => (line === "" ? line : `${indent}${line}`))
    .join(end);
  const text = `${document.slice(0, lines.start(from))}${yaml}${document.slice(lines.start(to))}`;
  const { plan: again } = parsePlan(text, { origin: "elsewhere" });
  return again && renderPlanBlock(again) === renderPlanBlock(plan) ? text : null;
}

/** What people wrote around the plan. */
export function aroundPlan(document: string): string {
  const lines = splitLines(document);
  const { block } = findPlanBlock(lines);
  if (!block) return "";
  const { from, to } = block.range;
  return `${document.slice(0, lines.start(from))}…\n${document.slice(lines.start(to))}`.trim();
}
