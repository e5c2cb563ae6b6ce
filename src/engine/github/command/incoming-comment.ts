import type { Delivery, DeliveryOf } from "../../../core/command/delivery.ts";

/** What a person wrote: a comment wherever it stands, or the body of a new issue (then there is no comment). */
export type IncomingComment = Pick<
  DeliveryOf<"comment">,
  "sender" | "number" | "at" | "body" | "isPullRequest" | "on" | "line" | "opening"
> & {
  readonly comment: number | null;
  /** Which of the comment's commands this is, counted from 0; absent: the only one. */
  readonly order?: number;
};

/** By this name it is told apart from whatever else was said to the same number. */
export function nameOfComment({ comment, on = "thread" }: Pick<IncomingComment, "comment" | "on">): string {
  return comment === null ? "issue" : `${on === "thread" ? "" : on}${comment}`;
}

/** What a delivery brings that may hold a command in a comment; null: nothing. */
export function commentIn(delivery: Delivery): (IncomingComment & { readonly comment: number }) | null {
  if (delivery.kind === "comment") return delivery;
  return delivery.kind === "review" && delivery.said
    ? { ...delivery, ...delivery.said, isPullRequest: true, on: "review" }
    : null;
}
