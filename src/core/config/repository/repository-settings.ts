import type { ResolvedSetting } from "../settings/resolve-settings.ts";
import { DEFAULT_REPOSITORY_CONFIG, type RepositoryConfig } from "./repository-config.ts";

type Row = readonly [name: string, read: (config: RepositoryConfig) => string | number, about: string];

const ROWS: readonly Row[] = [
  ["planner.degraded", ({ planner }) => planner.degraded, "when no sound plan comes out"],
  ["planner.depth", ({ planner }) => planner.depth, "how much is designed first"],
  ["planner.mode", ({ planner }) => planner.mode, "how much of a draft Loom fixes itself"],
  [
    "planner.remind_after_hours",
    ({ planner }) => planner.remindAfterSecs / 3600,
    "when GitHub reminds of questions",
  ],
  [
    "planner.default_after_hours",
    ({ planner }) => planner.defaultAfterSecs / 3600,
    "when their defaults are taken",
  ],
  ["planner.budget_usd", ({ planner }) => planner.budgetUsd, "what making one plan may cost"],
  [
    "commands.budget_usd",
    ({ commands }) => commands.budgetUsd,
    "what one review, answer and its like may cost",
  ],
  ["commands.timeout_secs", ({ commands }) => commands.timeoutSecs, "how long that may take"],
];

/**
 * What `.github/loom.yml` alone decides about the work of one agent, also in a terminal. What it writes down as it would be
 * anyway counts as the default: nobody has to change it there to get what they have.
 */
export function repositorySettings(config: RepositoryConfig): ResolvedSetting[] {
  return ROWS.map(([name, read, about]) => {
    const [value, usual] = [String(read(config)), String(read(DEFAULT_REPOSITORY_CONFIG))];
    const source = value === usual ? "default" : "repository";
    return { name, about, group: "runs", default: usual, source, value, problem: null };
  });
}
