const WORDS = "A comment of ordinary length, with a question, a reason and a link to what it is about. ";

/** A comment with a command, of the size that GitHub sends: most of it is addresses that nobody reads. */
export function ackPayload(): string {
  const addresses = (what: string, count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `${what}_${n}_url`,
        `https://api.github.com/repos/acme/engine/${what}/${n}`,
      ]),
    );
  const person = { login: "ada", id: 7, type: "User", site_admin: false, ...addresses("user", 13) };
  return JSON.stringify({
    action: "created",
    issue: {
      number: 12,
      title: "Add a cache",
      state: "open",
      user: person,
      labels: [],
      body: WORDS.repeat(5),
      ...addresses("issue", 8),
    },
    comment: {
      id: 1001,
      created_at: "2026-11-01T12:00:00Z",
      body: `/loom run\n\n${WORDS.repeat(4)}`,
      user: person,
      author_association: "MEMBER",
      performed_via_github_app: null,
      ...addresses("comment", 3),
    },
    installation: { id: 99, node_id: "I_99" },
    repository: {
      id: 42,
      node_id: "R_42",
      name: "engine",
      full_name: "acme/engine",
      private: true,
      owner: { login: "acme", id: 5, type: "Organization", ...addresses("owner", 13) },
      default_branch: "main",
      ...addresses("repository", 46),
    },
    sender: person,
  });
}
