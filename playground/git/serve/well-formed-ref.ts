/** The rules of `git check-ref-format`, without a process for each ref of a push. */
export function isWellFormedRef(ref: string): boolean {
  if (!/^refs\/[^/]+\/./.test(ref) || /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|[/.]$/.test(ref)) return false;
  return ref.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}
