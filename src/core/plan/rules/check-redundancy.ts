import type { Rule } from "../plan-draft.ts";

/** A dependency that another one brings along anyway only hides the shape of the plan. */
export const checkRedundancy: Rule = (draft, reporter) => {
  const { outlines } = draft;
  if (outlines.every(({ dependencies }) => dependencies.length < 2)) return;
  const ancestry = draft.ancestry();
  for (const { id, dependencies } of outlines) {
    if (id === null || !ancestry) continue;
    const redundant = new Set(ancestry.redundantDependencies(id));
    for (const dependency of dependencies) {
      if (!redundant.has(dependency.id)) continue;
      reporter.warning(
        dependency.at,
        `\`${id}\` waits for \`${dependency.id}\` anyway, through another dependency.`,
        "Leave it out.",
      );
    }
  }
};
