import type { Remark } from "../../../core/task/task-events.ts";
import type { ThreadComment } from "../../../ports/github/threads.ts";
import type { IncomingComment } from "../command/incoming-comment.ts";

const MAX_REMARKS = 100;
const MAX_REMARK_CHARS = 8_000;

/** Where a run stands is of no use to somebody who reads the code, and Loom's hidden marks are for Loom. */
const PANEL = /<!-- loom:panel\b/;
const OWN_MARKS = /<!-- loom:[^>]{0,300}-->/g;

const isThat =
  ({ comment, on = "thread" }: IncomingComment) =>
  ({ id, kind }: ThreadComment): boolean =>
    id === comment && kind === on;

/**
 * What was said before the command, the newest where there is too much: by their numbers in the thread, by their time where
 * numbers tell nothing. One that somebody edited since the command is left out: nobody knows any more what it said (T3).
 */
export function remarksBefore(comments: readonly ThreadComment[], incoming: IncomingComment): Remark[] {
  const { comment: command, on = "thread" } = incoming;
  const asked = comments.find(isThat(incoming))?.at ?? "";
  const isBefore = ({ id, kind, at }: ThreadComment): boolean => {
    if (command === null || kind !== on) return command !== null && at < asked;
    return id < command && (kind === "thread" || at <= asked);
  };
  const counts = ({ own, body, editedAt }: ThreadComment): boolean =>
    own ? !PANEL.test(body) : editedAt === null || editedAt < asked;
  return (
    comments
      .filter((comment) => isBefore(comment) && counts(comment))
      // Times are whole seconds; numbers grow everywhere.
      .sort((one, other) => one.at.localeCompare(other.at) || one.id - other.id)
      .slice(-MAX_REMARKS)
      .map(({ author, at, body, own, place }) => {
        const text = own ? body.replace(OWN_MARKS, "").trim() : body;
        return {
          author,
          at,
          text: text.slice(0, MAX_REMARK_CHARS),
          own,
          ...(place === null ? {} : { place }),
        };
      })
  );
}
