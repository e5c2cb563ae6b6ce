/** What a shell would do with a text, as far as its rules can be told from the text alone. */

/** Stands in a word for what only the running shell knows: `$x`, `$(…)`. No word of a real command holds a zero byte. */
export const UNKNOWN = "\0";

export type ShellWord = {
  /** Quotes and escapes taken off. */
  readonly text: string;
  /** Nothing in it was quoted or escaped, so it can be a keyword. */
  readonly bare: boolean;
  /** Holds an unquoted pattern or list, such as `*` or `{a,b}`, that the shell replaces. */
  readonly expands: boolean;
};

export type Redirection =
  /** `to` is a number or `-` when a descriptor is copied or closed. */
  | { readonly kind: "output"; readonly to: string }
  | { readonly kind: "input"; readonly from: string }
  | { readonly kind: "here-string"; readonly text: string }
  | { readonly kind: "here-document"; body: string };

export type ShellCommand = {
  /** The program and its arguments; empty when something is only redirected. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly Redirection[];
  /** As it stands in the text, for people. */
  readonly source: string;
  /** How many commands are wrapped around it. */
  readonly depth: number;
  /**
   * It counts only when a rule names it: it starts another command that is judged by itself, or stands where only some
   * shells look for commands, as in `((…))`.
   */
  readonly incidental: boolean;
};

/** Why a text can't be judged by its commands. Those that were found before are still worth a look. */
export type Unreadable = "unfinished" | "too-deep" | "too-long";

export type ShellScript = {
  readonly commands: readonly ShellCommand[];
  readonly unreadable: Unreadable | null;
};
