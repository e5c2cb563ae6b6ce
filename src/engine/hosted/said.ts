import type { DeliveryOf } from "../../core/delivery/delivery.ts";

/** What a person wrote: a comment, or the body of a new issue (then there is no comment to react to). */
export type Said = Pick<DeliveryOf<"comment">, "sender" | "number" | "body" | "isPullRequest"> & {
  readonly comment: number | null;
};
