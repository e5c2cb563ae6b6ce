import { UserError } from "../errors.ts";
import type { RunSettings } from "../run/events.ts";
import { hostProblem } from "../sandbox/host-problem.ts";
import { quote } from "../verify/quote.ts";
import { DEFAULTS, PACKAGE_REGISTRIES } from "./defaults.ts";
import { type Environment, KNOWN_HARNESSES } from "./harness-settings.ts";
import { parseRoutes } from "./parse-routes.ts";
import { TIERS } from "./routing.ts";
import { createVariables, type Variables } from "./variables.ts";

/** "No limit" as a number that no plan reaches. */
const UNLIMITED = 10_000;

export type Flags = { readonly harness: string | null; readonly maxParallel: number | null };
export type SettingsResult = { readonly settings: RunSettings; readonly warnings: readonly string[] };

/** Flags win over the plan, the plan over the environment, the environment over the defaults. A malformed variable is a warning, not an end. */
export function readSettings(
  env: Environment,
  flags: Flags,
  plan: { maxParallel: number | null },
): SettingsResult {
  const variables = createVariables(env);
  const { number, seconds, word } = variables;
  const [base, max] = seconds("LOOM_RETRY_BACKOFF", [DEFAULTS.backoffSecs.base, DEFAULTS.backoffSecs.max]);
  const parallel =
    flags.maxParallel ??
    plan.maxParallel ??
    Math.floor(number("LOOM_MAX_CONCURRENT", DEFAULTS.maxParallel, 0));
  const settings: RunSettings = {
    harness: flags.harness ?? chooseHarness(env),
    harnessWins: flags.harness !== null,
    maxParallel: parallel === 0 ? UNLIMITED : parallel,
    retries: Math.floor(number("LOOM_MAX_RETRIES", DEFAULTS.retries, 0)),
    timeoutSecs: number("LOOM_TIMEOUT", DEFAULTS.timeoutSecs, 0.001),
    planTimeoutSecs: number("LOOM_PLAN_TIMEOUT", DEFAULTS.planTimeoutSecs, 0.001),
    noProgressSecs: number("LOOM_NO_PROGRESS_SECS", DEFAULTS.noProgressSecs, 0),
    transientDelaysSecs: seconds("LOOM_RETRY_DELAYS", DEFAULTS.transientDelaysSecs),
    backoffSecs: { base: base ?? DEFAULTS.backoffSecs.base, max: max ?? base ?? DEFAULTS.backoffSecs.max },
    effort: word("LOOM_EFFORT", DEFAULTS.effort, TIERS),
    planEffort: word("LOOM_PLAN_EFFORT", DEFAULTS.planEffort, TIERS),
    contract: word("LOOM_CONTRACT", DEFAULTS.contract, CONTRACTS),
    maxTurns: variables.wholeNumber("LOOM_MAX_TURNS", DEFAULTS.maxTurns),
    fallback: variables.words("LOOM_FALLBACK", [], (name) =>
      KNOWN_HARNESSES.some((known) => known === name) ? null : `${quote(name)} is not a harness.`,
    ),
    routes: readRoutes(env, variables),
    network: readNetwork(variables),
    limits: readLimits(variables),
  };
  return { settings, warnings: variables.warnings };
}

export const CONTRACTS = ["off", "warn", "enforce"] as const;
export type Contract = (typeof CONTRACTS)[number];

export function chooseHarness(env: Environment): string {
  if (env.LOOM_HARNESS) return env.LOOM_HARNESS;
  if (env.LOOM_COMMAND_BIN) return "command";
  if (env.LOOM_SCRIPT) return "scripted";
  throw new UserError("No agent is chosen.", {
    next:
      "Set LOOM_HARNESS to claude, codex, gemini or opencode; or LOOM_COMMAND_BIN to a program that " +
      "works in the current folder and reads its task from standard input, or LOOM_SCRIPT to a script for the scripted agent (`npm run demo` shows one).",
    exitCode: 2,
  });
}

function readRoutes(env: Environment, { warn }: Variables): NonNullable<RunSettings["routes"]> {
  const { routes, problems } = parseRoutes(env.LOOM_ROUTES ?? "");
  for (const problem of problems) warn(`LOOM_ROUTES: ${problem} It is passed over.`);
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
