import type { SeenChange } from "../../task/task-events.ts";
import { counted } from "../../text/durations.ts";

/** How much of a large change an agent saw, for people who take its findings for all there is; null: it was shown all. */
export function seenText(seen: SeenChange | undefined): string | null {
  if (!seen || seen.shown >= seen.files) return null;
  const { files, shown, readable } = seen;
  const told = [
    `was shown ${shown === 0 ? "no diff" : counted(shown, "diff")} in full`,
    ...(readable > shown ? [`could read ${readable - shown} in a file`] : []),
    ...(files > readable ? [`was not given all of ${files - readable}`] : []),
  ];
  const list = `${told.slice(0, -1).join(", ")} and ${told.at(-1)}`;
  return `The change is large: of ${counted(files, "file")}, the agent ${list}.`;
}
