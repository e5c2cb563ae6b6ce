import { findPull, fullName, isPull, type PullIssue } from "../../model/find.ts";
import { askMergeable } from "../../model/pulls/ask-mergeable.ts";
import { editPull } from "../../model/pulls/edit-pull.ts";
import { openPull } from "../../model/pulls/open-pull.ts";
import { updateBranch } from "../../model/pulls/update-branch.ts";
import { invalid, notFound } from "../../model/refusal.ts";
import { requestReviewers } from "../../model/reviews/request-reviewers.ts";
import type { Repository } from "../../model/types.ts";
import { type Answer, created, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import {
  listField,
  numberParam,
  oneOf,
  optionalFlag,
  optionalText,
  textField,
  textParam,
} from "../read-fields.ts";
import { repoApiUrl } from "../shape/addresses.ts";
import { commitShape, diffEntryShape } from "../shape/commit.ts";
import { pullShape } from "../shape/pulls/pull.ts";
import { pullSimpleShape } from "../shape/pulls/pull-simple.ts";
import { needsRole, order } from "./issues.ts";

const READ = { permission: ["pull_requests"], level: "read" } as const;
const WRITE = { permission: ["pull_requests"], level: "write" } as const;
const ONE = "/repos/{owner}/{repo}/pulls/{pull_number}";

export const PULL_ROUTES: readonly Route[] = [
  { method: "GET", path: "/repos/{owner}/{repo}/pulls", scope: "repository", needs: READ, handle: listPulls },
  {
    method: "POST",
    path: "/repos/{owner}/{repo}/pulls",
    scope: "repository",
    needs: WRITE,
    createsContent: true,
    handle: createPull,
  },
  { method: "GET", path: ONE, scope: "repository", needs: READ, handle: getPull },
  { method: "PATCH", path: ONE, scope: "repository", needs: WRITE, handle: updatePull },
  {
    method: "PUT",
    path: `${ONE}/update-branch`,
    scope: "repository",
    needs: { ...WRITE, role: "write" },
    handle: async (call) => {
      const expectedHead = optionalText(call.body, "expected_head_sha");
      await updateBranch(call.world, call.repository, pullOf(call), { by: call.by, expectedHead });
      const url = repoApiUrl(call.world, call.repository, `/pulls/${pullOf(call).number}`);
      return { status: 202, body: { message: "Updating pull request branch.", url } };
    },
  },
  {
    method: "POST",
    path: `${ONE}/requested_reviewers`,
    scope: "repository",
    needs: { ...WRITE, role: "write" },
    createsContent: true,
    handle: (call) => {
      const { world, repository, by } = call;
      const reviewers = (listField(call.body, "reviewers") ?? []).map(String);
      requestReviewers(world, repository, pullOf(call), { by, reviewers });
      return created(pullSimpleShape(world, repository, pullOf(call)));
    },
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/commits/{commit_sha}/pulls",
    scope: "repository",
    needs: READ,
    handle: pullsOfCommit,
  },
  { method: "GET", path: `${ONE}/files`, scope: "repository", needs: READ, handle: listFiles },
  { method: "GET", path: `${ONE}/commits`, scope: "repository", needs: READ, handle: listCommits },
];

export function pullOf(call: RepoCall): PullIssue {
  return findPull(call.repository, numberParam(call, "pull_number"));
}

function listPulls(call: RepoCall) {
  const { world, repository, query } = call;
  const state = query.state ?? "open";
  const found = [...repository.issues.values()]
    .filter(isPull)
    .filter((issue) => state === "all" || issue.state === state)
    .filter((issue) => query.base === undefined || issue.pull.baseRef === query.base)
    .filter((issue) => matchesHead(call, issue, query.head));
  return paginate(call, order(found, query), (issue) => pullSimpleShape(world, repository, issue));
}

/** `owner:branch`. GitHub ignores a filter without an owner, which has surprised many: so do we. */
function matchesHead(call: RepoCall, issue: PullIssue, head: string | undefined): boolean {
  if (head === undefined || !head.includes(":")) return true;
  const from = call.world.github.repositories.find((one) => one.id === issue.pull.headRepo);
  return `${from?.owner ?? ""}:${issue.pull.headRef}` === head;
}

async function createPull(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by, viaApp } = call;
  const head = textField(body, "head");
  const text = optionalText(body, "body");
  const draft = optionalFlag(body, "draft");
  const [owner, branch] = head.includes(":")
    ? (head.split(":", 2) as [string, string])
    : [repository.owner, head];
  const issue = await openPull(world, repository, {
    by,
    viaApp,
    title: textField(body, "title"),
    head: branch,
    base: textField(body, "base"),
    headRepository: headRepositoryOf(call, owner, optionalText(body, "head_repo")),
    ...(text !== undefined && { body: text }),
    ...(draft !== undefined && { draft }),
  });
  return created(await pullShape(world, repository, issue));
}

function headRepositoryOf(call: RepoCall, owner: string, name: string | undefined): Repository {
  const { repository, world } = call;
  if (owner === repository.owner && (name === undefined || name === repository.name)) return repository;
  const fork = world.github.repositories.find(
    (one) =>
      one.owner === owner && one.parent === repository.id && (name === undefined || name === fullName(one)),
  );
  if (!fork) throw invalid("PullRequest", "head");
  return fork;
}

/** The one place where somebody asks whether it can be merged. */
async function getPull(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const issue = pullOf(call);
  if (call.accept.includes("diff")) {
    const text = await world.git.diff(repository.gitDir, await mergeBaseOf(call, issue), issue.pull.headSha);
    return {
      status: 200,
      body: text,
      headers: { "content-type": "application/vnd.github.v3.diff; charset=utf-8" },
    };
  }
  await askMergeable(world, repository, issue);
  return ok(await pullShape(world, repository, issue));
}

async function updatePull(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by } = call;
  const issue = pullOf(call);
  needsRole(call, issue.author);
  const title = optionalText(body, "title");
  const text = optionalText(body, "body");
  const base = optionalText(body, "base");
  const state = oneOf(body, "state", ["open", "closed"]);
  await editPull(world, repository, issue, {
    by,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { body: text }),
    ...(base !== undefined && { base }),
    ...(state && { state }),
  });
  return ok(await pullShape(world, repository, issue));
}

async function listFiles(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const issue = pullOf(call);
  const { headSha } = issue.pull;
  const files = await world.git.changedFiles(repository.gitDir, await mergeBaseOf(call, issue), headSha);
  return paginate(call, files, (file) => diffEntryShape(world, repository, headSha, file));
}

async function listCommits(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const { baseSha, headSha } = pullOf(call).pull;
  const commits = await world.git.commits(repository.gitDir, { from: baseSha, to: headSha, limit: 250 });
  return paginate(call, commits.toReversed(), (commit) => commitShape(world, repository, commit));
}

/** Open ones that contain the commit, and the one that brought it in. */
async function pullsOfCommit(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const { git } = world;
  const sha = await git.resolve(repository.gitDir, textParam(call, "commit_sha"));
  if (sha === null) throw notFound();
  const found: PullIssue[] = [];
  for (const issue of [...repository.issues.values()].filter(isPull)) {
    const { baseSha, headSha, mergeCommitSha } = issue.pull;
    const own = await git.commits(repository.gitDir, { from: baseSha, to: headSha });
    if (mergeCommitSha === sha || own.some((commit) => commit.sha === sha)) found.push(issue);
  }
  return paginate(call, found, (issue) => pullSimpleShape(world, repository, issue));
}

function mergeBaseOf(call: RepoCall, issue: PullIssue): Promise<string | null> {
  return call.world.git.mergeBase(call.repository.gitDir, issue.pull.baseSha, issue.pull.headSha);
}
