import { commitFiles } from "../playground/git/objects/commit-files.ts";
import { openPull } from "../playground/model/pulls/open-pull.ts";
import type { Repository } from "../playground/model/types.ts";
import type { Playground } from "../playground/server.ts";

export const CHANGED_FILE = "src/first.js";

/** Somebody's pull request, for those who want to see a review. Returns its number. */
export async function proposeChange({ world }: Playground, repository: Repository): Promise<number> {
  const by = "wes";
  const head = "first-words";
  await commitFiles(
    repository.gitDir,
    head,
    { [CHANGED_FILE]: SOURCE },
    {
      author: { name: "Wes", email: "wes@example.com" },
      message: "Add the first words of a list",
      from: repository.defaultBranch,
    },
  );
  const { number } = await openPull(world, repository, {
    by,
    title: "Add the first words of a list",
    body: "For people who want to show only the beginning of a text.",
    head,
    base: repository.defaultBranch,
  });
  return number;
}

const SOURCE = `/** The first n words. */
export function first(words, n) {
  return words.slice(0, n - 1);
}
`;
