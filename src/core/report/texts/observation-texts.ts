/** Who did something, as it stands in the ledger and on the panel. */
export const observations = {
  closedPlan: (pr: number): string => `closing #${pr}`,
  closedIssue: (issue: number): string => `closing #${issue}`,
  reopened: (pr: number): string => `reopening #${pr}`,
  mergedInto: (pr: number): string => `the person who merged #${pr}`,
  appRemoved: (): string => "removing the App",
};
