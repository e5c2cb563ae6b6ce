import type { ChangeLimits } from "../config/change-limits.ts";
import { visiblePath } from "../paths/visible-name.ts";

/** What people, and the agent's next attempt, read about a path that can't come out of a work tree. */
export const findingTexts = {
  protectedPath: (path: string): string =>
    `\`${path}\` is protected: agents may not add, change or remove it. Leave it as it is.`,
  packages: (folder: string): string =>
    `\`${folder}\` holds installed packages, which are never taken from an agent. Ignore it in \`.gitignore\`, or remove it.`,
  programSetting: (path: string, setting: string | null): string =>
    `\`${path}\` ${
      setting === null
        ? "can't be read for certain, and may name"
        : `adds or changes \`${setting}\`, which can name`
    } a program that package managers run on people's machines. Leave that out: a person has to make this change.`,
  linkedSettings: (path: string): string =>
    `\`${path}\` is a link, and package managers take settings from where it leads. Make it a file.`,
  linkToProtected: (path: string, target: string): string =>
    `\`${path}\` is a link to \`${target}\`, which is protected. Remove the link.`,
  escapingLink: (path: string): string =>
    `\`${path}\` is a link that leads out of the repository. Use a relative link to a path inside it, or none.`,
  submodule: (path: string): string =>
    `\`${path}\` is a submodule or a repository inside the repository. Add its files, not its \`.git\` folder.`,
  embeddedRepository: (path: string, folder: string): string =>
    `\`${path}\` is part of \`${folder}\`, which git would take for a repository with settings of its own. Remove that folder.`,
  oversized: (path: string, bytes: number, limit: number): string =>
    `\`${path}\` has ${megabytes(bytes)} MB; at most ${megabytes(limit)} MB may be committed. Remove it or ignore it.`,
  tooManyRules: (path: string, limit: number): string =>
    `The \`.gitignore\` and \`.gitattributes\` files of the work tree may have ${megabytes(limit)} MB together, and with \`${visiblePath(path)}\` they have more. Shorten it.`,
  slowRule: (path: string, most: number): string =>
    `\`${visiblePath(path)}\` has a pattern with more than ${most} \`**\`, which git can take hours to match. Use fewer.`,
  tooDeep: (): string =>
    "The work tree has folders in each other that are too deep to be looked through. Remove them.",
  tooManyEntries: (most: number): string =>
    `The work tree holds more than ${most.toLocaleString("en")} files and folders. Remove what does not belong to the stage.`,
  tooSlow: (): string =>
    "Git could not look through the work tree in time. Remove deep folders, repositories in the repository, and slow patterns in `.gitignore` and `.gitattributes`.",
  conflictMarkers: (path: string): string =>
    `\`${path}\` still holds conflict markers (\`<<<<<<<\`, \`>>>>>>>\`). Resolve the conflict in it.`,
  badName: (path: string, why: string): string => `"${visiblePath(path)}" ${why}. Rename it.`,
  twin: (path: string, other: string): string =>
    `\`${visiblePath(path)}\` and \`${visiblePath(other)}\` are one file on systems that don't tell such names apart. Rename it.`,
  tooManyFiles: ({ files }: ChangeLimits): string =>
    `The change touches more than ${files.toLocaleString("en")} files. Undo what does not belong to the stage, and ignore what tools generate in \`.gitignore\`. A larger change needs several stages; an operator can raise LOOM_LIMIT_CHANGE_FILES.`,
  tooManyBytes: (bytes: number, limits: ChangeLimits): string =>
    `The files of the change have ${megabytes(bytes)} MB; at most ${limits.megabytes.toLocaleString("en")} MB may be committed. Remove what does not belong to the stage, or ignore it in \`.gitignore\`. An operator can raise LOOM_LIMIT_CHANGE_MB.`,
  secretValue: (path: string): string =>
    `\`${path}\` holds a secret that Loom was given, plain or encoded. Remove it, and read it from the environment where it is needed.`,
  secretLooks: (path: string): string =>
    `\`${path}\` adds what looks like a private key or an access token. Remove it. Where a test needs one, make it up while the test runs.`,
  secretInName: (path: string): string => `The name of \`${path}\` holds a secret. Rename it.`,
  notScanned: (path: string, limit: number): string =>
    `\`${path}\` could not be searched for secrets: a change may add at most ${megabytes(limit)} MB. Add less.`,
};

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 });
}
