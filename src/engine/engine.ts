import type { Millis } from "../core/ids.ts";
import type { Policy } from "../core/policy/parse-policy.ts";
import type { PromptTexts } from "../core/prompt/prompt-texts.ts";
import type { Roster } from "../core/roster/roster.ts";
import type { Run, StageRecord } from "../core/run/run.ts";
import type { Audit } from "../ports/audit.ts";
import type { Feed } from "../ports/feed.ts";
import type { Forge } from "../ports/forge.ts";
import type { Harness } from "../ports/harness.ts";
import type { JobQueue } from "../ports/job-queue.ts";
import type { Leases } from "../ports/leases.ts";
import type { RunStore } from "../ports/ledger-store.ts";
import type { Patterns } from "../ports/patterns.ts";
import type { ProcessSupervisor } from "../ports/process-supervisor.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { SandboxProvider } from "../ports/sandbox.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { RunLedgers } from "./run/run-ledgers.ts";

/** All that the engine's verbs work with. Wiring chooses what stands behind each port. */
export type Engine = {
  readonly store: RunStore;
  readonly runs: RunLedgers;
  readonly queue: JobQueue;
  readonly leases: Leases;
  readonly supervisor: ProcessSupervisor;
  readonly sandboxes: SandboxProvider;
  /** A folder for what a CLI keeps, and others beside it; whatever is left of an earlier one of that name is gone. */
  readonly openHome: (name: string) => Promise<Home>;
  readonly patterns: Patterns;
  readonly files: RunFiles;
  readonly feed: Feed;
  /** Where the operator finds what was refused. */
  readonly audit: Audit;
  readonly workspaceFor: (run: Pick<Run, "id">) => Workspace;
  readonly forgeFor: (run: Pick<Run, "id" | "target" | "merge">) => Promise<Forge>;
  /** Asks the forge once more before an agent starts; what it finds is written down. */
  readonly stillApproved: (run: Run) => Promise<boolean>;
  /** What a person reads where the stage is offered. */
  readonly describeStage: (
    run: Run,
    record: StageRecord,
  ) => { readonly title: string; readonly body: string };
  /** Throws a UserError for a name that nothing stands behind. */
  readonly harness: (id: string) => Harness;
  /** All that is said to models; a run may bring words of its own. */
  readonly promptsFor: (run: Pick<Run, "id" | "planPath"> & Partial<Pick<Run, "settings">>) => PromptTexts;
  /** Who can be given a stage. */
  readonly roster: Roster;
  /** What agents may run. */
  readonly policy: Policy;
  /** `${PROJECT_ROOT}` in checks. */
  readonly projectRoot: string;
  readonly now: () => Millis;
  readonly newId: () => string;
  readonly hash: (text: string) => string;
};

export type Home = {
  readonly path: string;
  readonly empty: string;
  /** For files that Loom shows to an agent; there once something is put into it. */
  readonly shown: string;
  /** Puts a text into `shown`, under a name of Loom's own. */
  show(name: string, text: string): Promise<void>;
  /** A new folder beside it with these files, by path in there; resolves with where it is. */
  lay(files: ReadonlyMap<string, string>): Promise<string>;
  remove(): Promise<void>;
};

export function timestamp(engine: Pick<Engine, "now">): string {
  return new Date(engine.now()).toISOString();
}
