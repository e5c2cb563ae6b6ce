import { UserError } from "../errors.ts";
import type { RunSettings } from "../run/events.ts";

/** The tunables of a local run. Every default stands here and nowhere else. */
export const DEFAULTS = {
  /** LOOM_TIMEOUT: the ceiling of one session. */
  timeoutSecs: 14_400,
  /** LOOM_NO_PROGRESS_SECS: the stall window; 0 turns it off. */
  noProgressSecs: 1_800,
  /** LOOM_RETRY_DELAYS: pauses before another go when the provider was away. */
  transientDelaysSecs: [0, 600, 3_600],
  /** LOOM_RETRY_BACKOFF: first and longest pause after a crash or a timeout. */
  backoffSecs: { base: 30, max: 300 },
  /** LOOM_MAX_RETRIES: further attempts of a stage after the first. */
  retries: 2,
  /** LOOM_MAX_CONCURRENT: agents at a time; 0 lifts the limit. */
  maxParallel: 4,
} as const;

/** "No limit" as a number that no plan reaches. */
const UNLIMITED = 10_000;

export type Flags = { readonly harness: string | null; readonly maxParallel: number | null };
export type SettingsResult = { readonly settings: RunSettings; readonly warnings: readonly string[] };

/** Flags win over the plan, the plan over the environment, the environment over the defaults. A malformed variable is a warning, not an end. */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: Flags,
  plan: { maxParallel: number | null },
): SettingsResult {
  const warnings: string[] = [];
  const number = (name: string, fallback: number, min: number): number => {
    const text = env[name]?.trim();
    if (text === undefined || text === "") return fallback;
    const value = Number(text);
    if (Number.isFinite(value) && value >= min) return value;
    warnings.push(`${name}=${text} is not a number of at least ${min}; using ${fallback}.`);
    return fallback;
  };
  const list = (name: string, fallback: readonly number[]): number[] => {
    const text = env[name];
    if (text === undefined) return [...fallback];
    if (text.trim() === "") return [];
    const values = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
    if (values.every((value) => Number.isFinite(value) && value >= 0)) return values;
    warnings.push(
      `${name}=${text} is not a list of seconds such as 0,600,3600; using ${fallback.join(",")}.`,
    );
    return [...fallback];
  };
  const [base, max] = list("LOOM_RETRY_BACKOFF", [DEFAULTS.backoffSecs.base, DEFAULTS.backoffSecs.max]);
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
    noProgressSecs: number("LOOM_NO_PROGRESS_SECS", DEFAULTS.noProgressSecs, 0),
    transientDelaysSecs: list("LOOM_RETRY_DELAYS", DEFAULTS.transientDelaysSecs),
    backoffSecs: { base: base ?? DEFAULTS.backoffSecs.base, max: max ?? base ?? DEFAULTS.backoffSecs.max },
  };
  return { settings, warnings };
}

function chooseHarness(env: Readonly<Record<string, string | undefined>>): string {
  if (env.LOOM_HARNESS) return env.LOOM_HARNESS;
  if (env.LOOM_COMMAND_BIN) return "command";
  if (env.LOOM_SCRIPT) return "scripted";
  throw new UserError("No agent is chosen.", {
    next: "Set LOOM_COMMAND_BIN to a program that works in the current folder and reads its task from standard input, or LOOM_SCRIPT to a script for the scripted agent (`npm run demo` shows one).",
    exitCode: 2,
  });
}
