import { fullName } from "../../model/find.ts";
import type { GitCommit } from "../../model/model-git.ts";
import type { Protection, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { repoApiUrl, repoHtmlUrl } from "./addresses.ts";
import { commitShape } from "./commit.ts";

export function shortBranchShape(
  world: World,
  repository: Repository,
  branch: { readonly name: string; readonly sha: string },
) {
  return {
    name: branch.name,
    commit: { sha: branch.sha, url: repoApiUrl(world, repository, `/commits/${branch.sha}`) },
    protected: repository.protection.has(branch.name),
  };
}

export function branchShape(world: World, repository: Repository, name: string, commit: GitCommit) {
  const protection = repository.protection.get(name);
  return {
    name,
    commit: commitShape(world, repository, commit),
    _links: {
      self: repoApiUrl(world, repository, `/branches/${encodeURIComponent(name)}`),
      html: repoHtmlUrl(world, repository, `/tree/${name}`),
    },
    protected: protection !== undefined,
    protection: {
      enabled: protection !== undefined,
      required_status_checks: {
        enforcement_level: protection && protection.requiredChecks.length > 0 ? "non_admins" : "off",
        contexts: protection?.requiredChecks ?? [],
        checks: checks(protection),
      },
    },
    protection_url: protectionUrl(world, repository, name),
  };
}

/** `GET …/protection`: parts that ask for nothing are left out. */
export function protectionShape(world: World, repository: Repository, name: string, protection: Protection) {
  const url = protectionUrl(world, repository, name);
  return {
    url,
    ...(protection.requiredChecks.length > 0 && {
      required_status_checks: {
        url: `${url}/required_status_checks`,
        strict: protection.strict,
        contexts: protection.requiredChecks,
        contexts_url: `${url}/required_status_checks/contexts`,
        checks: checks(protection),
      },
    }),
    ...(protection.requiredApprovals > 0 && {
      required_pull_request_reviews: {
        url: `${url}/required_pull_request_reviews`,
        dismiss_stale_reviews: protection.dismissStaleReviews,
        require_code_owner_reviews: protection.codeOwnerReviews,
        required_approving_review_count: protection.requiredApprovals,
        require_last_push_approval: false,
      },
    }),
    required_signatures: { url: `${url}/required_signatures`, enabled: false },
    enforce_admins: { url: `${url}/enforce_admins`, enabled: true },
    required_linear_history: { enabled: protection.linearHistory },
    allow_force_pushes: { enabled: false },
    allow_deletions: { enabled: false },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: false },
    lock_branch: { enabled: false },
    allow_fork_syncing: { enabled: false },
  };
}

/** The same as rules, which everybody who can read may see. */
export function rulesShape(repository: Repository, name: string): object[] {
  const protection = repository.protection.get(name);
  if (!protection) return [];
  const from = {
    ruleset_source_type: "Repository",
    ruleset_source: fullName(repository),
    ruleset_id: repository.id,
  };
  return [
    ...(protection.requiredApprovals > 0
      ? [{ type: "pull_request", ...from, parameters: reviewRule(repository, protection) }]
      : []),
    ...(protection.requiredChecks.length > 0
      ? [
          {
            type: "required_status_checks",
            ...from,
            parameters: {
              strict_required_status_checks_policy: protection.strict,
              required_status_checks: protection.requiredChecks.map((context) => ({ context })),
            },
          },
        ]
      : []),
    ...(protection.linearHistory ? [{ type: "required_linear_history", ...from }] : []),
    ...(protection.mergeQueue ? [{ type: "merge_queue", ...from, parameters: queueRule(repository) }] : []),
  ];
}

function reviewRule(repository: Repository, protection: Protection) {
  return {
    allowed_merge_methods: [...repository.mergeMethods],
    dismiss_stale_reviews_on_push: protection.dismissStaleReviews,
    require_code_owner_review: protection.codeOwnerReviews,
    require_last_push_approval: false,
    required_approving_review_count: protection.requiredApprovals,
    required_review_thread_resolution: false,
  };
}

function queueRule(repository: Repository) {
  const [method = "merge"] = repository.mergeMethods;
  return {
    check_response_timeout_minutes: 60,
    grouping_strategy: "ALLGREEN",
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: method.toUpperCase(),
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5,
  };
}

function checks(protection: Protection | undefined) {
  return (protection?.requiredChecks ?? []).map((context) => ({ context, app_id: null }));
}

function protectionUrl(world: World, repository: Repository, name: string): string {
  return repoApiUrl(world, repository, `/branches/${encodeURIComponent(name)}/protection`);
}
