import { InternalError } from "../../../core/errors.ts";
import { isSha, type Sha } from "../../../core/ids.ts";
import type { Identity, RepositoryGit, Signature } from "../../../ports/git.ts";
import { plainIdentity } from "../run/git-environment.ts";

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
  return { ...identity, date: now() };
}

function now(): string {
  const time = new Date();
  const minutes = -time.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? "-" : "+"}${String(hours * 100 + rest).padStart(4, "0")}`;
  return `@${Math.floor(time.getTime() / 1000)} ${zone}`;
}

/**
 * Written as `git commit-tree` does, which costs a process each. Nothing of the message can be taken for an option, and
 * nothing of a name for a line of its own (T14).
 */
export function writeCommit(
  git: Pick<RepositoryGit, "store">,
  facts: CommitFacts,
  committer: Signature,
): Sha {
  return git.store("commit", Buffer.from(formatCommit(facts, committer)));
}

function formatCommit({ tree, parents, author, message }: CommitFacts, committer: Signature): string {
  const text = message.replaceAll("\0", "");
  const headers = [
    `tree ${checked(tree)}`,
    ...parents.map((parent) => `parent ${checked(parent)}`),
    `author ${formatSignature(author)}`,
    `committer ${formatSignature(committer)}`,
  ];
  const body = text.trim() === "" ? "No message\n" : text.endsWith("\n") ? text : `${text}\n`;
  return `${headers.join("\n")}\n\n${body}`;
}

/** As it stands in commits and logs; now where no time is given. */
export function formatSignature(signature: Signature): string {
  const date = /^@?(\d+ [+-]\d{4})$/.exec(signature.date ?? now())?.[1];
  if (date === undefined) throw new InternalError(`${JSON.stringify(signature.date)} is no date for git`);
  const { name, email } = plainIdentity(signature);
  return `${name} <${email}> ${date}`;
}

function checked(sha: Sha): Sha {
  if (!isSha(sha)) throw new InternalError(`${JSON.stringify(sha)} is not an object name`);
  return sha;
}
