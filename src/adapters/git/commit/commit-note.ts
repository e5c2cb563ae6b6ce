import type { Sha } from "../../../core/ids.ts";
import type { CommitNote } from "../../../ports/git.ts";

/** A commit as its object has it. `runs` and `stages` are null where only git knows whether they are trailers. */
export type ReadCommit = {
  readonly parents: readonly Sha[];
  /** Of the committer, in seconds. */
  readonly at: number;
  readonly committer: string;
  readonly message: string;
  readonly trailers: Pick<CommitNote, "runs" | "stages"> | null;
};

/** Git takes parents from here alone: a line of that name behind the committer is anybody's, and means nothing. */
const HEAD = /^tree [0-9a-f]+\n((?:parent (?:[0-9a-f]{64}|[0-9a-f]{40})\n)*)author /;

/** null: it is written in a way that is git's to understand. */
export function readCommit(content: Buffer): ReadCommit | null {
  const text = content.toString("utf8");
  const end = text.indexOf("\n\n");
  if (end < 0) return null;
  const [, named = null] = HEAD.exec(text) ?? [];
  if (named === null) return null;
  const parents = named.split("\n").flatMap((line) => (line === "" ? [] : [line.slice("parent ".length)]));
  const headers = text.slice(0, end).split("\n");
  const values = (key: string): string[] =>
    headers.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []));
  const [, committer, at] = /^[^<>]*<([^<>]*)> (\d+) [+-]\d{4}$/.exec(values("committer")[0] ?? "") ?? [];
  if (committer === undefined || at === undefined || values("encoding").length > 0) return null;
  const message = text.slice(end + 2);
  return { parents, at: Number(at), committer, message, trailers: readTrailers(message) };
}

const PLAIN = /^[A-Za-z0-9-]+: .*\S$/;

/**
 * Git has many rules for what else may stand among trailers. A last paragraph of nothing but them is one whatever the rules, and a
 * message without their names has none; for all between, null says to ask git.
 */
function readTrailers(message: string): ReadCommit["trailers"] {
  if (!/loom-(?:run|stage)/i.test(message)) return { runs: [], stages: [] };
  const text = message.replace(/(?<!\n)\n+$/, "");
  const start = text.lastIndexOf("\n\n");
  const lines = text.slice(start + 2).split("\n");
  if (start < 1 || /^\s/.test(text) || !lines.every((line) => PLAIN.test(line))) return null;
  const named = (key: string): string[] =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${key}:`))
      .map((line) => line.slice(key.length + 1).trim());
  return { runs: named("loom-run"), stages: named("loom-stage") };
}
