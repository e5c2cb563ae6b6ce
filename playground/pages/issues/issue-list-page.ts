import { isPull } from "../../model/find.ts";
import { issueRows } from "../parts/issue-rows.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";

export function issueListPage(visit: RepositoryVisit): Answer {
  const issues = [...visit.repository.issues.values()].filter((issue) => !isPull(issue));
  return page(`Issues · ${visit.repository.name}`, issueRows(visit, issues, "issues"));
}
