/** Why a proved stage is not merged yet, and what would help. */
export const waits = {
  person: (): { reason: string; next: string } => ({
    reason: "It is proved and waits to be merged.",
    next: "Review and merge its pull request.",
  }),
  gateChanged: (why: string): { reason: string; next: string } => ({
    reason: why,
    next: "Loom does not merge it by itself: look at what it changes there. If that is right, merge its pull request; if not, close it.",
  }),
  folded: (pr: number, into: string, below: number | null): { reason: string; next: string } => ({
    reason: `#${pr} was merged into the branch of ${into}, so it comes in with ${below === null ? into : `#${below}`}.`,
    next: `Review and merge ${below === null ? into : `#${below}`}.`,
  }),
  parents: (files: readonly string[]): { reason: string; next: string } => ({
    reason: `The stages it builds on change the same lines of ${files.slice(0, 5).join(", ")}.`,
    next: "Merge one of them; this stage follows by itself.",
  }),
  provedApart: (): string =>
    "The checks failed on top of work that is not merged yet; they run again without it.",
};
