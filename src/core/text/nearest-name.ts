/** The known name that a mistyped one most likely stands for, or null when none is close. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = simplify(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const simple = simplify(candidate);
    if (Math.abs(simple.length - wanted.length) > limit) continue;
    const distance = simple === wanted ? 0 : editDistance(wanted, simple, limit);
    if (distance <= limit && (!best || distance < best.distance)) best = { name: candidate, distance };
    if (best?.distance === 0) break;
  }
  return best?.name ?? null;
}

/** `working-dir`, `workingDir` and `working_dir` are one word. */
function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "");
}

/** Letters to insert, remove, replace or swap with their neighbour; gives up above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a.charAt(i - 1) === b.charAt(j - 1);
      const swapped =
        i > 1 && j > 1 && a.charAt(i - 1) === b.charAt(j - 2) && a.charAt(i - 2) === b.charAt(j - 1);
      const cost = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (same ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return least;
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
