/**
 * How the most careless file system would read a name: without case, without characters that HFS+ ignores, without the
 * endings that NTFS drops. Names are compared in this form, so that `.GitHub`, `.git\u200chub` and `.github.` are all
 * `.github` (T15).
 */
export function foldPath(path: string): string {
  return path.split("/").map(foldName).join("/");
}

export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(IGNORED_BY_HFS, "")
    .toLowerCase()
    .normalize("NFKC")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "");
}

const IGNORED_BY_HFS = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Would NTFS give a file of this name the short name `candidate`, such as `GITHUB~1` for `.github`? */
export function isShortNameOf(candidate: string, name: string): boolean {
  const short = /^([^~]{1,6})~\d+(?:\.[^.]{0,3})?$/.exec(candidate.toLowerCase());
  if (!short) return false;
  const stem = name.replace(/^\.+/, "").replace(/\.[^.]*$/, "");
  return stem.replace(/[^a-z0-9_-]/g, "").slice(0, 6) === short[1];
}
