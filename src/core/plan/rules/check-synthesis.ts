import type { Rule } from "../plan-draft.ts";

/** A synthesis stage runs after all others, so nothing can wait for it. */
export const checkSynthesis: Rule = ({ outlines }, reporter) => {
  const synthesis = new Set(outlines.flatMap(({ id, synthesis }) => (synthesis && id !== null ? [id] : [])));
  if (synthesis.size === 0) return;
  for (const { dependencies, id } of outlines) {
    for (const dependency of dependencies) {
      if (!synthesis.has(dependency.id)) continue;
      reporter.error(
        dependency.at,
        `\`${id ?? "The stage"}\` depends on \`${dependency.id}\`, a synthesis stage, which runs after all others.`,
        `Remove the dependency, or \`synthesis: true\` from \`${dependency.id}\`.`,
      );
    }
  }
};
