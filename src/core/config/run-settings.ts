import * as z from "zod";
import { GATE_CHANGES } from "./gate-changes.ts";
import { routeSchema } from "./routing.ts";
import { isStateDir } from "./run-folder.ts";
import { STRICTNESSES } from "./strictness.ts";

const effortSchema = z.enum(["low", "medium", "high"]);

export const SETUP_NETWORKS = ["base", "commit"] as const;

const hostLists = z.object({
  agent: z.array(z.string()),
  setup: z.array(z.string()),
  checks: z.array(z.string()),
});

/** What the run was started with; later changes of the environment do not reach it. */
export const runSettingsSchema = z.object({
  harness: z.string(),
  /** The harness was chosen on the command line and overrules what stages name. */
  harnessWins: z.boolean(),
  maxParallel: z.int().positive(),
  retries: z.int().nonnegative(),
  timeoutSecs: z.number().positive(),
  noProgressSecs: z.number().nonnegative(),
  transientDelaysSecs: z.array(z.number().nonnegative()),
  backoffSecs: z.object({ base: z.number().nonnegative(), max: z.number().nonnegative() }),
  /** What the agents may cost before the run stops and asks. */
  budgetUsd: z.number().positive().nullable().optional(),
  /** The runner label of stages that name none. */
  runsOn: z.string().nullable().optional(),
  /** Harnesses to go on with, in this order, while one is out of quota. */
  fallback: z.array(z.string()).optional(),
  effort: effortSchema.optional(),
  planEffort: effortSchema.optional(),
  planTimeoutSecs: z.number().positive().optional(),
  /** Whether an agent has to say in a fixed form that it is done. */
  contract: z.enum(["off", "warn", "enforce"]).optional(),
  routes: z.array(routeSchema).optional(),
  maxTurns: z.int().positive().nullable().optional(),
  /** What counts as a failure of a stage's checks. */
  strictness: z.enum(STRICTNESSES).optional(),
  /** Whether a stage that redefines its gate waits for a person; the operator's word, never a repository's (T37). */
  gateChanges: z.enum(GATE_CHANGES).optional(),
  /** The folder of the repository that holds the documents of runs; see run-folder.ts. */
  stateDir: z.string().refine(isStateDir).optional(),
  /** A completed run is archived by itself. */
  autoArchive: z.boolean().optional(),
  /** Hosts that may be reached besides the model, by what reaches for them; the operator's own. */
  network: hostLists.optional(),
  /**
   * Hosts that the repository adds. Runs of older versions have them among the operator's, and lack this field: none of
   * their hosts counts as the operator's word (T30).
   */
  repositoryNetwork: hostLists.optional(),
  /** What may be set up with a network: what the run started from, or whatever agents made of it since (T34). */
  setupNetwork: z.enum(SETUP_NETWORKS).optional(),
  limits: z
    .object({
      processes: z.int().positive(),
      memoryMb: z.int().positive(),
      fileMb: z.int().positive(),
      diskMb: z.int().positive(),
    })
    .optional(),
  /** How much one stage may change. */
  change: z.object({ files: z.int().positive(), megabytes: z.int().positive() }).optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;
