import type { GitCommit } from "../../model/model-git.ts";
import { asRevision, gitFields } from "../run-git.ts";
import { isFullSha, readHistoryCommit, readLine } from "./read-history.ts";
import { resolveRevision } from "./resolve-revision.ts";

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
  const { path: below = "", ...asked } = range;
  const isPlain = below === "" && isFullSha(range.to) && (range.from === undefined || isFullSha(range.from));
  const line = isPlain ? await readLine(gitDir, asked) : null;
  if (line !== null) return line;
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
  const whole = await resolveRevision(gitDir, sha);
  return whole === null ? null : await readHistoryCommit(gitDir, whole);
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
