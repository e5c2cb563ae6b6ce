import type { Sha } from "../../core/ids.ts";
import { nameOfSaid, type Said } from "./said.ts";

/** Names what a person did, so that it counts once (T33). */
export const gestureOf = {
  /** Each command of a comment counts for itself. */
  said: ({ order = 0, ...said }: Pick<Said, "comment" | "on" | "number" | "order">): string =>
    `said/${said.number}/${nameOfSaid(said)}/${order}`,
  label: (event: number): string => `label/${event}`,
  /** A button has no name of its own. */
  button: (head: Sha): string => `button/${head}`,
};
