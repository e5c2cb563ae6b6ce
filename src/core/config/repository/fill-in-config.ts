import { runnerLabel } from "../../plan/runner-label.ts";
import { readRoutePlace } from "../parse-routes.ts";
import type { Route } from "../routing.ts";
import { DEFAULT_REPOSITORY_CONFIG, type RepositoryConfig } from "./repository-config.ts";
import type { WrittenConfig } from "./repository-config-schema.ts";

/** What is written, and the usual for all that is not. */
export function fillInConfig(written: WrittenConfig): RepositoryConfig {
  const { merge, approval, labels, limits, notify } = written;
  const usual = DEFAULT_REPOSITORY_CONFIG;
  return {
    merge: {
      mode: merge?.mode ?? usual.merge.mode,
      method: merge?.method ?? usual.merge.method,
      stack: merge?.stack ?? usual.merge.stack,
      deleteBranches: merge?.delete_branches ?? usual.merge.deleteBranches,
    },
    approval: {
      label: approval?.label ?? usual.approval.label,
      leastRole: approval?.roles ?? usual.approval.leastRole,
      express: approval?.express ?? usual.approval.express,
    },
    labels: {
      planReview: labels?.plan_review ?? usual.labels.planReview,
      approved: labels?.approved ?? usual.labels.approved,
      running: labels?.running ?? usual.labels.running,
      needsHuman: labels?.needs_human ?? usual.labels.needsHuman,
      blocked: labels?.blocked ?? usual.labels.blocked,
      done: labels?.done ?? usual.labels.done,
    },
    limits: {
      maxParallel: limits?.max_parallel ?? usual.limits.maxParallel,
      retries: limits?.retries ?? usual.limits.retries,
      timeoutSecs: limits?.timeout_secs ?? usual.limits.timeoutSecs,
      budgetUsd: limits?.budget_usd ?? usual.limits.budgetUsd,
      maxStages: limits?.max_stages ?? usual.limits.maxStages,
    },
    harness: written.harness ?? usual.harness,
    models: readModels(written.models ?? {}),
    fallback: [...new Set(written.fallback ?? usual.fallback)],
    effort: written.effort ?? usual.effort,
    contract: written.contract ?? usual.contract,
    sandbox: readSandbox(written.sandbox),
    planner: readPlanner(written.planner),
    disabledAgents: [...new Set(written.agents?.disabled ?? usual.disabledAgents)],
    commands: {
      budgetUsd: written.commands?.budget_usd ?? usual.commands.budgetUsd,
      timeoutSecs: written.commands?.timeout_secs ?? usual.commands.timeoutSecs,
    },
    runsOn: written.runs_on === undefined ? usual.runsOn : runnerLabel(written.runs_on),
    protectedPaths: written.protected_paths ?? usual.protectedPaths,
    gate: written.gate ?? usual.gate,
    autoRun: written.auto_run ?? usual.autoRun,
    notify: { panel: notify?.panel ?? usual.notify.panel },
  };
}

function readPlanner(written: WrittenConfig["planner"]): RepositoryConfig["planner"] {
  const usual = DEFAULT_REPOSITORY_CONFIG.planner;
  return {
    degraded: written?.degraded ?? usual.degraded,
    depth: written?.depth ?? usual.depth,
    mode: written?.mode ?? usual.mode,
    ...readPatience(written?.remind_after_hours ?? null, written?.default_after_hours ?? null),
    budgetUsd: written?.budget_usd ?? usual.budgetUsd,
  };
}

/** Where only one of them is written, the other keeps its distance as far as it has to. */
function readPatience(
  remind: number | null,
  settle: number | null,
): Pick<RepositoryConfig["planner"], "remindAfterSecs" | "defaultAfterSecs"> {
  const { remindAfterSecs, defaultAfterSecs } = DEFAULT_REPOSITORY_CONFIG.planner;
  const times = defaultAfterSecs / remindAfterSecs;
  const reminded = remind === null ? null : remind * 3600;
  const settled = settle === null ? null : settle * 3600;
  return {
    remindAfterSecs: reminded ?? Math.min(remindAfterSecs, (settled ?? defaultAfterSecs) / times),
    defaultAfterSecs: settled ?? Math.max(defaultAfterSecs, (reminded ?? remindAfterSecs) * times),
  };
}

function readModels(written: NonNullable<WrittenConfig["models"]>): Route[] {
  return Object.entries(written).flatMap(([key, wish]) => {
    const place = readRoutePlace(key);
    if (typeof place === "string" || !wish) return [];
    const { harness = null, model = null, effort = null } = wish;
    return [{ ...place, harness, model, effort }];
  });
}

function readSandbox(written: WrittenConfig["sandbox"]): RepositoryConfig["sandbox"] {
  const { network, limits } = written ?? {};
  return {
    network: {
      agent: network?.allowed_domains ?? [],
      setup: network?.setup ?? [],
      checks: network?.checks ?? [],
    },
    limits: {
      processes: limits?.processes ?? null,
      memoryMb: limits?.memory_mb ?? null,
      fileMb: limits?.file_mb ?? null,
      diskMb: limits?.disk_mb ?? null,
    },
  };
}
