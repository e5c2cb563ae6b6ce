import { type CheckRunFields, createCheckRun } from "../../model/checks/create-check-run.ts";
import { rerequestCheckRun } from "../../model/checks/rerequest-check-run.ts";
import { findCheckRun, updateCheckRun } from "../../model/checks/update-check-run.ts";
import { Refusal } from "../../model/refusal.ts";
import { processQueue } from "../../model/stacks/process-queue.ts";
import type { CheckRun, Conclusion } from "../../model/types.ts";
import { type Answer, created, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import {
  instantField,
  listField,
  numberParam,
  objectField,
  oneOf,
  optionalText,
  textField,
  textParam,
} from "../read-fields.ts";
import { checkRunShape } from "../shape/check-run.ts";

const READ = { permission: ["checks"], level: "read" } as const;
const WRITE = { permission: ["checks"], level: "write" } as const;
const ONE = "/repos/{owner}/{repo}/check-runs/{check_run_id}";
const CONCLUSIONS: readonly Conclusion[] = [
  "success",
  "failure",
  "neutral",
  "cancelled",
  "timed_out",
  "action_required",
  "skipped",
];

export const CHECK_RUN_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/repos/{owner}/{repo}/check-runs",
    scope: "repository",
    needs: WRITE,
    handle: create,
  },
  {
    method: "GET",
    path: ONE,
    scope: "repository",
    needs: READ,
    handle: (call) => ok(checkRunShape(call.world, call.repository, runOf(call))),
  },
  { method: "PATCH", path: ONE, scope: "repository", needs: WRITE, handle: update },
  {
    method: "POST",
    path: `${ONE}/rerequest`,
    scope: "repository",
    needs: { ...WRITE, role: "write" },
    handle: (call) => {
      rerequestCheckRun(call.world, call.repository, runOf(call), { by: call.by });
      return created({});
    },
  },
  {
    method: "GET",
    path: `${ONE}/annotations`,
    scope: "repository",
    needs: READ,
    handle: (call) => paginate(call, runOf(call).annotations, (annotation) => annotationShape(annotation)),
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/commits/{ref}/check-runs",
    scope: "repository",
    needs: READ,
    handle: async (call) => {
      const sha = await commitOf(call);
      return listRuns(
        call,
        call.repository.checkRuns.filter((run) => run.headSha === sha),
      );
    },
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs",
    scope: "repository",
    needs: READ,
    handle: (call) => {
      const suite = numberParam(call, "check_suite_id");
      return listRuns(
        call,
        call.repository.checkRuns.filter((run) => run.suite === suite),
      );
    },
  },
];

/** The commit that `{ref}` names: a sha, a branch, or `heads/…`. */
export async function commitOf(call: RepoCall): Promise<string> {
  const ref = textParam(call, "ref");
  const name = /^(?:heads|tags)\//.test(ref) ? `refs/${ref}` : ref;
  const sha = await call.world.git.resolve(call.repository.gitDir, name);
  if (sha === null) throw new Refusal(422, `No commit found for SHA: ${ref}`);
  return sha;
}

function runOf(call: RepoCall): CheckRun {
  return findCheckRun(call.repository, numberParam(call, "check_run_id"));
}

function appOf(call: RepoCall): number {
  if (call.viaApp === null) throw new Refusal(403, "You must authenticate via a GitHub App.");
  return call.viaApp;
}

async function create(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by } = call;
  const run = await createCheckRun(world, repository, {
    ...readFields(call),
    by,
    app: appOf(call),
    name: textField(body, "name"),
    headSha: textField(body, "head_sha"),
  });
  await moveQueues(call, run);
  return created(checkRunShape(world, repository, run));
}

async function update(call: RepoCall): Promise<Answer> {
  const { world, repository, by } = call;
  const run = runOf(call);
  if (run.app !== appOf(call))
    throw new Refusal(
      403,
      "Invalid app_id `" +
        `${run.app}` +
        "` - check run can only be modified by the GitHub App that created it.",
    );
  updateCheckRun(world, repository, run, { ...readFields(call), by });
  await moveQueues(call, run);
  return ok(checkRunShape(world, repository, run));
}

/** A check on a merge group lets its queue move. */
async function moveQueues({ world, repository }: RepoCall, run: CheckRun): Promise<void> {
  for (const [branch, entries] of repository.mergeQueues) {
    if (run.status !== "completed" || !entries.some((entry) => entry.headSha === run.headSha)) continue;
    await processQueue(world, repository, branch);
  }
}

function readFields({ body }: RepoCall): CheckRunFields {
  const externalId = optionalText(body, "external_id");
  const detailsUrl = optionalText(body, "details_url");
  const status = oneOf(body, "status", ["queued", "in_progress", "completed"]);
  const conclusion = oneOf(body, "conclusion", CONCLUSIONS);
  const startedAt = instantField(body, "started_at");
  const completedAt = instantField(body, "completed_at");
  const output = objectField(body, "output");
  const actions = listField(body, "actions") as CheckRun["actions"] | undefined;
  return {
    ...(externalId !== undefined && { externalId }),
    ...(detailsUrl !== undefined && { detailsUrl }),
    ...(status && { status }),
    ...(conclusion && { conclusion }),
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    ...(output && { output }),
    ...(actions && { actions }),
  };
}

function listRuns(call: RepoCall, runs: readonly CheckRun[]) {
  const { world, repository, query } = call;
  const found = runs
    .filter((run) => query.check_name === undefined || run.name === query.check_name)
    .filter((run) => query.app_id === undefined || String(run.app) === query.app_id)
    .filter((run) => query.status === undefined || run.status === query.status)
    .filter((run, _, all) => query.filter === "all" || isLatest(run, all));
  return paginate(
    call,
    found.toReversed(),
    (run) => checkRunShape(world, repository, run),
    (check_runs, total_count) => ({ total_count, check_runs }),
  );
}

/** One per name and suite unless all are asked for. */
function isLatest(run: CheckRun, all: readonly CheckRun[]): boolean {
  return all.findLast((other) => other.name === run.name && other.suite === run.suite) === run;
}

function annotationShape(annotation: unknown) {
  const defaults = { start_column: null, end_column: null, title: null, raw_details: null, blob_href: "" };
  return { ...defaults, ...(annotation as object) };
}
