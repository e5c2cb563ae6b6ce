import { findCycles } from "../../graph/find-cycles.ts";
import type { StageId } from "../../ids.ts";
import type { Rule } from "../plan-draft.ts";

const MAX_CYCLES = 20;
const MAX_SHOWN = 12;

/** A stage that depends on itself is told where its dependencies are read. */
export const checkCycles: Rule = ({ outlines, graph }, reporter) => {
  if (graph) return;
  const nodes = outlines.flatMap(({ id, dependencies }) =>
    id === null ? [] : [{ id, dependencies: dependencies.map((dependency) => dependency.id) }],
  );
  for (const cycle of findCycles(nodes).slice(0, MAX_CYCLES)) {
    const [first, next] = cycle;
    const outline = outlines.find(({ id }) => id === first);
    const dependency = outline?.dependencies.find(({ id }) => id === next);
    reporter.error(
      dependency?.at ?? [],
      `These stages wait for each other: ${describe(cycle)}.`,
      "Remove one of these dependencies.",
    );
  }
};

function describe(cycle: readonly StageId[]): string {
  const [first = ""] = cycle;
  if (cycle.length <= MAX_SHOWN) return [...cycle, first].join(" → ");
  return `${cycle.slice(0, MAX_SHOWN).join(" → ")} → … (${cycle.length - MAX_SHOWN} more) → ${first}`;
}
