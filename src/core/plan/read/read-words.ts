import type { StageId } from "../../ids.ts";
import { table } from "../../table.ts";
import type { Complexity, Effort, MergeMode, StageType } from "../plan.ts";
import type { Reporter } from "../report-problems.ts";
import type { Path } from "./read-yaml.ts";

/** Fields that take one of a few words, and the words of other dialects for the same things. */

const EFFORTS: Readonly<Record<string, Effort>> = table({
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
});

export function readEffort(written: string | undefined, at: Path, reporter: Reporter): Effort | null {
  if (written === undefined) return null;
  const effort = EFFORTS[written.toLowerCase()];
  if (!effort) {
    reporter.error(at, `\`${shorten(written)}\` is not an effort.`, "Write `low`, `medium` or `high`.");
    return null;
  }
  return effort;
}

const TYPES: Readonly<Record<string, StageType>> = table({
  standard: "standard",
  knowledge: "knowledge",
  "knowledge-distill": "knowledge",
  "integration-verify": "integration-verify",
  "code-review": "code-review",
  investigate: "investigate",
});

export function readType(
  written: string | undefined,
  at: Path,
  { id, origin, reporter }: { id: StageId; origin: "loom" | "elsewhere"; reporter: Reporter },
): StageType {
  if (written === undefined) {
    const guess = origin === "elsewhere" ? guessType(id) : "standard";
    if (guess !== "standard") {
      reporter.warning(
        at,
        `The stage \`${id}\` is taken as \`${guess}\`, because its id says so.`,
        `Add \`stage_type: ${guess}\`, or \`stage_type: standard\`.`,
      );
    }
    return guess;
  }
  const name = written
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[\s_]+/g, "-");
  const type = TYPES[name];
  if (!type) {
    reporter.error(
      at,
      `\`${shorten(written)}\` is not a type of stage.`,
      "Write `standard`, `knowledge`, `integration-verify`, `code-review` or `investigate`.",
    );
  }
  return type ?? "standard";
}

/** Plans in the wild may leave the type to the id of a stage that nearly every plan has. */
function guessType(id: StageId): StageType {
  if (id === "investigate") return "standard";
  return TYPES[id] ?? (id === "knowledge-bootstrap" ? "knowledge" : "standard");
}

export function readComplexity(written: string | undefined, at: Path, reporter: Reporter): Complexity | null {
  if (written === undefined) return null;
  const word = written.toLowerCase();
  if (word === "simple" || word === "medium" || word === "complex") return word;
  reporter.error(
    at,
    `\`${shorten(written)}\` is not a complexity.`,
    "Write `simple`, `medium` or `complex`.",
  );
  return null;
}

export function readMergeMode(written: string, at: Path, reporter: Reporter): MergeMode {
  const word = written.toLowerCase();
  if (word === "auto" || word === "review") return word;
  reporter.error(
    at,
    `\`${shorten(written)}\` is not a way to merge.`,
    "Write `auto`, and Loom merges, or `review`, and people do.",
  );
  return "review";
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
