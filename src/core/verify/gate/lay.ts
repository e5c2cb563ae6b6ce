/**
 * What a file would be if the base decided over its part of the gate. null: there is no such file. It is the commit's own
 * text when the commit changes nothing of that part.
 */
export type Lay = (base: string | null, commit: string | null, tools?: Tools) => string | null;

/** Names by which the base's scripts could call what is installed: of packages, and of their programs. */
export type Tools = ReadonlySet<string>;

/** Only what `strip` leaves of the file decides over the gate; when that was changed, all of it is the base's. */
export function unlessOnly(strip: (text: string) => string): Lay {
  return (base, commit) =>
    base !== null && commit !== null && strip(base) === strip(commit) ? commit : base;
}
