import type { GitCommit } from "../model/model-git.ts";
import { asRevision, gitFields, runGit } from "./run-git.ts";

const FIELDS = ["%H", "%T", "%P", "%an", "%ae", "%at", "%cn", "%ce", "%ct", "%B"];
const FORMAT = `--format=tformat:${FIELDS.join("%x00")}`;

export type CommitRange = {
  readonly from?: string;
  readonly to: string;
  readonly path?: string;
  readonly limit?: number;
};

/** Newest first, a child always before its parents. */
export async function readCommits(gitDir: string, range: CommitRange): Promise<GitCommit[]> {
  const limit = range.limit === undefined ? [] : [`--max-count=${range.limit}`];
  const revisions = [
    asRevision(range.to),
    ...(range.from === undefined ? [] : [`^${asRevision(range.from)}`]),
  ];
  const path = range.path === undefined || range.path === "" ? [] : [range.path];
  const fields = await gitFields(gitDir, [
    ...["--literal-pathspecs", "log", "-z", "--topo-order", "--no-show-signature", "--no-decorate"],
    ...[FORMAT, ...limit, ...revisions, "--", ...path],
  ]);
  const commits: GitCommit[] = [];
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length) {
    commits.push(parse(fields.slice(at, at + FIELDS.length)));
  }
  return commits;
}

export async function readCommit(gitDir: string, sha: string): Promise<GitCommit | null> {
  const found = await runGit(gitDir, ["cat-file", "--batch-check"], { input: `${sha}^{commit}\n` });
  if (sha.includes("\n") || !/ commit \d+\n$/.test(found.stdout)) return null;
  return (await readCommits(gitDir, { to: sha, limit: 1 }))[0] ?? null;
}

function parse(fields: readonly string[]): GitCommit {
  const [
    sha = "",
    tree = "",
    parents = "",
    name = "",
    email = "",
    at,
    committer = "",
    theirs = "",
    then,
    message = "",
  ] = fields;
  return {
    sha,
    tree,
    parents: parents === "" ? [] : parents.split(" "),
    author: { name, email, at: Number(at) * 1000 },
    committer: { name: committer, email: theirs, at: Number(then) * 1000 },
    message: message.replace(/(?<!\n)\n+$/, ""),
  };
}
