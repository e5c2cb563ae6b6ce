import type { Role } from "../../core/command/role.ts";
import { isAtLeast } from "../../core/command/role.ts";
import type { RepositoryConfig } from "../../core/config/repository-config.ts";
import type { RunId } from "../../core/ids.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { Problem } from "../../core/plan/problem.ts";
import { runIdFor } from "../../core/plan/run-id.ts";
import type { Run } from "../../core/run/run.ts";
import type { IssueFacts } from "../../ports/hub.ts";
import type { LeaseResult } from "../../ports/leases.ts";
import { assertHarnesses } from "../check-harnesses.ts";
import { startRun } from "../start-run.ts";
import { approveRun } from "./approve-run.ts";
import { allRuns, findRun, rememberThread } from "./find-run.ts";
import type { Host, RepoEngine } from "./host.ts";
import { offerPlan } from "./offer-plan.ts";
import { readConfig } from "./read-config.ts";

export type RunRequest = {
  /** The issue, or the pull request, on which it was asked for. */
  readonly number: number;
  readonly by: string;
  readonly role: Role;
  readonly path: string | null;
  readonly harness: string | null;
  readonly budgetUsd: number | null;
  readonly express: boolean;
};

export type RequestOutcome =
  | { readonly kind: "offered"; readonly run: RunId; readonly pr: number; readonly approved: boolean }
  | { readonly kind: "underway"; readonly run: Run }
  | { readonly kind: "built"; readonly run: Run }
  | { readonly kind: "planning" }
  | { readonly kind: "broken-config"; readonly problems: readonly Problem[] }
  | { readonly kind: "broken-plan"; readonly label: string; readonly problems: readonly Problem[] }
  | { readonly kind: "too-many-stages"; readonly count: number; readonly limit: number }
  | { readonly kind: "no-express" }
  | { readonly kind: "refused"; readonly reason: string; readonly next: string };

/**
 * From an issue to a plan that people can read: planned, checked, opened as a pull request. One at a time per issue, and
 * again after a crash to the same end: the run is written down before anything is made on GitHub, and what is made there
 * is looked for first.
 */
export async function requestRun(
  host: Host,
  engine: RepoEngine,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const lease = await acquireSoon(host, `plan/${engine.repo}/${request.number}`, signal);
  if (lease.kind === "held") return { kind: "planning" };
  try {
    return await plan(host, engine, request, signal);
  } finally {
    await lease.release();
  }
}

const PATIENCE_MS = 20_000;
const LOOK_AGAIN_MS = 100;

/** Whoever asks twice gets a link to the plan of the first (F25), unless that takes longer than they would wait. */
async function acquireSoon(host: Host, name: string, signal: AbortSignal): Promise<LeaseResult> {
  const end = host.now() + PATIENCE_MS;
  for (;;) {
    const lease = await host.leases.acquire(name);
    if (lease.kind === "acquired" || signal.aborted || host.now() > end) return lease;
    await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
  }
}

async function plan(
  host: Host,
  engine: RepoEngine,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { config, problems } = await readConfig(engine);
  if (!config) return { kind: "broken-config", problems };
  if (request.express && !(config.approval.express && isAtLeast(request.role, config.approval.leastRole)))
    return { kind: "no-express" };
  const thread = request.path === null ? await findRun(engine, request.number) : null;
  // A plan's own pull request, or a stage's, is no issue to plan.
  if (thread && thread.kind !== "issue" && thread.run.status === "running")
    return { kind: "underway", run: thread.run };
  const underway = (await allRuns(engine)).find(
    (run) => run.origin?.issue === request.number && run.status === "running",
  );
  if (underway?.offer) return { kind: "underway", run: underway };
  // A run without a pull request is one that was cut off right here.
  if (underway) return finish(engine, underway, request, config);

  const issue = await engine.hub.issue(request.number);
  if (!issue) return { kind: "refused", reason: `There is no issue #${request.number}.`, next: "" };
  const { name: target, tip: base } = await engine.hub.defaultBranch();
  const outcome = await host.planner.plan(
    {
      issue,
      path: request.path,
      base,
      readFile: (path) => engine.hub.readFile(base, path, 1_000_000),
    },
    signal,
  );
  if (outcome.kind === "refused") return outcome;
  const parsed = host.parsePlan(outcome.text);
  if (!parsed.plan) return { kind: "broken-plan", label: outcome.label, problems: parsed.problems };
  const { stages } = parsed.plan;
  if (stages.length > config.limits.maxStages)
    return { kind: "too-many-stages", count: stages.length, limit: config.limits.maxStages };
  const id = await freeId(engine, outcome.label, host.planHash(outcome.text));
  if (typeof id !== "string") return id;
  const run = await create(host, engine, {
    id,
    plan: parsed.plan,
    text: outcome.text,
    target,
    request,
    config,
    issue,
  });
  return finish(engine, run, request, config);
}

/** The same plan again is the same run: what is under way or built is not built twice (P2). */
async function freeId(engine: RepoEngine, label: string, hash: string): Promise<RunId | RequestOutcome> {
  for (let generation = 1; ; generation += 1) {
    const id = runIdFor(generation === 1 ? label : numbered(label, generation), hash);
    const run = await engine.book.load(id);
    if (!run) return id;
    if (run.status === "running") return { kind: "underway", run };
    if (run.status === "completed" && !run.archived) return { kind: "built", run };
  }
}

function numbered(label: string, generation: number): string {
  return `${label.replace(/\.[^./]*$/, "")}-${generation}`;
}

type NewRun = {
  readonly id: RunId;
  readonly plan: Plan;
  readonly text: string;
  readonly target: string;
  readonly request: RunRequest;
  readonly config: RepositoryConfig;
  readonly issue: IssueFacts;
};

async function create(host: Host, engine: RepoEngine, fresh: NewRun): Promise<Run> {
  const { id, plan, config, request, issue } = fresh;
  const merge = {
    ...config.merge,
    // A plan may ask for more care than the repository does, never for less.
    mode: plan.merge.mode === "review" ? ("review" as const) : config.merge.mode,
  };
  const settings = host.settingsFor({
    config,
    plan,
    harness: request.harness,
    budgetUsd: request.budgetUsd ?? plan.budget.costUsd,
  });
  await assertHarnesses(engine, plan, settings, host.lookAtHarness);
  const planned = { id, target: fresh.target, merge };
  const workspace = engine.workspaceFor(planned);
  const base = await (await engine.forgeFor(planned)).targetTip();
  return startRun(engine, workspace, {
    run: id,
    planPath: `.loom/${id}/PLAN.md`,
    planText: fresh.text,
    planHasGate: plan.gate !== null,
    target: fresh.target,
    base,
    generation: 0,
    settings,
    hosted: {
      origin: { ...originOf(engine, fresh), title: issue.title },
      merge,
      needsApproval: true,
      approverRole: config.approval.leastRole,
      labels: { ...config.labels, approve: config.approval.label },
      alsoGate: [...config.gate],
      protect: [...config.protectedPaths],
      showsPanel: config.notify.panel,
    },
  });
}

function originOf(engine: RepoEngine, { request, issue }: NewRun): NonNullable<Run["origin"]> {
  const { installation, repo } = engine.place;
  return {
    installation,
    repo: { id: repo.id, owner: repo.owner, name: repo.name },
    issue: request.number,
    title: issue.title,
    by: request.by,
  };
}

async function finish(
  engine: RepoEngine,
  run: Run,
  request: RunRequest,
  config: RepositoryConfig,
): Promise<RequestOutcome> {
  const offered = await offerPlan(engine, run);
  if (offered.kind === "refused") return offered;
  await rememberThread(engine, request.number, run.id);
  await rememberThread(engine, offered.pr, run.id);
  let approved = false;
  if (request.express) {
    const outcome = await approveRun(engine, run.id, config.approval.leastRole, {
      by: request.by,
      role: request.role,
      via: "express",
      sha: null,
    });
    approved = outcome.kind === "approved" || outcome.kind === "already";
  }
  return { kind: "offered", run: run.id, pr: offered.pr, approved };
}
