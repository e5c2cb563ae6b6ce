import { shortSha } from "../terminal/run-counts.ts";

/** Who did something, or why something no longer counts, as it stands in the ledger and on the panel. */
export const observations = {
  closedPlan: (pr: number): string => `closing #${pr}`,
  closedIssue: (issue: number): string => `closing #${issue}`,
  reopened: (pr: number): string => `reopening #${pr}`,
  mergedInto: (pr: number): string => `whoever merged #${pr}`,
  planMoved: (from: string, to: string): string =>
    `somebody pushed to the plan after it was approved (${shortSha(from)} → ${shortSha(to)}).`,
  labelRemoved: (label: string): string => `the label \`${label}\` was removed.`,
  appRemoved: (): string => "removing the App",
  appSuspended: (): string => "The App is suspended.",
};
