import type { LeaseResult } from "../../../ports/leases.ts";
import { acquireSoon } from "../acquire-soon.ts";
import type { Host, RepoEngine } from "../host.ts";

/**
 * One at a time per issue opens a plan: whoever asks twice gets a link to the plan of the first (F25), unless that takes
 * longer than they would wait.
 */
export function takePlanTurn(
  host: Pick<Host, "leases" | "now">,
  { repo }: Pick<RepoEngine, "repo">,
  issue: number,
  signal?: AbortSignal,
): Promise<LeaseResult> {
  return acquireSoon(host, `plan/${repo}/${issue}`, signal);
}
