import type { CommandPattern } from "./command-pattern.ts";

/** Rules over what agents run in a shell. Defaults stand in the shipped file `policies/shell.yml` and nowhere else. */
export type Policy = {
  /** For commands that no rule names. */
  readonly otherwise: Decision;
  readonly rules: readonly Rule[];
};

/** From the strictest on: of several rules that match, that one counts. */
export const DECISIONS = ["deny", "ask", "allow"] as const;
export type Decision = (typeof DECISIONS)[number];

export type Rule = {
  readonly id: string;
  readonly decision: Decision;
  /** One sentence or two that the agent can act on. */
  readonly reason: string;
  readonly matcher: Matcher;
};

export type Matcher =
  /** `commands` empty: any; `arguments` empty: whatever they are. One of each has to match. */
  | {
      readonly kind: "commands";
      readonly commands: readonly CommandPattern[];
      /** Globs; one word behind the program has to match one of them. */
      readonly arguments: readonly string[];
    }
  | { readonly kind: "output-to-file" }
  | { readonly kind: "here-document" };
