import { UserError } from "../../errors.ts";
import type { Setting } from "../git-settings.ts";

/** A person's git settings lead to files that agents can change, so Loom's own git does not obey them (T11, T29). */
export class RefusedSetting extends UserError {
  declare readonly next: string;
}

export function refusedFile({ file, key }: Setting): RefusedSetting {
  return new RefusedSetting(
    `Your git settings have \`${key}\` from ${file}, a file of the repository, which agents can change.`,
    {
      next: "Copy it to a place outside of the repository and name that in your settings, or let Loom merge into another branch with --into.",
    },
  );
}

/** A file, and the filter that it goes through but that Loom does not run. */
export type FilteredFile = { readonly path: string; readonly filter: string; readonly command: string };

export function refusedFilter(file: FilteredFile, workTree: string): RefusedSetting {
  return new RefusedSetting(`Loom can't compare \`${file.path}\` in ${workTree}: ${describeFilter(file)}`, {
    next: "Commit or stash what you changed there, and run `git status` once.",
  });
}

export function describeFilter({ filter, command }: FilteredFile): string {
  const shown = command.length > 100 ? `${command.slice(0, 100)}…` : command;
  return `the git filter \`${filter}\` runs \`${shown}\`, which could be an agent's code there, and Loom only runs git-lfs and git-crypt.`;
}
