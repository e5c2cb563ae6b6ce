import { fullName } from "../../model/find.ts";
import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { table } from "../../table.ts";
import { instant, nodeId, repoApiUrl, repoHtmlUrl } from "./addresses.ts";
import { userShape } from "./user.ts";

/** Templates below a repository's address, as GitHub prints them. */
const LINKS: Readonly<Record<string, string>> = table({
  archive_url: "/{archive_format}{/ref}",
  assignees_url: "/assignees{/user}",
  blobs_url: "/git/blobs{/sha}",
  branches_url: "/branches{/branch}",
  collaborators_url: "/collaborators{/collaborator}",
  comments_url: "/comments{/number}",
  commits_url: "/commits{/sha}",
  compare_url: "/compare/{base}...{head}",
  contents_url: "/contents/{+path}",
  contributors_url: "/contributors",
  deployments_url: "/deployments",
  downloads_url: "/downloads",
  events_url: "/events",
  forks_url: "/forks",
  git_commits_url: "/git/commits{/sha}",
  git_refs_url: "/git/refs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  hooks_url: "/hooks",
  issue_comment_url: "/issues/comments{/number}",
  issue_events_url: "/issues/events{/number}",
  issues_url: "/issues{/number}",
  keys_url: "/keys{/key_id}",
  labels_url: "/labels{/name}",
  languages_url: "/languages",
  merges_url: "/merges",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  pulls_url: "/pulls{/number}",
  releases_url: "/releases{/id}",
  stargazers_url: "/stargazers",
  statuses_url: "/statuses/{sha}",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  tags_url: "/tags",
  teams_url: "/teams",
  trees_url: "/git/trees{/sha}",
});

/** What stands inside other objects. */
export function minimalRepositoryShape(world: World, repository: Repository) {
  const links = Object.entries(LINKS).map(([name, path]) => [name, repoApiUrl(world, repository, path)]);
  return {
    id: repository.id,
    node_id: nodeId("Repository", repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
    owner: userShape(world, repository.owner),
    html_url: repoHtmlUrl(world, repository),
    description: repository.description,
    fork: repository.parent !== null,
    url: repoApiUrl(world, repository),
    ...(Object.fromEntries(links) as Record<string, string>),
  };
}

/** What lists, pull requests and webhooks carry. */
export function repositoryShape(world: World, repository: Repository) {
  const address = repoHtmlUrl(world, repository);
  const host = address.replace(/^https?:\/\//, "");
  const open = [...repository.issues.values()].filter((issue) => issue.state === "open").length;
  return {
    ...minimalRepositoryShape(world, repository),
    clone_url: `${address}.git`,
    git_url: `git://${host}.git`,
    ssh_url: `git@${host.replace("/", ":")}.git`,
    svn_url: address,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: repository.defaultBranch,
    visibility: repository.private ? ("private" as const) : ("public" as const),
    forks: 0,
    forks_count: 0,
    open_issues: open,
    open_issues_count: open,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    size: 0,
    topics: [] as string[],
    archived: false,
    disabled: false,
    is_template: false,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    created_at: instant(repository.createdAt),
    updated_at: instant(repository.pushedAt),
    pushed_at: instant(repository.pushedAt),
  };
}

/** `GET /repos/{owner}/{repo}`. */
export function fullRepositoryShape(world: World, repository: Repository) {
  const parent = world.github.repositories.find((one) => one.id === repository.parent);
  return {
    ...repositoryShape(world, repository),
    network_count: 0,
    subscribers_count: 0,
    allow_merge_commit: repository.mergeMethods.has("merge"),
    allow_squash_merge: repository.mergeMethods.has("squash"),
    allow_rebase_merge: repository.mergeMethods.has("rebase"),
    allow_auto_merge: false,
    allow_update_branch: false,
    delete_branch_on_merge: repository.deleteBranchOnMerge,
    ...(parent && { parent: repositoryShape(world, parent), source: repositoryShape(world, parent) }),
  };
}
