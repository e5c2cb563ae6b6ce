import { notFound, Refusal } from "../../model/refusal.ts";
import { type Answer, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { textParam } from "../read-fields.ts";
import { repoApiUrl, repoHtmlUrl } from "../shape/addresses.ts";
import { commitShape, diffEntryShape } from "../shape/commit.ts";
import { commitOf } from "./check-runs.ts";

const READ = { permission: ["contents"], level: "read" } as const;

export const COMMIT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/commits",
    scope: "repository",
    needs: READ,
    handle: listCommits,
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/commits/{ref}",
    scope: "repository",
    needs: READ,
    handle: getCommit,
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/compare/{basehead}",
    scope: "repository",
    needs: READ,
    handle: compare,
  },
];

/** Enough for any page that is asked for here. */
const MOST = 1000;

async function listCommits(call: RepoCall): Promise<Answer> {
  const { world, repository, query } = call;
  const to = await world.git.resolve(repository.gitDir, query.sha ?? repository.defaultBranch);
  if (to === null && query.sha !== undefined) throw notFound();
  if (to === null) throw new Refusal(409, "Git Repository is empty.");
  const path = query.path;
  const commits = await world.git.commits(repository.gitDir, { to, limit: MOST, ...(path && { path }) });
  return paginate(call, commits, (commit) => commitShape(world, repository, commit));
}

async function getCommit(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const sha = await commitOf(call);
  const commit = await world.git.commit(repository.gitDir, sha);
  if (!commit) throw notFound();
  const parent = commit.parents[0] ?? null;
  if (call.accept.includes("diff")) {
    const text = await world.git.diff(repository.gitDir, parent, sha);
    return {
      status: 200,
      body: text,
      headers: { "content-type": "application/vnd.github.v3.diff; charset=utf-8" },
    };
  }
  const files = await world.git.changedFiles(repository.gitDir, parent, sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return ok({
    ...commitShape(world, repository, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.map((file) => diffEntryShape(world, repository, sha, file)),
  });
}

/** `base...head`; either side may be `owner:branch` of this repository's network. */
async function compare(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const { git } = world;
  const [one = "", other = ""] = textParam(call, "basehead").split("...");
  const base = await sideOf(call, one);
  const head = await sideOf(call, other);
  const common = await git.mergeBase(repository.gitDir, base, head);
  if (common === null) throw new Refusal(404, `No common ancestor between ${one} and ${other}.`);
  const ahead = await git.commits(repository.gitDir, { from: base, to: head });
  const behind = await git.commits(repository.gitDir, { from: head, to: base });
  if (call.accept.includes("diff")) {
    const text = await git.diff(repository.gitDir, common, head);
    return {
      status: 200,
      body: text,
      headers: { "content-type": "application/vnd.github.v3.diff; charset=utf-8" },
    };
  }
  const shape = async (sha: string) => {
    const commit = await git.commit(repository.gitDir, sha);
    if (!commit) throw notFound();
    return commitShape(world, repository, commit);
  };
  const files = await git.changedFiles(repository.gitDir, common, head);
  const page = repoHtmlUrl(world, repository, `/compare/${one}...${other}`);
  const oldest = ahead.toReversed();
  return ok({
    url: repoApiUrl(world, repository, `/compare/${one}...${other}`),
    html_url: page,
    permalink_url: repoHtmlUrl(world, repository, `/compare/${base}...${head}`),
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: await shape(base),
    merge_base_commit: await shape(common),
    status: standing(ahead.length, behind.length),
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: oldest.slice(0, 250).map((commit) => commitShape(world, repository, commit)),
    files: files.slice(0, 300).map((file) => diffEntryShape(world, repository, head, file)),
  });
}

async function sideOf({ world, repository }: RepoCall, name: string): Promise<string> {
  const [owner, branch] = name.includes(":")
    ? (name.split(":", 2) as [string, string])
    : [repository.owner, name];
  const place = world.github.repositories.find(
    (one) => one.owner === owner && (one === repository || one.parent === repository.id),
  );
  const sha = place && (await world.git.resolve(place.gitDir, branch));
  if (!place || !sha) throw notFound();
  if (place !== repository) await world.git.fetchFrom(repository.gitDir, place.gitDir, sha);
  return sha;
}

function standing(ahead: number, behind: number): "ahead" | "behind" | "diverged" | "identical" {
  if (ahead > 0) return behind > 0 ? "diverged" : "ahead";
  return behind > 0 ? "behind" : "identical";
}
