import { asyncMerge, pollAsyncMerge } from "../../model/pulls/async-merge.ts";
import { mergePull } from "../../model/pulls/merge-pull.ts";
import { notFound } from "../../model/refusal.ts";
import type { AsyncMerge, MergeMethod } from "../../model/types.ts";
import { type Answer, noContent, ok, type RepoCall, type Route } from "../call.ts";
import { oneOf, optionalText, textParam } from "../read-fields.ts";
import { pullOf } from "./pulls.ts";

const ONE = "/repos/{owner}/{repo}/pulls/{pull_number}";
/** Merging writes commits, so that it needs contents, not pull_requests. */
const MERGE = { permission: ["contents"], level: "write", role: "write" } as const;
const METHODS: readonly MergeMethod[] = ["merge", "squash", "rebase"];

export const MERGING_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: `${ONE}/merge`,
    scope: "repository",
    needs: { permission: ["pull_requests", "contents"], level: "read" },
    handle: (call) => {
      if (!pullOf(call).pull.merged) throw notFound();
      return noContent();
    },
  },
  {
    method: "PUT",
    path: `${ONE}/merge`,
    scope: "repository",
    needs: MERGE,
    createsContent: true,
    handle: mergeNow,
  },
  {
    method: "PUT",
    path: `${ONE}/merge-async`,
    scope: "repository",
    needs: MERGE,
    createsContent: true,
    handle: mergeLater,
  },
  {
    method: "GET",
    path: `${ONE}/merge-async/{uuid}`,
    scope: "repository",
    needs: { permission: ["pull_requests", "contents"], level: "read" },
    handle: async (call) => {
      const merge = await pollAsyncMerge(call.world, call.repository, textParam(call, "uuid"));
      if (merge.pull !== pullOf(call).number) throw notFound();
      return ok(resultShape(merge));
    },
  },
];

async function mergeNow(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by, viaApp } = call;
  const { sha } = await mergePull(world, repository, pullOf(call), {
    by,
    viaApp,
    method: oneOf(body, "merge_method", METHODS) ?? "merge",
    sha: optionalText(body, "sha"),
    title: optionalText(body, "commit_title"),
    message: optionalText(body, "commit_message"),
  });
  return ok({ sha, merged: true, message: "Pull Request successfully merged" });
}

function mergeLater(call: RepoCall): Answer {
  const { world, repository, body, by } = call;
  const method = oneOf(body, "merge_method", METHODS);
  const action = oneOf(body, "merge_action", ["default", "direct_merge", "merge_queue"]);
  const answer = asyncMerge(world, repository, pullOf(call), {
    by,
    sha: optionalText(body, "sha"),
    ...(method && { method }),
    ...(action && { action }),
  });
  switch (answer.kind) {
    case "accepted":
      return { status: 202, body: resultShape(answer.merge) };
    case "running":
      return { status: 409, body: resultShape(answer.merge) };
    case "merged":
      return ok({
        status: "merged",
        details: { message: "Pull request is already merged", sha: answer.sha },
      });
    case "in-queue":
      return ok({ status: "enqueued", details: { message: "Pull request is already in a merge queue" } });
    case "impossible":
      return { status: 400, body: { status: "failed", details: { message: answer.message } } };
  }
}

function resultShape(merge: AsyncMerge) {
  const message = merge.message ?? "Merge request is pending";
  if (merge.status === "merged") return { status: merge.status, details: { message, sha: merge.mergeSha } };
  if (merge.status !== "pending") return { status: merge.status, details: { message } };
  return {
    status: merge.status,
    details: {
      message,
      uuid: merge.uuid,
      merge_method: merge.method,
      merge_action: merge.action,
      expected_head_sha: merge.sha,
    },
  };
}
