import { repositoryById } from "../model/find.ts";
import type { Subjects } from "../model/people/subjects.ts";
import type { Change, Installation, Repository } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { labelShape } from "../rest/shape/label.ts";
import { table } from "../table.ts";
import { checkRunPayload, checkSuitePayload } from "./check-payload.ts";
import { installationPayload, installationRepositoriesPayload } from "./installation-payload.ts";
import { commentPart, issuePart, surroundings } from "./payload-parts.ts";
import { lineCommentPayload, pullPayload, reviewPayload } from "./pull-payload.ts";
import { mergeGroupPayload, pushPayload } from "./push-payload.ts";

type Build = (world: World, repository: Repository, change: Change) => object | Promise<object>;

/** What is particular to an event. The events that are not here have no webhook. */
const BUILDERS: Readonly<Record<string, Build>> = table({
  issues(world, repository, { action, subject }) {
    const { issue, label, changes } = subject as Subjects["issues"];
    return {
      issue: issuePart(world, repository, issue),
      ...(label !== undefined && { label: labelShape(world, repository, label) }),
      ...(action === "edited" && { changes: changes ?? {} }),
    };
  },
  issue_comment(world, repository, { action, subject }) {
    const { issue, comment, changes } = subject as Subjects["issue_comment"];
    return {
      issue: issuePart(world, repository, issue),
      comment: commentPart(world, repository, issue, comment),
      ...(action === "edited" && { changes: changes ?? {} }),
    };
  },
  pull_request: (world, repository, { action, subject }) =>
    pullPayload(world, repository, action, subject as Subjects["pull_request"]),
  pull_request_review: (world, repository, { subject }) =>
    reviewPayload(world, repository, subject as Subjects["pull_request_review"]),
  pull_request_review_comment: (world, repository, { action, subject }) =>
    lineCommentPayload(world, repository, action, subject as Subjects["pull_request_review_comment"]),
  check_run: (world, repository, { action, subject }) =>
    checkRunPayload(world, repository, action, subject as Subjects["check_run"]),
  check_suite: (world, repository, { subject }) =>
    checkSuitePayload(world, repository, subject as Subjects["check_suite"]),
  push: pushPayload,
  create(_world, repository, { subject }) {
    const { ref, refType } = subject as Subjects["create"];
    const { defaultBranch: master_branch, description } = repository;
    return { ref, ref_type: refType, master_branch, description, pusher_type: "user" };
  },
  delete(_world, _repository, { subject }) {
    const { ref, refType } = subject as Subjects["delete"];
    return { ref, ref_type: refType, pusher_type: "user" };
  },
  merge_group: (world, repository, { subject }) =>
    mergeGroupPayload(world, repository, subject as Subjects["merge_group"]),
  label: (world, repository, { subject }) => ({
    label: labelShape(world, repository, (subject as Subjects["label"]).label),
  }),
  repository: () => ({}),
});

const ABOUT_INSTALLATIONS: Readonly<Record<string, (world: World, change: Change) => object>> = table({
  installation: installationPayload,
  installation_repositories: installationRepositoriesPayload,
});

export function hasWebhook(event: string): boolean {
  return Object.hasOwn(BUILDERS, event) || Object.hasOwn(ABOUT_INSTALLATIONS, event);
}

/**
 * The payload for one installation. All that the model holds is read before this returns its promise; only what git
 * knows, which does not change, is read later.
 */
export async function buildPayload(
  world: World,
  change: Change,
  installation: Installation,
): Promise<object> {
  const action = change.action === null ? {} : { action: change.action };
  const apart = ABOUT_INSTALLATIONS[change.event];
  if (apart) return { ...action, ...apart(world, change) };
  const build = BUILDERS[change.event];
  if (!build) throw new Error(`failed to build a webhook for ${change.event}`);
  const around = surroundings(world, change, installation);
  const particular = build(world, repositoryById(world, change.repository ?? 0), change);
  return { ...action, ...(await particular), ...around };
}
