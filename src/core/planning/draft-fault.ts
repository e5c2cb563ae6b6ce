/** What is asked of a planner beyond what makes a plan valid. A note never goes back: people are told, and decide. */
export type DraftFault = { readonly severity: "error" | "warning" | "note"; readonly text: string };
