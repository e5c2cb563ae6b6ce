import { findIssue } from "../../model/find.ts";
import type { Issue } from "../../model/types.ts";
import type { RepoCall } from "../call.ts";
import { numberParam } from "../read-fields.ts";

/** The issue or pull request that `{issue_number}` names. */
export function issueOf(call: RepoCall): Issue {
  return findIssue(call.repository, numberParam(call, "issue_number"));
}

/** Where a pull request is meant, the permission for pull requests is enough. */
export function issueOrPull(call: RepoCall): readonly string[] {
  const issue = call.repository.issues.get(Number(call.params.issue_number));
  return issue?.pull ? ["issues", "pull_requests"] : ["issues"];
}
