import type { LineRemark } from "../../core/findings/line-remark.ts";
import type { Sha } from "../../core/ids.ts";
import type { ThreadComment } from "./threads.ts";

/**
 * Reviews of a pull request and remarks on its lines. Every write can be repeated: it looks for what an earlier try may have left
 * before it makes anything (F14).
 */
export interface Reviews {
  /** What was said in reviews of a pull request and on its lines, each review's together. */
  reviews(number: number): Promise<readonly ThreadComment[]>;
  /** Loom's own remarks on lines of a pull request. Only what Loom itself wrote counts, whatever others put into theirs. */
  lineRemarks(number: number): Promise<readonly LineRemark[]>;
  /** The texts of Loom's own reviews of a pull request, oldest first, with the keys that they were made with. */
  reviewTexts(number: number): Promise<readonly { readonly key: string; readonly body: string }[]>;
  /** One review per `key`, with its remarks on lines; found again when an earlier try made it. */
  review(number: number, review: ReviewSpec): Promise<ReviewOutcome>;
  /** Another text for the review that was made with this `key`. */
  editReview(number: number, key: string, write: (before: string) => string): Promise<"edited" | "gone">;
  /** What GitHub itself shows of the change, and so takes remarks on; `patch` is null where a file is too large for it. */
  shownPatches(number: number): Promise<readonly { readonly path: string; readonly patch: string | null }[]>;
  editRemark(remark: number, body: string): Promise<"edited" | "gone">;
  /** Marks the conversation on a line as settled. One that is gone, or settled already, is fine. */
  resolveRemark(thread: string): Promise<"resolved" | "refused">;
}

export type ReviewOutcome =
  | { readonly kind: "made" | "found" | "stale" }
  /** GitHub does not take it, mostly for one of its remarks; it does not say for which. */
  | { readonly kind: "refused"; readonly reason: string };

export type ReviewSpec = {
  readonly key: string;
  /** `stale` is answered when the pull request has another head by now. */
  readonly head: Sha;
  readonly body: string;
  readonly remarks: readonly {
    readonly key: string;
    readonly path: string;
    /** In the file at the head; both in the same hunk of the diff. */
    readonly startLine: number | null;
    readonly line: number;
    readonly body: string;
  }[];
};
