import { InternalError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import type { Identity, RepositoryGit, Signature } from "../../ports/git.ts";

export type CommitFacts = {
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author: Signature;
  readonly message: string;
};

/** Reads a commit object as `cat-file commit` prints it. */
export function parseCommit(text: string): CommitFacts {
  const end = text.indexOf("\n\n");
  const headers = (end < 0 ? text : text.slice(0, end)).split("\n");
  const values = (key: string): string[] =>
    headers.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  const [tree] = values("tree");
  if (tree === undefined) throw new InternalError("a commit without a tree");
  return {
    tree,
    parents: values("parent"),
    author: parseSignature(values("author")[0] ?? ""),
    message: end < 0 ? "" : text.slice(end + 2),
  };
}

function parseSignature(text: string): Signature {
  const parts = /^(.*?) ?<([^>]*)>(?: (\d+ [+-]\d{4}))?$/.exec(text);
  const date = parts?.[3];
  const identity = { name: parts?.[1] ?? "", email: parts?.[2] ?? "" };
  return date === undefined ? identity : { ...identity, date: `@${date}` };
}

/** With the time spelled out: who moves the commit later keeps it, also without reading the commit again. */
export function signedNow(identity: Identity): Signature {
  const now = new Date();
  const minutes = -now.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? "-" : "+"}${String(hours * 100 + rest).padStart(4, "0")}`;
  return { ...identity, date: `@${Math.floor(now.getTime() / 1000)} ${zone}` };
}

/** The message goes through standard input, where nothing in it can be taken for an option (T14). */
export async function writeCommit(
  git: RepositoryGit,
  { tree, parents, author, message }: CommitFacts,
  committer: Signature,
): Promise<Sha> {
  const text = message.replaceAll("\0", "");
  const { stdout } = await git.trusted({
    command: "commit-tree",
    values: [tree],
    options: parents.map((parent) => ["-p", parent] as const),
    input: text.trim() === "" ? "No message\n" : text.endsWith("\n") ? text : `${text}\n`,
    author,
    committer,
  });
  return stdout.trim();
}
