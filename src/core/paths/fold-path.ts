/**
 * How the most careless file system would read a name: without case, without characters that HFS+ ignores, without the
 * endings that NTFS drops. Names are compared in this form, so that `.GitHub`, `.git\u200chub` and `.github.` are all
 * `.github` (T15).
 */
export function foldPath(path: string): string {
  return path.split("/").map(foldName).join("/");
}

export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .replace(IGNORED_BY_HFS, "")
    .toLowerCase()
    .normalize("NFKC")
    .replace(TURKISH_I, "i")
    .replace(/:.*$/s, "")
    .replace(/(?<![. ])[. ]+$/, "");
}

/** As nearly all are: of the rest, none has anything to do with it. */
const PLAIN = /^[\w-]+(?:\.[\w-]+)*$/;

const IGNORED_BY_HFS = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Without a dot, or with one that became a mark of its own; in some languages both are the `i` of other case. */
const TURKISH_I = /\u0131|i\u0307/g;

/**
 * Would NTFS give a file of this name the short name `candidate`, such as `GITHUB~1` for `.github`? Once four files share
 * that, it goes on with two letters and a hash: `GI7EBA~1` for `.gitmodules`. The hash depends on the case of the name on
 * the disk, so every hash counts; nobody names files like that.
 */
export function isShortNameOf(candidate: string, name: string): boolean {
  const [, short] = /^([^~]{1,6})~\d+(?:\.[^.]{0,3})?$/.exec(candidate.toLowerCase()) ?? [];
  if (short === undefined) return false;
  const stem = name
    .replace(/^\.+/, "")
    .replace(/\.[^.]*$/, "")
    .replace(/[^a-z0-9_-]/g, "");
  return (
    stem.slice(0, 6) === short || (/^..[0-9a-f]{4}$/.test(short) && stem.slice(0, 2) === short.slice(0, 2))
  );
}
