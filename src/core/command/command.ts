import type { StageId } from "../ids.ts";
import type { Depth } from "./planning-choices.ts";
import type { Audit } from "./task-kinds.ts";

/** What a person asked for, read and checked; whether they may is another question (`mayUse`). */
export type Command =
  | {
      readonly verb: "run";
      /** A plan in the repository; null: the issue itself is to be planned. */
      readonly path: string | null;
      readonly budgetUsd: number | null;
      readonly harness: string | null;
      readonly express: boolean;
      /** null: as the repository has it. */
      readonly depth: Depth | null;
      /** For the planner, besides what the thread says. */
      readonly text: string;
    }
  | {
      readonly verb: "plan";
      readonly path: string | null;
      readonly depth: Depth | null;
      readonly text: string;
    }
  /** What should be different in the plan. */
  | { readonly verb: "revise"; readonly text: string }
  /** The commit as the person wrote it: at least seven hexadecimal digits. */
  | { readonly verb: "approve"; readonly sha: string | null }
  | { readonly verb: "status" }
  /** null: every stage that is stuck. */
  | { readonly verb: "retry"; readonly stage: StageId | null }
  | { readonly verb: "skip"; readonly stage: StageId }
  | { readonly verb: "pause" }
  | { readonly verb: "resume" }
  | { readonly verb: "cancel" }
  | { readonly verb: "take"; readonly stage: StageId }
  /** As it was written: whom it is for depends on who has asked (`addressAnswer`). */
  | { readonly verb: "answer"; readonly text: string }
  /** One agent looks and tells; the text is the question, or may say what to look at. */
  | {
      readonly verb: "ask" | Audit;
      readonly text: string;
      readonly harness: string | null;
      readonly budgetUsd: number | null;
    }
  | { readonly verb: "archive" }
  | { readonly verb: "help" };

export type Verb = Command["verb"];

/** A line that was meant for Loom and can't be done. */
export type Mistake = {
  readonly kind: "mistake";
  /** Counted from 1 in the comment. */
  readonly line: number;
  /** One sentence; names that the person wrote stand between backticks. */
  readonly message: string;
  /** What they most likely meant, as a whole line, or the line that shows how it is written. */
  readonly suggestion: string;
  /** There is no such command; absent: what stands behind it is wrong, or where it stands. */
  readonly about?: "verb";
};

export type ReadCommand = {
  readonly kind: "command";
  readonly line: number;
  readonly command: Command;
  /** What was said before it in the same comment, and to no other command. */
  readonly above: string;
};

export type ParsedComment = {
  /** At most five, in the order of the comment. */
  readonly items: readonly (ReadCommand | Mistake)[];
  /** The commands among them, and the mistakes. */
  readonly commands: readonly Command[];
  readonly mistakes: readonly Mistake[];
  /** How many further lines were meant for Loom and were not read. */
  readonly unread: number;
};
