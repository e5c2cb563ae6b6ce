/** Why nothing comes of a wish for a plan; people read it in the thread, made harmless there. */
export const requestTexts = {
  noIssue: (number: number): string => `There is no issue #${number}.`,
  noFile: (path: string): string => `There is no file \`${path}\` on the default branch.`,
  noFileNext: (): string => "Name a plan by its path from the repository's root.",
  brokenConfig: (): string => "The repository's configuration is broken.",
};
