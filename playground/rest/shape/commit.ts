import type { GitChangedFile, GitCommit, GitPerson } from "../../model/model-git.ts";
import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { instant, nodeId, repoApiUrl, repoHtmlUrl } from "./addresses.ts";
import { userShape } from "./user.ts";

export function commitShape(world: World, repository: Repository, commit: GitCommit) {
  const url = repoApiUrl(world, repository, `/commits/${commit.sha}`);
  const gitUrl = (sha: string) => repoApiUrl(world, repository, `/git/commits/${sha}`);
  return {
    sha: commit.sha,
    node_id: nodeId("Commit", commit.sha),
    url,
    html_url: repoHtmlUrl(world, repository, `/commit/${commit.sha}`),
    comments_url: `${url}/comments`,
    commit: {
      url: gitUrl(commit.sha),
      author: personShape(commit.author),
      committer: personShape(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: repoApiUrl(world, repository, `/git/trees/${commit.tree}`) },
      comment_count: 0,
      verification: {
        verified: false,
        reason: "unsigned",
        payload: null,
        signature: null,
        verified_at: null,
      },
    },
    author: accountOf(world, commit.author),
    committer: accountOf(world, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: repoApiUrl(world, repository, `/commits/${sha}`),
      html_url: repoHtmlUrl(world, repository, `/commit/${sha}`),
    })),
  };
}

function personShape(person: GitPerson) {
  return { name: person.name, email: person.email, date: instant(person.at) };
}

/** Only no-reply addresses lead to an account. */
function accountOf(world: World, person: GitPerson) {
  const login = /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(person.email)?.[1];
  return login !== undefined && world.github.users.has(login) ? userShape(world, login) : null;
}

/** A file of a pull request, a commit or a comparison. */
export function diffEntryShape(world: World, repository: Repository, sha: string, file: GitChangedFile) {
  const path = file.path.split("/").map(encodeURIComponent).join("/");
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: repoHtmlUrl(world, repository, `/blob/${sha}/${path}`),
    raw_url: repoHtmlUrl(world, repository, `/raw/${sha}/${path}`),
    contents_url: repoApiUrl(world, repository, `/contents/${path}?ref=${sha}`),
    ...(file.patch !== null && { patch: file.patch }),
    ...(file.previousPath !== null && { previous_filename: file.previousPath }),
  };
}
