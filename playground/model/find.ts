import { notFound } from "./refusal.ts";
import type { App, Installation, Issue, Pull, Repository } from "./types.ts";
import type { World } from "./world.ts";

/** An issue that is a pull request. */
export type PullIssue = Issue & { readonly pull: Pull };

export function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

/** Names are compared without case, as GitHub does. Refuses with 404. */
export function findRepository(world: World, owner: string, name: string): Repository {
  const wanted = `${owner}/${name}`.toLowerCase();
  const found = world.github.repositories.find((repository) => fullName(repository).toLowerCase() === wanted);
  if (!found) throw notFound();
  return found;
}

export function fullName(repository: Repository): string {
  return `${repository.owner}/${repository.name}`;
}

export function repositoryById(world: World, id: number): Repository {
  const found = world.github.repositories.find((repository) => repository.id === id);
  if (!found) throw notFound();
  return found;
}

export function findIssue(repository: Repository, number: number): Issue {
  const found = repository.issues.get(number);
  if (!found) throw notFound();
  return found;
}

export function findPull(repository: Repository, number: number): PullIssue {
  const found = findIssue(repository, number);
  if (!isPull(found)) throw notFound();
  return found;
}

export function openPulls(repository: Repository): PullIssue[] {
  return [...repository.issues.values()].filter(isPull).filter((issue) => issue.state === "open");
}

export function findApp(world: World, id: number): App {
  const found = world.github.apps.find((app) => app.id === id);
  if (!found) throw notFound();
  return found;
}

export function findInstallation(world: World, id: number): Installation {
  const found = world.github.installations.find((installation) => installation.id === id);
  if (!found || found.removed) throw notFound();
  return found;
}

/** The repository a pull request comes from; null when a fork was deleted. */
export function headRepository(world: World, issue: PullIssue): Repository | null {
  const id = issue.pull.headRepo;
  return id === null ? null : (world.github.repositories.find((one) => one.id === id) ?? null);
}
