import { rerequestSuite } from "../../model/checks/rerequest-suite.ts";
import { notFound } from "../../model/refusal.ts";
import type { CheckSuite } from "../../model/types.ts";
import { created, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { numberParam } from "../read-fields.ts";
import { checkSuiteShape } from "../shape/check-suite.ts";
import { commitOf } from "./check-runs.ts";

const ONE = "/repos/{owner}/{repo}/check-suites/{check_suite_id}";

export const CHECK_SUITE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/commits/{ref}/check-suites",
    scope: "repository",
    needs: { permission: ["checks"], level: "read" },
    handle: async (call) => {
      const { world, repository, query } = call;
      const sha = await commitOf(call);
      const found = repository.checkSuites
        .filter((suite) => suite.headSha === sha)
        .filter((suite) => query.app_id === undefined || String(suite.app) === query.app_id);
      return paginate(
        call,
        found,
        (suite) => checkSuiteShape(world, repository, suite),
        (check_suites, total_count) => ({ total_count, check_suites }),
      );
    },
  },
  {
    method: "GET",
    path: ONE,
    scope: "repository",
    needs: { permission: ["checks"], level: "read" },
    handle: async (call) => ok(await checkSuiteShape(call.world, call.repository, suiteOf(call))),
  },
  {
    method: "POST",
    path: `${ONE}/rerequest`,
    scope: "repository",
    needs: { permission: ["checks"], level: "write", role: "write" },
    handle: (call) => {
      rerequestSuite(call.world, call.repository, suiteOf(call), { by: call.by });
      return created({});
    },
  },
];

function suiteOf(call: RepoCall): CheckSuite {
  const id = numberParam(call, "check_suite_id");
  const found = call.repository.checkSuites.find((suite) => suite.id === id);
  if (!found) throw notFound();
  return found;
}
