import type { Stats } from "node:fs";

/**
 * Who else can write to a file that only this user may: then it says what somebody else wants. null: nobody. Where the
 * system knows no such rights, nothing can be said.
 */
export function foreignWriters(
  { uid, mode }: Pick<Stats, "uid" | "mode">,
  self: number | undefined = process.geteuid?.(),
): string | null {
  if (self === undefined) return null;
  if (uid !== self) return `it belongs to user ${uid}, and Loom runs as user ${self}`;
  if ((mode & 0o002) !== 0) return "everybody may write to it";
  return (mode & 0o020) === 0 ? null : "its group may write to it";
}
