/** What the project shows at its root: names of all files, and the text of those at the root. */
export type Project = {
  readonly has: (path: string) => boolean;
  readonly some: (pattern: RegExp) => boolean;
  readonly read: (path: string) => string;
};
export type GateCommand = { readonly command: string; readonly why: string };
