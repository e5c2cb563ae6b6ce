import { UserError } from "../../errors.ts";
import { hostProblem } from "../../network/host-problem.ts";
import { WEEK } from "../../plan/schema-parts.ts";
import { quote } from "../../text/quote.ts";
import { CHANGE_LIMITS } from "../change-limits.ts";
import { DEFAULTS, PACKAGE_REGISTRIES } from "../defaults.ts";
import { GATE_CHANGES } from "../gate-changes.ts";
import { type Environment, KNOWN_HARNESSES } from "../harness-settings.ts";
import { parseRoutes, routeText } from "../parse-routes.ts";
import { TIERS } from "../routing.ts";
import { readStateDir } from "../run-folder.ts";
import { type RunSettings, SETUP_NETWORKS } from "../run-settings.ts";
import { STRICTNESSES } from "../strictness.ts";
import { createVariables, shown, type Variables } from "./variables.ts";

/** "No limit" as a number that no plan reaches. */
const UNLIMITED = 10_000;

/** Beyond these no number means anything, whoever wrote it; timers of Node, for one, end at once after 24 days. */
const MOST = {
  count: UNLIMITED,
  turns: 1_000_000,
  seconds: WEEK,
  pauses: { each: WEEK, items: 100 },
} as const;

export type Flags = { readonly harness: string | null; readonly maxParallel: number | null };
export type SettingsResult = {
  readonly settings: RunSettings;
  /** `sequential` is in the settings already; `ask` is a question to whoever starts the run. */
  readonly executionMode: ExecutionMode;
  readonly warnings: readonly string[];
  /** By name, for those who look at settings. */
  readonly used: Variables["used"];
};

export const EXECUTION_MODES = ["parallel", "sequential", "ask"] as const;
export type ExecutionMode = (typeof EXECUTION_MODES)[number];

/** Flags win over the plan, the plan over the environment, the environment over the defaults. A malformed variable is a warning, not an end. */
export function readSettings(
  env: Environment,
  flags: Flags,
  plan: { maxParallel: number | null },
): SettingsResult {
  const variables = createVariables(env);
  const { amount, count, positive, seconds, word } = variables;
  const [base, max] = seconds(
    "LOOM_RETRY_BACKOFF",
    [DEFAULTS.backoffSecs.base, DEFAULTS.backoffSecs.max],
    MOST.pauses,
  );
  const executionMode = word("LOOM_EXECUTION_MODE", DEFAULTS.executionMode, EXECUTION_MODES);
  const most = count("LOOM_MAX_CONCURRENT", DEFAULTS.maxParallel, MOST.count);
  const parallel = flags.maxParallel ?? (executionMode === "sequential" ? 1 : (plan.maxParallel ?? most));
  const settings: RunSettings = {
    harness: flags.harness ?? chooseHarness(env),
    harnessWins: flags.harness !== null,
    maxParallel: parallel === 0 ? UNLIMITED : parallel,
    retries: count("LOOM_MAX_RETRIES", DEFAULTS.retries, MOST.count),
    timeoutSecs: positive("LOOM_TIMEOUT", DEFAULTS.timeoutSecs, MOST.seconds),
    planTimeoutSecs: positive("LOOM_PLAN_TIMEOUT", DEFAULTS.planTimeoutSecs, MOST.seconds),
    noProgressSecs: amount("LOOM_NO_PROGRESS_SECS", DEFAULTS.noProgressSecs, MOST.seconds),
    transientDelaysSecs: seconds("LOOM_RETRY_DELAYS", DEFAULTS.transientDelaysSecs, MOST.pauses),
    backoffSecs: { base: base ?? DEFAULTS.backoffSecs.base, max: max ?? base ?? DEFAULTS.backoffSecs.max },
    effort: word("LOOM_EFFORT", DEFAULTS.effort, TIERS),
    planEffort: word("LOOM_PLAN_EFFORT", DEFAULTS.planEffort, TIERS),
    contract: word("LOOM_CONTRACT", DEFAULTS.contract, CONTRACTS),
    strictness: word("LOOM_VALIDATION_STRICTNESS", DEFAULTS.strictness, STRICTNESSES),
    gateChanges: word("LOOM_GATE_CHANGES", DEFAULTS.gateChanges, GATE_CHANGES),
    stateDir: chooseStateDir(env, variables),
    autoArchive: word("LOOM_AUTO_ARCHIVE", `${DEFAULTS.autoArchive}`, ["true", "false"]) === "true",
    maxTurns: variables.wholeNumber("LOOM_MAX_TURNS", DEFAULTS.maxTurns, MOST.turns),
    fallback: variables.words("LOOM_FALLBACK", [], (name) =>
      KNOWN_HARNESSES.some((known) => known === name) ? null : `${quote(name)} is not a harness.`,
    ),
    routes: readRoutes(env, variables),
    network: readNetwork(variables),
    repositoryNetwork: { agent: [], setup: [], checks: [] },
    setupNetwork: word("LOOM_SETUP_NETWORK", DEFAULTS.setupNetwork, SETUP_NETWORKS),
    limits: readLimits(variables),
    change: {
      files: variables.wholeNumber("LOOM_LIMIT_CHANGE_FILES", CHANGE_LIMITS.files),
      megabytes: variables.wholeNumber("LOOM_LIMIT_CHANGE_MB", CHANGE_LIMITS.megabytes),
    },
  };
  return { settings, executionMode, warnings: variables.warnings, used: variables.used };
}

function chooseStateDir(env: Environment, { warn, took }: Pick<Variables, "warn" | "took">): string {
  const written = env.LOOM_STATE_DIR?.trim();
  if (!written) return DEFAULTS.stateDir;
  const read = readStateDir(written);
  if (read.kind === "folder") {
    took("LOOM_STATE_DIR", read.path);
    return read.path;
  }
  warn("LOOM_STATE_DIR", `LOOM_STATE_DIR=${shown(written)} ${read.reason}; using ${DEFAULTS.stateDir}.`);
  return DEFAULTS.stateDir;
}

/** Where runs that are started with this environment leave their documents. */
export function stateDirIn(env: Environment): string {
  return chooseStateDir(env, createVariables(env));
}

export const CONTRACTS = ["off", "warn", "enforce"] as const;
export type Contract = (typeof CONTRACTS)[number];

export function chooseHarness(env: Environment): string {
  const named = env.LOOM_HARNESS?.trim();
  if (named) return named;
  if (env.LOOM_COMMAND_BIN) return "command";
  if (env.LOOM_SCRIPT) return "scripted";
  throw new UserError("No agent is chosen.", {
    next:
      "Set LOOM_HARNESS to claude, codex, gemini or opencode; or LOOM_COMMAND_BIN to a program that " +
      "works in the current folder and reads its task from standard input, or LOOM_SCRIPT to a script for the scripted agent (`npm run demo` shows one).",
    exitCode: 2,
  });
}

function readRoutes(env: Environment, { warn, took }: Variables): NonNullable<RunSettings["routes"]> {
  const { routes, problems } = parseRoutes(env.LOOM_ROUTES ?? "");
  for (const problem of problems) warn("LOOM_ROUTES", `LOOM_ROUTES: ${problem} It is passed over.`);
  if (env.LOOM_ROUTES !== undefined) took("LOOM_ROUTES", routes.map(routeText).join(","));
  return [...routes];
}

/** What else may be reached, by what reaches for it; the model of a harness needs no entry. */
function readNetwork({ words }: Variables): NonNullable<RunSettings["network"]> {
  return {
    agent: words("LOOM_ALLOWED_DOMAINS", [], hostProblem),
    setup: words("LOOM_SETUP_DOMAINS", PACKAGE_REGISTRIES, hostProblem),
    checks: words("LOOM_CHECK_DOMAINS", [], hostProblem),
  };
}

function readLimits({ wholeNumber }: Variables): NonNullable<RunSettings["limits"]> {
  const { processes, memoryMb, fileMb, diskMb } = DEFAULTS.limits;
  return {
    processes: wholeNumber("LOOM_LIMIT_PROCESSES", processes),
    memoryMb: wholeNumber("LOOM_LIMIT_MEMORY_MB", memoryMb),
    fileMb: wholeNumber("LOOM_LIMIT_FILE_MB", fileMb),
    diskMb: wholeNumber("LOOM_LIMIT_DISK_MB", diskMb),
  };
}
