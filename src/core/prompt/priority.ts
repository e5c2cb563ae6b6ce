/** In which order a prompt that is too long loses its parts: the first of these goes first, the description last. */
const ORDER = [
  "the skills",
  "the diffs",
  "the evidence",
  "what earlier stages left",
  "what the dependencies left",
  "the plan",
  "the knowledge",
  "the hand-off",
  "the dependencies' files",
  "the conflicting files",
  "the owned files",
  "the checks",
  "the failure",
  "the answers",
  "the description",
] as const;

export type PartName = (typeof ORDER)[number];

export function priorityOf(name: PartName): number {
  return ORDER.indexOf(name);
}
