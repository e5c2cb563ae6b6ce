import type { GitEntry } from "../../model/model-git.ts";
import { notFound, Refusal } from "../../model/refusal.ts";
import { type Answer, ok, type RepoCall, type Route } from "../call.ts";
import { repoApiUrl, repoHtmlUrl } from "../shape/addresses.ts";

export const CONTENT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/contents/{path}",
    scope: "repository",
    needs: { permission: ["contents"], level: "read" },
    handle: getContents,
  },
];

const LARGEST = 1024 * 1024;

async function getContents(call: RepoCall): Promise<Answer> {
  const { world, repository, query } = call;
  const path = (call.params.path ?? "").replace(/^\/+|(?<!\/)\/+$/g, "");
  const ref = query.ref ?? repository.defaultBranch;
  if ((await world.git.resolve(repository.gitDir, ref)) === null) {
    throw new Refusal(404, `No commit found for the ref ${ref}`);
  }
  const entry = await world.git.entry(repository.gitDir, ref, path);
  if (!entry) throw notFound();
  if (entry.kind === "folder") return ok(entry.entries.map((one) => entryShape(call, ref, one)));
  if (entry.kind === "submodule")
    return ok({
      ...entryShape(call, ref, { ...entry, name: lastName(path), size: 0 }),
      submodule_git_url: null,
    });
  const bytes = Buffer.from((await world.git.blob(repository.gitDir, entry.sha)) ?? []);
  if (call.accept.includes("raw")) {
    return {
      status: 200,
      body: bytes,
      headers: { "content-type": "application/vnd.github.raw; charset=utf-8" },
    };
  }
  return ok(fileShape(call, ref, entry, bytes));
}

function fileShape(
  call: RepoCall,
  ref: string,
  entry: Extract<GitEntry, { kind: "file" | "symlink" }>,
  bytes: Buffer,
) {
  const shape = entryShape(call, ref, { ...entry, name: lastName(entry.path) });
  if (entry.kind === "symlink") return { ...shape, target: bytes.toString("utf8") };
  // Larger files come without their content, which a reader must notice.
  if (bytes.length > LARGEST) return { ...shape, content: "", encoding: "none" };
  const content = bytes.toString("base64").replace(/.{60}/g, "$&\n");
  return { ...shape, content, encoding: "base64" };
}

function entryShape(
  call: RepoCall,
  ref: string,
  entry: {
    readonly kind: GitEntry["kind"];
    readonly name: string;
    readonly path: string;
    readonly sha: string;
    readonly size: number;
  },
) {
  const { world, repository } = call;
  const path = entry.path.split("/").map(encodeURIComponent).join("/");
  const isFolder = entry.kind === "folder";
  const url = repoApiUrl(world, repository, `/contents/${path}?ref=${encodeURIComponent(ref)}`);
  const git = repoApiUrl(world, repository, `/git/${isFolder ? "trees" : "blobs"}/${entry.sha}`);
  const html = repoHtmlUrl(world, repository, `/${isFolder ? "tree" : "blob"}/${ref}/${path}`);
  return {
    name: entry.name,
    path: entry.path,
    sha: entry.sha,
    size: entry.size,
    url,
    html_url: html,
    git_url: git,
    download_url: isFolder ? null : repoHtmlUrl(world, repository, `/raw/${ref}/${path}`),
    type: isFolder ? "dir" : entry.kind,
    _links: { self: url, git, html },
  };
}

function lastName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
