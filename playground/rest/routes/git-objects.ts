import { notFound } from "../../model/refusal.ts";
import { type Answer, ok, type RepoCall, type Route } from "../call.ts";
import { textParam } from "../read-fields.ts";
import { nodeId, repoApiUrl } from "../shape/addresses.ts";
import { commitShape } from "../shape/commit.ts";

const READ = { permission: ["contents"], level: "read" } as const;

export const GIT_OBJECT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/git/commits/{commit_sha}",
    scope: "repository",
    needs: READ,
    handle: getCommit,
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/git/blobs/{file_sha}",
    scope: "repository",
    needs: READ,
    handle: getBlob,
  },
];

async function getCommit(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const found = await world.git.commit(repository.gitDir, textParam(call, "commit_sha"));
  if (!found) throw notFound();
  const { sha, node_id, html_url, parents, commit } = commitShape(world, repository, found);
  const { url, author, committer, message, tree, verification } = commit;
  return ok({ sha, node_id, url, html_url, author, committer, message, tree, parents, verification });
}

async function getBlob(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const sha = textParam(call, "file_sha");
  const bytes = await world.git.blob(repository.gitDir, sha);
  if (!bytes) throw notFound();
  return ok({
    sha,
    node_id: nodeId("Blob", sha),
    url: repoApiUrl(world, repository, `/git/blobs/${sha}`),
    size: bytes.length,
    content: Buffer.from(bytes).toString("base64"),
    encoding: "base64",
  });
}
