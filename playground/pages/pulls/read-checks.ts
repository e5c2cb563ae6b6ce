import type { CheckRun, Repository } from "../../model/types.ts";

/** The newest run of each name and App for a commit: what counts for merging. */
export function checksOf(repository: Repository, sha: string): CheckRun[] {
  const newest = new Map<string, CheckRun>();
  for (const run of repository.checkRuns) {
    if (run.headSha !== sha) continue;
    const key = `${run.app} ${run.name}`;
    const known = newest.get(key);
    if (known === undefined || known.id < run.id) newest.set(key, run);
  }
  return [...newest.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
}

export type CheckSummary = { readonly tone: "good" | "bad" | "busy" | "quiet"; readonly words: string };

export function summarizeChecks(runs: readonly CheckRun[]): CheckSummary {
  if (runs.length === 0) return { tone: "quiet", words: "No checks yet" };
  const running = runs.filter((run) => run.status !== "completed").length;
  const failed = runs.filter((run) =>
    ["failure", "timed_out", "cancelled"].includes(run.status === "completed" ? (run.conclusion ?? "") : ""),
  ).length;
  const waiting = runs.filter((run) => run.conclusion === "action_required").length;
  const fine = runs.length - running - failed - waiting;
  const words = [
    failed > 0 && `${failed} failing`,
    waiting > 0 && `${waiting} waiting for a person`,
    running > 0 && `${running} in progress`,
    fine > 0 && `${fine} passed`,
  ].filter((part) => part !== false);
  const tone = failed > 0 ? "bad" : running + waiting > 0 ? "busy" : "good";
  const head = {
    bad: "Some checks were not successful",
    busy: "Some checks have not finished",
    good: "All checks have passed",
  }[tone];
  return { tone, words: `${head}: ${words.join(", ")}` };
}
