/** "a, b and 3 more": the first of a list in one line, and how many are left out. */
export function listSome(items: readonly string[], most: number): string;
export function listSome<T>(items: readonly T[], most: number, show: (item: T) => string): string;
export function listSome<T>(items: readonly T[], most: number, show: (item: T) => string = String): string {
  return andMore(
    items.slice(0, most).map((item) => show(item)),
    items.length - most,
  );
}

/** The same for a choice that has been made already. */
export function andMore(shown: readonly string[], left: number): string {
  return left > 0 ? `${shown.join(", ")} and ${left} more` : shown.join(", ");
}
