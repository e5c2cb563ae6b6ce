/**
 * Whether some path can match both globs. A plain path is also the folder of that name, for what clearly lies in it;
 * the empty path is the root. Never misses an overlap otherwise; a character class counts as any character, and braces
 * with very many alternatives as anything, so it may see one where there is none.
 */
export function globsOverlap(a: string, b: string): boolean {
  if (liesIn(a, b) || liesIn(b, a)) return true;
  const [first, second] = [expandBraces(a), expandBraces(b)];
  if (!first || !second) return true;
  const others = second.map(toSegments);
  return first.some((one) => others.some((other) => pathsOverlap(toSegments(one), other)));
}

function liesIn(folder: string, glob: string): boolean {
  return folder === "" || (!isGlob(folder) && literalStart(glob).startsWith(`${folder}/`));
}

export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path) || path.endsWith("/");
}

/**
 * Calls back with each two of the globs that may overlap as far as their fixed beginnings tell, until it returns false.
 * Sorted by these beginnings, all that a glob has to be compared with stand on a stack, so a thousand globs of a
 * thousand folders need no million comparisons.
 */
export function eachCandidatePair(globs: Iterable<string>, visit: (a: string, b: string) => boolean): void {
  const sorted = Array.from(globs, (glob) => ({ glob, start: literalStart(glob) })).sort((a, b) =>
    a.start < b.start ? -1 : a.start > b.start ? 1 : 0,
  );
  const stack: { glob: string; start: string }[] = [];
  for (const one of sorted) {
    while (stack.length > 0 && !one.start.startsWith(stack.at(-1)?.start ?? "")) stack.pop();
    for (const other of stack) if (!visit(other.glob, one.glob)) return;
    stack.push(one);
  }
}

const MAX_ALTERNATIVES = 64;

/** All the ways to read the braces; null when there are too many, or some are escaped. */
function expandBraces(glob: string): string[] | null {
  if (/\\[{},]/.test(glob)) return null;
  let open: string[] = [glob];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const inner = /\{([^{}]*)\}/.exec(one);
      if (!inner) done.push(one);
      else {
        const [braces, alternatives = ""] = inner;
        const before = one.slice(0, inner.index);
        const after = one.slice(inner.index + braces.length);
        for (const alternative of alternatives.split(",")) next.push(before + alternative + after);
      }
    }
    if (next.length + done.length > MAX_ALTERNATIVES) return null;
    open = next;
  }
  return done;
}

/** What every path begins with that the glob can match; a plain path is taken as a folder. */
function literalStart(glob: string): string {
  const start = /^[^*?[{\\]*/.exec(glob)?.[0] ?? "";
  return start === glob && start !== "" && !start.endsWith("/") ? `${start}/` : start;
}

function toSegments(glob: string): string[] {
  return (glob.endsWith("/") ? `${glob}**` : glob).split("/").filter((part) => part !== "" && part !== ".");
}

function pathsOverlap(a: readonly string[], b: readonly string[]): boolean {
  return meet(
    a.length,
    b.length,
    (i) => a[i] === "**",
    (j) => b[j] === "**",
    (i, j) => segmentsOverlap(a[i] ?? "", b[j] ?? ""),
  );
}

function segmentsOverlap(a: string, b: string): boolean {
  const [first, second] = [toTokens(a), toTokens(b)];
  return meet(
    first.length,
    second.length,
    (i) => first[i] === "*",
    (j) => second[j] === "*",
    (i, j) => first[i] === "?" || second[j] === "?" || first[i] === second[j],
  );
}

/** Literal characters carry a mark, so that an escaped star is not a star. */
function toTokens(segment: string): string[] {
  const parts = segment.match(/\\.|\[[^\]]*\]|\*+|[\s\S]/gu) ?? [];
  return parts.map((part) => {
    if (part.startsWith("*")) return "*";
    if (part === "?" || part.startsWith("[")) return "?";
    return `=${part.startsWith("\\") ? part.slice(1) : part}`;
  });
}

/**
 * Walks two sequences side by side, where a wild item stands for any number of items of the other one. Works through a
 * table, so that patterns full of stars take the product of their lengths and no more.
 */
function meet(
  lengthA: number,
  lengthB: number,
  isWildA: (i: number) => boolean,
  isWildB: (j: number) => boolean,
  match: (i: number, j: number) => boolean,
): boolean {
  let below: boolean[] = [];
  for (let i = lengthA; i >= 0; i -= 1) {
    const row: boolean[] = [];
    for (let j = lengthB; j >= 0; j -= 1) {
      const skipA = i < lengthA && isWildA(i);
      const skipB = j < lengthB && isWildB(j);
      row[j] =
        (i === lengthA && j === lengthB) ||
        (skipA && ((below[j] ?? false) || (row[j + 1] ?? false))) ||
        (skipB && ((row[j + 1] ?? false) || (below[j] ?? false))) ||
        (i < lengthA && j < lengthB && !skipA && !skipB && match(i, j) && (below[j + 1] ?? false));
    }
    below = row;
  }
  return below[0] ?? false;
}
