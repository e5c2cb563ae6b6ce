import type { SaidOn } from "../../core/command/delivery.ts";

/**
 * Issues, and what is said in the conversation of an issue or a pull request. Every write can be repeated: it looks for what an earlier
 * try may have left before it makes anything (F14).
 */
export interface Threads {
  issue(number: number): Promise<IssueFacts | null>;
  /** All that was said in a thread, oldest first. */
  thread(number: number): Promise<readonly ThreadComment[]>;
  /**
   * One comment per `key`: found again by a hidden marker that only counts in Loom's own comments. `below`: in the
   * conversation that this remark on a line began, or in the thread once that is gone.
   */
  comment(
    number: number,
    key: string,
    body: string,
    below?: number | undefined,
  ): Promise<{ readonly comment: number }>;
  editComment(comment: number, body: string): Promise<"edited" | "gone">;
  react(
    to: { comment: number } | { remark: number } | { issue: number },
    reaction: "eyes" | "confused" | "rocket",
  ): Promise<void>;
  setLabels(
    number: number,
    labels: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<void>;
  /** The setting of a label that is there now: who did it, and by which event. null: GitHub tells of none. */
  labelled(number: number, label: string): Promise<{ readonly by: number; readonly event: number } | null>;
}

export type IssueFacts = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly open: boolean;
  readonly isPullRequest: boolean;
};

export type ThreadComment = {
  /** Among those of its kind; they have growing numbers. */
  readonly id: number;
  readonly kind: SaidOn;
  /** The file and line that it is about, such as `src/a.ts:12`; null: none. */
  readonly place: string | null;
  readonly author: string;
  readonly at: string;
  readonly body: string;
  /** Written by Loom. */
  readonly own: boolean;
  /** null: never. */
  readonly editedAt: string | null;
};
