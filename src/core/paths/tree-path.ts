/**
 * Paths and globs of a plan, which become arguments and places to read and write. They are seen from the stage's
 * working folder; one that begins with `../` may go up as far as the root of the work tree, and no further.
 */
export type TreePath =
  | {
      readonly kind: "inside";
      /** As it stands in the plan, without `./`; seen from the root when it went up. */
      readonly path: string;
      /** Seen from the root. */
      readonly fromRoot: string;
    }
  | { readonly kind: "refused"; readonly reason: string };

const MAX_LENGTH = 1000;
// Also inside braces: `{a,../b}` is as much of a way out as `../b`.
const GOES_UP = /(?:^|[/\\{,(|])\.\.(?:$|[/\\},)|])/;

export function resolveInTree(folder: string, written: string): TreePath {
  const reason = refusalOf(written);
  if (reason) return { kind: "refused", reason };
  const base = partsOf(folder);
  const parts = partsOf(written);
  const ups = parts.findIndex((part) => part !== "..");
  const climbs = ups === -1 ? parts.length : ups;
  const below = parts.slice(climbs).join("/");
  const rest = below !== "" && written.endsWith("/") ? `${below}/` : below;
  if (climbs > base.length || GOES_UP.test(rest)) {
    return { kind: "refused", reason: "leads out of the work tree" };
  }
  const prefix = base.slice(0, base.length - climbs);
  const path = (climbs > 0 ? [...prefix, rest].join("/") : rest) || ".";
  // `./-x` and `../-x` are shortened to `-x`, which is what becomes an argument.
  const shortened = refusalOf(path);
  if (shortened) return { kind: "refused", reason: shortened };
  const fromRoot = startsInside(folder, rest) ? rest : [...prefix, rest].join("/");
  return { kind: "inside", path, fromRoot };
}

function startsInside(folder: string, path: string): boolean {
  return folder !== "." && path.startsWith(`${partsOf(folder).join("/")}/`);
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function refusalOf(path: string): string | null {
  if (path.trim() === "") return "is empty";
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (/[\r\n]/.test(path)) return "holds a line break";
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(path)) return "is absolute";
  if (path.startsWith("~")) return "begins with `~`";
  if (path.startsWith("-")) return "begins with `-`";
  if (path.startsWith("!")) return "begins with `!`";
  return null;
}
