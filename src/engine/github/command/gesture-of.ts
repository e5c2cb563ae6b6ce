import type { Sha } from "../../../core/ids.ts";
import { type IncomingComment, nameOfComment } from "./incoming-comment.ts";

/** Names what a person did, so that it counts once (T33). */
export const gestureOf = {
  /** Each command of a comment counts for itself. */
  comment: ({
    order = 0,
    ...comment
  }: Pick<IncomingComment, "comment" | "on" | "number" | "order">): string =>
    `comment/${comment.number}/${nameOfComment(comment)}/${order}`,
  label: (event: number): string => `label/${event}`,
  /** A button has no name of its own. */
  button: (head: Sha): string => `button/${head}`,
};
