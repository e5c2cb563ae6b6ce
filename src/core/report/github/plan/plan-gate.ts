import { REPOSITORY_CONFIG_PATH } from "../../../config/repository/repository-config.ts";
import type { StageId } from "../../../ids.ts";
import { code } from "../../../markdown/escape-markdown.ts";
import { listSome } from "../../../text/list-some.ts";

export type PlanGateView = {
  /** Commands that prove the project as a whole, after each stage. */
  readonly commands: readonly string[];
  /** Whether the plan brings them, in place of those that Loom found in the project. */
  readonly isOwn: boolean;
};

const MAX_COMMANDS = 20;

/**
 * Whoever approves sees what a change has to pass besides its own checks, and who chose that. `unproved`: stages without
 * checks of their own.
 */
export function renderPlanGate({ commands, isOwn }: PlanGateView, unproved: readonly StageId[]): string {
  const shown = commands.slice(0, MAX_COMMANDS).map((command) => `- ${code(command, 150)}`);
  const left = commands.length - shown.length;
  const head =
    commands.length === 0
      ? "No check of the project as a whole runs after a stage."
      : "After each stage Loom runs these checks of the project as a whole:";
  const own = isOwn ? "**The plan replaces the checks that Loom found in the project with its own.**" : "";
  const list = [...shown, ...(left > 0 ? [`- … and ${left} more.`] : [])].join("\n");
  const nothing = commands.length === 0 && unproved.length > 0 ? onlyReviewed(unproved) : "";
  return `### The gate\n\n${[own, head, list, nothing].filter((part) => part !== "").join("\n\n")}`;
}

/** What no check will find out for whoever approves. */
function onlyReviewed(stages: readonly StageId[]): string {
  const shown = listSome(stages, MAX_COMMANDS, (id) => code(id, 80));
  const [have, their] = stages.length === 1 ? ["has", "its"] : ["have", "their"];
  return (
    `**${shown} ${have} no check of ${their} own either, so only a review proves the work.** ` +
    `${code("acceptance")} in the plan, or ${code("gate")} in ${code(REPOSITORY_CONFIG_PATH)}, adds one.`
  );
}
