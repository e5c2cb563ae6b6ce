import type { Person } from "../../../core/command/delivery.ts";
import type { Role } from "../../../core/command/role.ts";
import type { RepositoryConfig } from "../../../core/config/repository/repository-config.ts";
import { runFolder } from "../../../core/config/run-folder.ts";
import { ForgedRecord } from "../../../core/errors.ts";
import type { RunId } from "../../../core/ids.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import type { Problem } from "../../../core/plan/problem.ts";
import { runIdFor } from "../../../core/plan/run-id.ts";
import type { Origin } from "../../../core/run/origin.ts";
import type { Run } from "../../../core/run/run.ts";
import { assertHarnesses } from "../../run/check-harnesses.ts";
import { startRun } from "../../run/start-run.ts";
import { rememberThread, runningOn } from "../command/find-run.ts";
import type { Host, RepoEngine } from "../host.ts";
import { approveRun } from "./approve-run.ts";
import { auditPlan } from "./audit-plan.ts";
import { describePlan } from "./describe-plan.ts";
import { offerPlan } from "./offer-plan.ts";

/** A plan that is to be opened for people to read. */
export type OpenRequest = {
  /** The issue, or the pull request, on which it was asked for, and its title. */
  readonly number: number;
  readonly title: string;
  readonly by: Person;
  readonly role: Role;
  readonly harness: string | null;
  readonly budgetUsd: number | null;
  /** Approved with the very request. */
  readonly express: boolean;
  readonly text: string;
  readonly label: string;
  readonly planning: Run["planning"];
  /** By what it was asked for, and when; absent: not known any more. */
  readonly asked: Pick<Origin, "at" | "gesture">;
};

export type OpenOutcome =
  | { readonly kind: "offered"; readonly run: RunId; readonly pr: number; readonly approved: boolean }
  | { readonly kind: "underway"; readonly run: Run }
  | { readonly kind: "built"; readonly run: Run }
  /** The same words asked for this one, which has ended. */
  | { readonly kind: "asked-before"; readonly run: Run }
  | { readonly kind: "broken-plan"; readonly label: string; readonly problems: readonly Problem[] }
  | { readonly kind: "too-many-stages"; readonly count: number; readonly limit: number }
  | { readonly kind: "refused"; readonly reason: string; readonly next: string };

/**
 * From a plan's text to a run and its pull request. Again after a crash to the same end: the run is written down before
 * anything is made on GitHub, and what is made there is looked for first.
 */
export async function openRun(
  host: Host,
  engine: RepoEngine,
  config: RepositoryConfig,
  request: OpenRequest,
): Promise<OpenOutcome> {
  const underway = await runningOn(engine, request.number);
  if (underway) {
    // The same plan: an earlier try was cut off right here.
    const isOurs = underway.planText === request.text;
    return isOurs || !underway.offer
      ? finishOpening(engine, underway, { ...request, express: request.express && isOurs }, config)
      : { kind: "underway", run: underway };
  }
  const parsed = host.parsePlan(request.text, config.disabledAgents);
  auditPlan(engine, parsed.problems, { who: request.by.login });
  if (!parsed.plan) return { kind: "broken-plan", label: request.label, problems: parsed.problems };
  const { stages } = parsed.plan;
  if (stages.length > config.limits.maxStages)
    return { kind: "too-many-stages", count: stages.length, limit: config.limits.maxStages };
  const id = await freeId(engine, request.label, host.planHash(request.text));
  if (typeof id !== "string") return id;
  const run = await create(host, engine, config, { ...request, id, plan: parsed.plan });
  return finishOpening(engine, run, request, config);
}

/** The same plan again is the same run: what is under way or built is not built twice. */
async function freeId(engine: RepoEngine, label: string, hash: string): Promise<RunId | OpenOutcome> {
  for (let generation = 1; ; generation += 1) {
    const id = runIdFor(generation === 1 ? label : numbered(label, generation), hash);
    const run = await engine.runs.load(id).catch((error: unknown) => {
      if (error instanceof ForgedRecord) return "forged" as const;
      throw error;
    });
    // Its name stays taken until an operator has looked at it.
    if (run === "forged") continue;
    if (!run) return id;
    if (run.status === "running") return { kind: "underway", run };
    if (run.status === "completed" && !run.archived) return { kind: "built", run };
  }
}

function numbered(label: string, generation: number): string {
  return `${label.replace(/\.[^./]*$/, "")}-${generation}`;
}

async function create(
  host: Host,
  engine: RepoEngine,
  config: RepositoryConfig,
  { id, plan, ...request }: OpenRequest & { readonly id: RunId; readonly plan: Plan },
): Promise<Run> {
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
  const { name: target } = await engine.contents.defaultBranch();
  const planned = { id, target, merge };
  const workspace = engine.workspaceFor(planned);
  const base = await (await engine.forgeFor(planned)).targetTip();
  const { installation, repo } = engine.repoRef;
  return startRun(engine, workspace, {
    run: id,
    planPath: `${runFolder(settings, id)}/PLAN.md`,
    planText: request.text,
    planHasGate: plan.gate !== null,
    target,
    base,
    generation: 0,
    settings,
    besides: {
      origin: {
        installation,
        repo: { id: repo.id, owner: repo.owner, name: repo.name },
        issue: request.number,
        title: request.title,
        by: request.by.login,
        byId: request.by.id,
        ...request.asked,
      },
      merge,
      needsApproval: true,
      approverRole: config.approval.leastRole,
      labels: { ...config.labels, approve: config.approval.label },
      alsoGate: [...config.gate],
      protect: [...config.protectedPaths],
      showsPanel: config.notify.panel,
      planning: request.planning,
    },
  });
}

/** The plan's pull request, for a run that has none yet or may have got it just before a crash. */
export async function finishOpening(
  engine: RepoEngine,
  run: Run,
  request: Pick<OpenRequest, "number" | "by" | "role" | "express">,
  config: RepositoryConfig,
): Promise<OpenOutcome> {
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
      // There was no plan yet when it was said; it is for whatever comes, and for that once.
      at: null,
      gesture: `express/${run.id}`,
    });
    approved = outcome.kind === "approved" || outcome.kind === "already";
    // It was described before anybody could approve it.
    if (approved)
      await engine.pulls.editPull(offered.pr, await describePlan(engine, await engine.runs.get(run.id)));
  }
  return { kind: "offered", run: run.id, pr: offered.pr, approved };
}
