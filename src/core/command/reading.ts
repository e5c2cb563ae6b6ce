import type { Command } from "./command.ts";

/** What a line asks for, or what is wrong with it. */
export type Reading = { readonly kind: "command"; readonly command: Command } | Wrong;

export type Wrong = {
  readonly kind: "wrong";
  readonly message: string;
  readonly suggestion: string;
  /** There is no such command; absent: what stands behind it is wrong. */
  readonly about?: "verb";
};
