import { runGit } from "../playground/git/run-git.ts";
import { type RunEvent, runEventSchema } from "../src/core/run/events.ts";
import { evolve } from "../src/core/run/evolve/evolve.ts";
import type { Run } from "../src/core/run/run.ts";

/** The documents that a run leaves in the repository: its ledger, and beside it the plan's text. */
export async function readRecord(
  gitDir: string,
  branch: string,
  run: string,
): Promise<{ readonly run: Run; readonly events: readonly RunEvent[] }> {
  const read = async (name: string): Promise<string> =>
    (await runGit(gitDir, ["show", `refs/heads/${branch}:.loom/${run}/${name}`])).stdout;
  const [planText, history] = await Promise.all([read("PLAN.md"), read("history.jsonl")]);
  const events = history
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => runEventSchema.parse({ planText, ...JSON.parse(line) }));
  const state = evolve(null, events);
  if (!state) throw new Error(`the record of ${run} is empty`);
  return { run: state, events };
}
