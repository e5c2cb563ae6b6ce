import { repositoryById } from "../model/find.ts";
import type { Change, Comment, Installation, Issue, Repository } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { apiUrl, nodeId } from "../rest/shape/addresses.ts";
import { appOrNull } from "../rest/shape/app.ts";
import { commentShape } from "../rest/shape/comment.ts";
import { issueShape } from "../rest/shape/issue.ts";
import { repositoryShape } from "../rest/shape/repository.ts";
import { userShape } from "../rest/shape/user.ts";

/**
 * Webhooks carry almost what the API answers. The differences stand here, as the published schemas have them; all of it
 * is copied at once, so that a payload keeps the moment it was made in.
 */

export function repositoryPart(world: World, repository: Repository) {
  return { ...repositoryShape(world, repository), custom_properties: {} };
}

export function appPart(world: World, id: number | null) {
  const app = appOrNull(world, id);
  if (app === null) return null;
  const { client_id: _, ...rest } = app;
  return rest;
}

export function issuePart(world: World, repository: Repository, issue: Issue) {
  const { closed_by: _, ...rest } = issueShape(world, repository, issue);
  return { ...rest, performed_via_github_app: appPart(world, issue.viaApp) };
}

export function commentPart(world: World, repository: Repository, issue: Issue, comment: Comment) {
  return {
    ...commentShape(world, repository, issue, comment),
    performed_via_github_app: appPart(world, comment.viaApp),
  };
}

/** What every payload about a repository ends with. */
export function surroundings(world: World, change: Change, installation: Installation) {
  const repository = repositoryById(world, change.repository ?? 0);
  const owner = world.github.users.get(repository.owner);
  return {
    repository: repositoryPart(world, repository),
    ...(owner?.type === "Organization" && { organization: organizationPart(world, owner.login, owner.id) }),
    sender: userShape(world, change.sender),
    installation: { id: installation.id, node_id: nodeId("Installation", installation.id) },
  };
}

function organizationPart(world: World, login: string, id: number) {
  const url = apiUrl(world, `/orgs/${login}`);
  return {
    login,
    id,
    node_id: nodeId("Organization", id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${world.github.url}/avatars/u/${id}`,
    description: null,
  };
}
