import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FilteredFile } from "../../core/config/settings/refused-setting.ts";
import type { Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { Checkout } from "./checkout-find.ts";

/**
 * Files that would have to be written through a filter that Loom does not run. Git itself would stop there, but with
 * part of the files written. The attributes are those of the step's end, as they are when git writes its files.
 */
export async function filteredFiles(
  git: RepositoryGit,
  checkout: Checkout,
  { from, to }: { readonly from: Sha; readonly to: Sha },
): Promise<FilteredFile[]> {
  const refused = await git.refusedFilters(checkout);
  if (refused.size === 0) return [];
  const { stdout: touched } = await git.trusted({
    command: "diff-tree",
    options: ["-r", "-z", "--name-only", "--no-renames", "--diff-filter=d", "--no-commit-id"],
    values: [from, to],
  });
  if (touched === "") return [];
  const folder = await git.scratch();
  try {
    const index = join(folder, "index");
    await git.trusted({ command: "read-tree", values: [to] }, { index });
    const { stdout } = await git.checkout(
      { command: "check-attr", options: ["-z", "--cached", "--stdin"], values: ["filter"], input: touched },
      { ...checkout, index },
    );
    // Path, name of the attribute, value.
    const fields = stdout.split("\0");
    return fields.flatMap((path, at) => {
      const filter = fields[at + 2] ?? "";
      const command = at % 3 === 0 ? refused.get(filter) : undefined;
      return command === undefined ? [] : [{ path, filter, command }];
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
