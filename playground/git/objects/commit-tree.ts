import type { GitPerson } from "../../model/model-git.ts";
import { isFullSha } from "./read-history.ts";
import { writeObject } from "./write-object.ts";

export type NewTreeCommit = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitPerson;
  readonly committer: GitPerson;
};

export async function commitTree(gitDir: string, commit: NewTreeCommit): Promise<string> {
  const { tree, parents, message, author, committer } = commit;
  for (const sha of [tree, ...parents])
    if (!isFullSha(sha)) throw new Error(`failed to commit ${tree}: "${sha}" is not a full id`);
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature(author)}`,
    `committer ${signature(committer)}`,
    "",
    message.endsWith("\n") ? message : `${message}\n`,
  ];
  return await writeObject(gitDir, "commit", lines.join("\n"));
}

export function signature({ name, email, at }: GitPerson): string {
  return `${cleanName(name)} <${cleanName(email)}> ${Math.floor(at / 1000)} +0000`;
}

/** What git itself leaves out of names. */
function cleanName(text: string): string {
  return text.replaceAll(/[<>\n\0]/g, "");
}
