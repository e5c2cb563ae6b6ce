import type { GitPerson } from "../model/model-git.ts";
import { asRevision, git } from "./run-git.ts";

export type NewTreeCommit = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitPerson;
  readonly committer: GitPerson;
};

export async function commitTree(gitDir: string, commit: NewTreeCommit): Promise<string> {
  const { tree, parents, message, author, committer } = commit;
  return await git(
    gitDir,
    ["commit-tree", asRevision(tree), ...parents.flatMap((parent) => ["-p", parent])],
    {
      input: message.endsWith("\n") ? message : `${message}\n`,
      env: { ...signature("AUTHOR", author), ...signature("COMMITTER", committer) },
    },
  );
}

function signature(role: "AUTHOR" | "COMMITTER", person: GitPerson): Record<string, string> {
  return {
    [`GIT_${role}_NAME`]: person.name,
    [`GIT_${role}_EMAIL`]: person.email,
    [`GIT_${role}_DATE`]: `@${Math.floor(person.at / 1000)} +0000`,
  };
}
