/** Payloads with the fields that GitHub really sends around those that Loom reads. */
export const PERSON = { login: "ada", id: 7, type: "User", site_admin: false };
export const STRANGER = { login: "sam", id: 9, type: "User", site_admin: false };
export const ROBOT = { login: "helper[bot]", id: 8, type: "Bot", site_admin: false };

export const WRITTEN = "2031-05-06T07:08:09Z";
const SHA = "a".repeat(40);
type Fields = Record<string, unknown>;

export const REPOSITORY = {
  id: 42,
  node_id: "R_42",
  name: "engine",
  full_name: "acme/engine",
  private: true,
  owner: { login: "acme", id: 5, type: "Organization" },
  default_branch: "main",
};

const inRepository = { installation: { id: 99, node_id: "I_99" }, repository: REPOSITORY, sender: PERSON };

export function commentPayload(comment: Fields = {}, rest: Fields = {}): Fields {
  return {
    action: "created",
    issue: { number: 12, title: "Add a cache", state: "open", user: PERSON, labels: [] },
    comment: {
      id: 1001,
      created_at: WRITTEN,
      body: "/loom run",
      user: PERSON,
      author_association: "MEMBER",
      performed_via_github_app: null,
      ...comment,
    },
    ...inRepository,
    ...rest,
  };
}

export function issuePayload(issue: Fields = {}, rest: Fields = {}): Fields {
  return {
    action: "opened",
    issue: {
      number: 12,
      title: "Add a cache",
      created_at: WRITTEN,
      body: "Please.\n\n/loom run",
      user: PERSON,
      labels: [],
      ...issue,
    },
    ...inRepository,
    ...rest,
  };
}

export function pullRequestPayload(action: string, rest: Fields = {}): Fields {
  return {
    action,
    number: 30,
    pull_request: {
      number: 30,
      state: "open",
      updated_at: WRITTEN,
      merged: false,
      draft: false,
      head: { sha: SHA, ref: "loom/cache-1a2b.plan", repo: { id: 42, name: "engine" } },
      base: { sha: "b".repeat(40), ref: "main", repo: { id: 42 } },
    },
    ...inRepository,
    ...rest,
  };
}

export function reviewPayload(action: string, rest: Fields = {}): Fields {
  return {
    action,
    review: {
      id: 1,
      state: action === "dismissed" ? "dismissed" : "approved",
      user: PERSON,
      body: null,
      submitted_at: WRITTEN,
    },
    pull_request: { number: 30, state: "open" },
    ...inRepository,
    ...rest,
  };
}

export function lineCommentPayload(comment: Fields = {}, rest: Fields = {}): Fields {
  return {
    action: "created",
    comment: {
      id: 2001,
      created_at: WRITTEN,
      body: "/loom ask why?",
      user: PERSON,
      path: "a.txt",
      line: 3,
      ...comment,
    },
    pull_request: { number: 30, state: "open", title: "Add a cache", body: null },
    ...inRepository,
    ...rest,
  };
}

export function checkRunPayload(action: string, app: number, rest: Fields = {}): Fields {
  return {
    action,
    check_run: {
      id: 500,
      head_sha: SHA,
      external_id: "cache-1a2b/build/1",
      name: "loom / build",
      app: { id: app, slug: "some-app" },
    },
    ...inRepository,
    ...rest,
  };
}

export function checkSuitePayload(action: string, app: number, rest: Fields = {}): Fields {
  return {
    action,
    check_suite: { id: 600, head_sha: SHA, app: { id: app }, conclusion: null },
    ...inRepository,
    ...rest,
  };
}

export function pushPayload(ref: string, rest: Fields = {}): Fields {
  return {
    ref,
    before: "0".repeat(40),
    after: SHA,
    pusher: { name: "ada" },
    commits: [],
    ...inRepository,
    ...rest,
  };
}

export function mergeGroupPayload(action: string, rest: Fields = {}): Fields {
  return {
    action,
    merge_group: {
      head_sha: SHA,
      head_ref: "refs/heads/gh-readonly-queue/main/pr-30",
      base_ref: "refs/heads/main",
    },
    ...inRepository,
    ...rest,
  };
}

export function installationPayload(action: string, rest: Fields = {}): Fields {
  return {
    action,
    installation: { id: 99, account: { login: "acme" }, app_id: 4711 },
    repositories: [{ id: 42, name: "engine" }],
    sender: PERSON,
    ...rest,
  };
}

export function installationRepositoriesPayload(action: string, added: number[], removed: number[]): Fields {
  return {
    action,
    installation: { id: 99, account: { login: "acme" } },
    repository_selection: "selected",
    repositories_added: added.map((id) => ({ id })),
    repositories_removed: removed.map((id) => ({ id })),
    sender: PERSON,
  };
}
