import { isPull } from "../find.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { closeIssue } from "./close-issue.ts";

const KEYWORDS = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi;

/** Text that lands on the default branch closes the issues it names: why no text from an agent may pass unescaped. */
export function closeByKeywords(world: World, repository: Repository, text: string, by: Login): void {
  for (const [, number] of text.matchAll(KEYWORDS)) {
    const issue = repository.issues.get(Number(number));
    if (issue && !isPull(issue)) closeIssue(world, repository, issue, { by, reason: "completed" });
  }
}
