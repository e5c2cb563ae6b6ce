import type { RunId } from "./ids.ts";

/** A command that people may give next. report/ spells it for where they read it, a terminal or GitHub. */
export type NextCommand =
  /** `run: null`: whichever they find. */
  | { readonly verb: "status"; readonly run: RunId | null }
  | { readonly verb: "resume" | "cancel"; readonly run: RunId }
  /** The same plan once more, from its beginning. */
  | { readonly verb: "start-over" };

/** What a person can do next: a sentence, in pieces where commands stand in it. */
export type Next = string | readonly (string | NextCommand)[];

/** Something a person did or can fix: they see the sentence and what to do next. */
export class UserError extends Error {
  readonly next: Next | null;
  /** 2: the command was used wrongly; 1: it was right, but can't be done now; 130: the person stopped it. */
  readonly exitCode: 1 | 2 | 130;

  constructor(message: string, options: { next?: Next; exitCode?: 1 | 2 | 130; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "UserError";
    this.next = options.next ?? null;
    this.exitCode = options.exitCode ?? 1;
  }
}

/**
 * The store of Loom's ledgers and jobs is full, damaged or out of reach. People are told as of any UserError, but it says
 * nothing about the stage, task or command that was at work just then: that goes on when the store is back, so
 * nobody may write this down as how it ended.
 */
export class StoreTrouble extends UserError {}

/** A ledger in files can't be read: a disk, a person or a newer Loom has been at it. */
export class DamagedRecord extends StoreTrouble {}

/** What lies in the store was not written by Loom, or not there (T32). Nothing is done on its word. */
export class ForgedRecord extends UserError {}

/** The work at hand can't go on before a person acts, and they may be told so as what came of it. */
export function needsPerson(error: unknown): error is UserError {
  return error instanceof UserError && !(error instanceof StoreTrouble);
}

/** A defect of Loom's own. */
export class InternalError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "InternalError";
  }
}

export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
