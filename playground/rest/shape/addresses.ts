import { fullName } from "../../model/find.ts";
import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";

/** The API stands below this path, as on GitHub Enterprise Server; Octokit and Probot expect it there. */
export const API_PREFIX = "/api/v3";

export function apiUrl(world: World, path: string): string {
  return `${world.github.url}${API_PREFIX}${path}`;
}

export function htmlUrl(world: World, path: string): string {
  return `${world.github.url}${path}`;
}

export function repoApiUrl(world: World, repository: Repository, path = ""): string {
  return apiUrl(world, `/repos/${fullName(repository)}${path}`);
}

export function repoHtmlUrl(world: World, repository: Repository, path = ""): string {
  return htmlUrl(world, `/${fullName(repository)}${path}`);
}

/** GitHub's node ids are opaque; ours say what they are. */
export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString("base64");
}

export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}

export function instantOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : instant(milliseconds);
}
