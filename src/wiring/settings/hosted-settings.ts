import { joinRepository } from "../../core/config/repository/join-repository.ts";
import type { RunSettings } from "../../core/config/run-settings.ts";
import { settingTexts } from "../../core/config/settings/setting-texts.ts";
import { readSettings } from "../../core/config/settings/settings.ts";
import type { SettingsWish } from "../../engine/github/host.ts";
import type { Env } from "./env.ts";

/** What a repository asks for wins over the operator's environment, and a person's wish over both, within its limits. */
export function hostedSettings(env: Env, { config, plan, harness, budgetUsd }: SettingsWish): RunSettings {
  const flags = { harness: harness ?? config.harness, maxParallel: null };
  const read = readSettings(env, flags, { maxParallel: plan.maxParallel });
  const settings = joinRepository(read.settings, config);
  const { limits } = config;
  const budgets = [budgetUsd, limits.budgetUsd].filter((usd) => usd !== null);
  return {
    ...settings,
    // Only a person's own wish overrules what stages name.
    harnessWins: harness !== null,
    maxParallel: Math.min(settings.maxParallel, limits.maxParallel),
    retries: Math.min(settings.retries, limits.retries),
    timeoutSecs: Math.min(settings.timeoutSecs, limits.timeoutSecs),
    budgetUsd: budgets.length > 0 ? Math.min(...budgets) : null,
    runsOn: config.runsOn,
  };
}

/** What is wrong with the operator's variables, told when a service starts: who asks for a run could not fix it. */
export function settingsWarnings(env: Env): readonly string[] {
  // Which agent is the usual one does not matter here; without one, only runs that name none are refused.
  const flags = { harness: "any", maxParallel: null };
  const { warnings, executionMode } = readSettings(env, flags, { maxParallel: null });
  return executionMode === "ask" ? [...warnings, settingTexts.nobodyToAskInService()] : warnings;
}
