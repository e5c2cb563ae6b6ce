import { parseCommit } from "../../adapters/git/objects/commit-facts.ts";
import { checkedSha } from "../../adapters/git/objects/object-reader.ts";
import { isId, type Sha } from "../../core/ids.ts";
import type { OwnWork } from "../../engine/github/host.ts";
import type { Identity, RepositoryGit } from "../../ports/git.ts";

/** What a commit of Loom's own says about itself; null for anybody else's, and for one that joins others. */
export async function readOwnWork(
  git: RepositoryGit,
  identity: Identity,
  commit: Sha,
): Promise<OwnWork | null> {
  const { stdout } = await git.trusted({ command: "cat-file", values: ["commit", checkedSha(commit)] });
  const { parents, author, message } = parseCommit(stdout);
  const [base, ...others] = parents;
  if (base === undefined || others.length > 0 || author.email !== identity.email) return null;
  const last = message.trimEnd().split("\n\n").at(-1) ?? "";
  const trailer = (name: string): string =>
    last
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? "";
  const run = trailer("Loom-Run");
  const stage = trailer("Loom-Stage");
  return isId(run) && isId(stage) ? { run, stage, base } : null;
}
