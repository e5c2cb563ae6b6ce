import { lowerLimits } from "../../plan/sandbox-rules.ts";
import { DEFAULTS } from "../defaults.ts";
import type { RunSettings } from "../run-settings.ts";
import type { RepositoryConfig } from "./repository-config.ts";

/**
 * The operator's settings as a repository wants them: its own choice of models and of strictness comes first, its hosts
 * come on top, known as its own, and its limits can only lower those of the operator.
 */
export function joinRepository(settings: RunSettings, config: RepositoryConfig): RunSettings {
  const { sandbox } = config;
  const most = settings.limits ?? DEFAULTS.limits;
  const limits = lowerLimits(most, sandbox.limits);
  return {
    ...settings,
    routes: [...config.models, ...(settings.routes ?? [])],
    fallback: config.fallback.length > 0 ? [...config.fallback] : (settings.fallback ?? []),
    effort: config.effort ?? settings.effort ?? DEFAULTS.effort,
    contract: config.contract ?? settings.contract ?? DEFAULTS.contract,
    repositoryNetwork: {
      agent: [...sandbox.network.agent],
      setup: [...sandbox.network.setup],
      checks: [...sandbox.network.checks],
    },
    limits: {
      processes: limits.processes ?? most.processes,
      memoryMb: limits.memoryMb ?? most.memoryMb,
      fileMb: limits.fileMb ?? most.fileMb,
      diskMb: limits.diskMb ?? most.diskMb,
    },
  };
}
