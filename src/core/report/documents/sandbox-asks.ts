import type { StageId } from "../../ids.ts";
import type { Plan, SandboxRules } from "../../plan/plan.ts";

/** What a plan asks of the sandbox, for those who decide on it. */
export type SandboxAsk = {
  readonly what: string;
  readonly items: readonly {
    readonly text: string;
    /** null: in all stages. */
    readonly stages: readonly StageId[] | null;
  }[];
};

const ASKS: readonly { what: string; of: (rules: SandboxRules) => readonly string[] }[] = [
  { what: "Agents may reach", of: ({ network }) => network.allowedDomains },
  { what: "Set-up commands may reach", of: ({ network }) => network.setup },
  { what: "Checks may reach", of: ({ network }) => network.checks },
  { what: "Agents may write", of: ({ filesystem }) => filesystem.allowWrite },
  { what: "Agents may not write", of: ({ filesystem }) => filesystem.denyWrite },
  { what: "Agents may not read", of: ({ filesystem }) => filesystem.denyRead },
  { what: "Agents may not run", of: ({ excludedCommands }) => excludedCommands },
];

/** Each thing once, in the order of the plan; empty when the plan asks for nothing. */
export function sandboxAsks({ sandbox, stages }: Pick<Plan, "sandbox" | "stages">): SandboxAsk[] {
  return ASKS.flatMap(({ what, of }) => {
    const found = new Map<string, StageId[] | null>(of(sandbox).map((text) => [text, null]));
    for (const stage of stages) {
      for (const text of new Set(of(stage.sandbox))) {
        const where = found.get(text);
        if (where === undefined) found.set(text, [stage.id]);
        else where?.push(stage.id);
      }
    }
    const items = Array.from(found, ([text, where]) => ({ text, stages: where }));
    return items.length > 0 ? [{ what, items }] : [];
  });
}

/** Whether it asks for more than every stage gets anyway; what it forbids itself does not count. */
export function loosensSandbox({ sandbox, stages }: Pick<Plan, "sandbox" | "stages">): boolean {
  return [sandbox, ...stages.map((stage) => stage.sandbox)].some(
    ({ network, filesystem }) =>
      [network.allowedDomains, network.setup, network.checks, filesystem.allowWrite].flat().length > 0,
  );
}
