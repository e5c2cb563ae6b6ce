import { isPull } from "../model/find.ts";
import { atLeast } from "../model/people/role.ts";
import { Refusal } from "../model/refusal.ts";
import type { Issue, Role } from "../model/types.ts";
import type { RepositoryVisit } from "./visit.ts";

/**
 * What each role may do. Pages ask it which buttons to show, and the forms behind the buttons ask again, because a
 * request need not come from a button.
 */
const NEEDED = {
  comment: "read",
  react: "read",
  review: "read",
  label: "triage",
  triage: "triage",
  merge: "write",
  runChecks: "write",
  deleteBranch: "write",
  editOthers: "write",
  redeliver: "admin",
} as const satisfies Record<string, Role>;

export type Deed = keyof typeof NEEDED;

export function may(visit: RepositoryVisit, deed: Deed): boolean {
  return atLeast(visit.role, NEEDED[deed]);
}

export function mustBeAllowed(visit: RepositoryVisit, deed: Deed): void {
  if (may(visit, deed)) return;
  throw new Refusal(
    403,
    `${visit.viewer} has the role "${visit.role}" here; this needs "${NEEDED[deed]}". View as somebody else at the top right.`,
  );
}

/** Authors close and reopen what they opened; everybody else needs to be able to triage. */
export function mayChangeState(visit: RepositoryVisit, issue: Issue): boolean {
  if (isPull(issue) && issue.pull.merged) return false;
  return visit.viewer === issue.author || may(visit, "triage");
}

export function mayComment(visit: RepositoryVisit, issue: Issue): boolean {
  return may(visit, issue.locked ? "merge" : "comment");
}
