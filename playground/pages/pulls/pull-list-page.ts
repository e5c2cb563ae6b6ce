import { isPull } from "../../model/find.ts";
import { issueRows } from "../parts/issue-rows.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";

export function pullListPage(visit: RepositoryVisit): Answer {
  const pulls = [...visit.repository.issues.values()].filter(isPull);
  return page(`Pull requests · ${visit.repository.name}`, issueRows(visit, pulls, "pulls"));
}
