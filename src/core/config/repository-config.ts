import type { Role } from "../command/role.ts";
import { decodeText } from "../plan/decode-text.ts";
import { type Effort, NO_LIMITS, type SandboxLimits } from "../plan/plan.ts";
import type { Problem } from "../plan/problem.ts";
import { type ReadYaml, readYaml } from "../plan/read-yaml.ts";
import { createReporter, cutProblems, formatPath, sortProblems } from "../plan/report-problems.ts";
import { splitLines } from "../plan/text-lines.ts";
import { DEFAULTS } from "./defaults.ts";
import { readRoutePlace } from "./parse-routes.ts";
import { checkLabels, type LabelField } from "./repository-config-rules.ts";
import { type WrittenConfig, writtenConfigSchema } from "./repository-config-schema.ts";
import { reportConfigShape } from "./repository-config-shape.ts";
import type { Route } from "./routing.ts";
import type { Contract } from "./settings.ts";

/** What a repository says about how Loom works in it: `.github/loom.yml` of its default branch, nowhere else. */
export type RepositoryConfig = {
  readonly merge: {
    /** `review`: people merge. `auto`: Loom does, once a stage is verified and the required checks pass. */
    readonly mode: "review" | "auto";
    /** null: what the repository allows, squash first. */
    readonly method: MergeMethod | null;
    /** `native`: GitHub's stacks; `chained`: each pull request on the branch before it; `auto`: whatever fits. */
    readonly stack: "auto" | "chained" | "native";
    readonly deleteBranches: boolean;
  };
  readonly approval: {
    readonly label: string;
    /** The least role that may approve a plan. */
    readonly leastRole: ApproverRole;
    /** Whether `--express` may skip the approval. */
    readonly express: boolean;
  };
  readonly labels: StatusLabels;
  readonly limits: {
    readonly maxParallel: number;
    readonly retries: number;
    readonly timeoutSecs: number;
    /** null: no limit of the repository's own. */
    readonly budgetUsd: number | null;
    readonly maxStages: number;
  };
  /** null: the operator's choice. */
  readonly harness: string | null;
  /** Who does which work; they come before the operator's. */
  readonly models: readonly Route[];
  /** Harnesses to go on with while one is out of quota; empty: the operator's choice. */
  readonly fallback: readonly string[];
  /** null: the operator's choice. */
  readonly effort: Effort | null;
  /** null: the operator's choice. */
  readonly contract: Contract | null;
  readonly sandbox: {
    /** Hosts besides the operator's. */
    readonly network: {
      readonly agent: readonly string[];
      readonly setup: readonly string[];
      readonly checks: readonly string[];
    };
    /** They lower the operator's limits and never raise them. */
    readonly limits: SandboxLimits;
  };
  /** The label of the runners that stages go to when they name none. */
  readonly runsOn: string | null;
  /** Files and folders that no agent may change, besides those that none may anywhere. */
  readonly protectedPaths: readonly string[];
  /** Commands that every stage has to pass, besides its own checks. */
  readonly gate: readonly string[];
  /** Whether the body of a new issue may ask for a run. */
  readonly autoRun: boolean;
  readonly notify: { readonly panel: boolean };
};

export type MergeMethod = "squash" | "merge" | "rebase";
export type ApproverRole = Extract<Role, "write" | "maintain" | "admin">;

/** A projection for people; Loom never reads them back. */
export type StatusLabels = {
  readonly planReview: string;
  readonly approved: string;
  readonly running: string;
  readonly needsHuman: string;
  readonly blocked: string;
  readonly done: string;
};

export const REPOSITORY_CONFIG_PATH = ".github/loom.yml";

/** Every default of a repository stands here and nowhere else. */
export const DEFAULT_REPOSITORY_CONFIG: RepositoryConfig = {
  merge: { mode: "review", method: null, stack: "auto", deleteBranches: true },
  approval: { label: "loom: approve", leastRole: "write", express: false },
  labels: {
    planReview: "loom: plan review",
    approved: "loom: approved",
    running: "loom: running",
    needsHuman: "loom: needs human",
    blocked: "loom: blocked",
    done: "loom: done",
  },
  limits: {
    maxParallel: DEFAULTS.maxParallel,
    retries: DEFAULTS.retries,
    timeoutSecs: DEFAULTS.timeoutSecs,
    budgetUsd: null,
    maxStages: 100,
  },
  harness: null,
  models: [],
  fallback: [],
  effort: null,
  contract: null,
  sandbox: { network: { agent: [], setup: [], checks: [] }, limits: NO_LIMITS },
  runsOn: null,
  protectedPaths: [],
  gate: [],
  autoRun: false,
  notify: { panel: true },
};

const LABEL_FIELDS: readonly LabelField[] = [
  { path: ["approval", "label"], usual: DEFAULT_REPOSITORY_CONFIG.approval.label },
  { path: ["labels", "plan_review"], usual: DEFAULT_REPOSITORY_CONFIG.labels.planReview },
  { path: ["labels", "approved"], usual: DEFAULT_REPOSITORY_CONFIG.labels.approved },
  { path: ["labels", "running"], usual: DEFAULT_REPOSITORY_CONFIG.labels.running },
  { path: ["labels", "needs_human"], usual: DEFAULT_REPOSITORY_CONFIG.labels.needsHuman },
  { path: ["labels", "blocked"], usual: DEFAULT_REPOSITORY_CONFIG.labels.blocked },
  { path: ["labels", "done"], usual: DEFAULT_REPOSITORY_CONFIG.labels.done },
];

const MAX_CHARS = 65_536;

export type ReadRepositoryConfig = {
  /** null when there is any error: a file that can't be understood must not fall back to less protection. */
  readonly config: RepositoryConfig | null;
  /** All of them, in the order of the file. */
  readonly problems: readonly Problem[];
};

/** `null`: the repository has no such file. Linear in the text, whatever it holds, and nothing is thrown (T25). */
export function readRepositoryConfig(text: string | Uint8Array | null): ReadRepositoryConfig {
  if (text === null) return { config: DEFAULT_REPOSITORY_CONFIG, problems: [] };
  if (text.length > MAX_CHARS) {
    return refuse([
      wholeFile("The file is larger than 64 KB.", "Keep what you need; few settings have one."),
    ]);
  }
  const decoded = decodeText(text);
  if (decoded.kind === "unreadable") return refuse([decoded.problem]);
  const lines = splitLines(decoded.text);
  const { source, problems: misread } = inWordsOfConfig(readYaml(lines, { from: 0, to: lines.count }));
  if (!source) return refuse(misread);
  const written = source.value ?? null;
  if (written === null && misread.length === 0) return { config: DEFAULT_REPOSITORY_CONFIG, problems: [] };
  const reporter = createReporter((at) => ({ path: formatPath(at), line: source.lineOf(at), file: null }));
  const parsed = writtenConfigSchema.safeParse(written);
  if (!parsed.success) reportConfigShape(parsed.error.issues, written, reporter);
  checkLabels(written, LABEL_FIELDS, reporter);
  const problems = [...misread, ...reporter.problems];
  if (problems.some(({ severity }) => severity === "error") || !parsed.success) return refuse(problems);
  return { config: fillIn(parsed.data), problems: sortProblems(problems) };
}

function refuse(problems: readonly Problem[]): ReadRepositoryConfig {
  return { config: null, problems: cutProblems(sortProblems(problems)) };
}

function wholeFile(message: string, fix: string): Problem {
  return { severity: "error", path: "", line: null, message, fix };
}

/** The reader of YAML speaks of plans. */
function inWordsOfConfig({ source, problems }: ReadYaml): ReadYaml {
  return {
    source,
    problems: problems.map((one) => ({ ...one, fix: one.fix.replace(/^A plan needs/, "The file needs") })),
  };
}

function fillIn(written: WrittenConfig): RepositoryConfig {
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
    runsOn: written.runs_on ?? usual.runsOn,
    protectedPaths: written.protected_paths ?? usual.protectedPaths,
    gate: written.gate ?? usual.gate,
    autoRun: written.auto_run ?? usual.autoRun,
    notify: { panel: notify?.panel ?? usual.notify.panel },
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
