import type { Checks } from "./checks.ts";
import type { Contents } from "./contents.ts";
import type { LedgerMirror } from "./ledger-mirror.ts";
import type { People } from "./people.ts";
import type { PlanBranch } from "./plan-branch.ts";
import type { Pulls } from "./pulls.ts";
import type { Reviews } from "./reviews.ts";
import type { Threads } from "./threads.ts";

/** One repository on GitHub, beyond merging. Whoever needs a part of it asks for that part. */
export type RepositoryPorts = {
  readonly people: People;
  readonly threads: Threads;
  readonly pulls: Pulls;
  readonly reviews: Reviews;
  readonly checks: Checks;
  readonly contents: Contents;
  readonly planBranch: PlanBranch;
  readonly ledgerMirror: LedgerMirror;
};
