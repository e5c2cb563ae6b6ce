import { requestAction } from "../../model/checks/request-action.ts";
import { rerequestCheckRun } from "../../model/checks/rerequest-check-run.ts";
import type { CheckRun } from "../../model/types.ts";
import { mustBeAllowed } from "../may.ts";
import { type Answer, go, type RepositoryVisit } from "../visit.ts";

export function rerunAction(visit: RepositoryVisit, run: CheckRun): Answer {
  mustBeAllowed(visit, "runChecks");
  rerequestCheckRun(visit.world, visit.repository, run, { by: visit.viewer });
  return go(`${visit.home}/runs/${run.id}?asked=rerun`);
}

export function buttonAction(visit: RepositoryVisit, run: CheckRun): Answer {
  mustBeAllowed(visit, "runChecks");
  const identifier = visit.form.get("identifier") ?? "";
  requestAction(visit.world, visit.repository, run, { by: visit.viewer, identifier });
  return go(`${visit.home}/runs/${run.id}?asked=${encodeURIComponent(identifier)}`);
}
