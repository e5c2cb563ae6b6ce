import type { Sha } from "../../core/ids.ts";
import type { Plan, StagePlan } from "../../core/plan/plan.ts";
import { type MergedRules, sandboxOf } from "../../core/plan/sandbox-rules.ts";
import { throughLinks } from "../../core/sandbox/through-links.ts";
import type { Patterns } from "../../ports/patterns.ts";
import type { Workspace } from "../../ports/workspace.ts";

type Reading = { readonly patterns: Patterns; readonly workspace: Pick<Workspace, "links"> };

/** The rules for a stage, with what those that forbid mean in a commit that the agent had no hand in (T39). */
export async function sandboxAt(
  { patterns, workspace }: Reading,
  plan: Pick<Plan, "sandbox">,
  stage: StagePlan,
  base: Sha,
): Promise<MergedRules> {
  const rules = sandboxOf(plan, stage);
  const forbids = [plan, stage].flatMap(({ sandbox: { filesystem } }) => [
    ...filesystem.denyRead,
    ...filesystem.denyWrite,
  ]);
  if (forbids.length === 0) return rules;
  const links = await workspace.links(base);
  const matches = createMatches(patterns);
  return {
    ...rules,
    hidden: throughLinks(rules.hidden, links, matches),
    readOnly: throughLinks(rules.readOnly, links, matches),
  };
}

/** Each glob is compiled once. */
export function createMatches(patterns: Patterns): (glob: string, path: string) => boolean {
  const globs = new Map<string, (path: string) => boolean>();
  return (glob, path) => {
    const known = globs.get(glob) ?? patterns.glob(glob);
    globs.set(glob, known);
    return known(path);
  };
}
