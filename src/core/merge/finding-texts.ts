/** What people, and the agent's next attempt, read about a path that can't come out of a work tree. */
export const findingTexts = {
  protectedPath: (path: string): string =>
    `\`${path}\` is protected: agents may not add, change or remove it. Leave it as it is.`,
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
  conflictMarkers: (path: string): string =>
    `\`${path}\` still holds conflict markers (\`<<<<<<<\`, \`>>>>>>>\`). Resolve the conflict in it.`,
  badName: (path: string, why: string): string => `${JSON.stringify(path)} ${why}. Rename it.`,
};

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 });
}
