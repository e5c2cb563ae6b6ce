/** How much of a secret has to be there in one piece before it counts as leaked. */
export const SHORTEST_FRAGMENT = 16;
/** Half of that: then every piece of that length holds one of these at a place that is looked at. */
const GRAM = SHORTEST_FRAGMENT / 2;
/** A secret such as `aaaa…` has the same letters at all of its places; a few of them are enough to find it. */
const MOST_PLACES = 8;

export type Range = { readonly from: number; readonly to: number };
type Place = { readonly secret: string; readonly at: number };

/**
 * Finds long pieces of secrets, such as one that lost its first letters where an output was cut. Looks at every eighth
 * place of the text only, so the time grows with the text and hardly with the secrets.
 */
export function createFragmentFinder(secrets: readonly string[]): (text: string) => Range[] {
  const grams = new Map<string, Place[]>();
  const seen = createGramFilter();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_FRAGMENT) continue;
    for (let at = 0; at + GRAM <= secret.length; at += 1) {
      const gram = secret.slice(at, at + GRAM);
      const places = grams.get(gram);
      if (places === undefined) {
        grams.set(gram, [{ secret, at }]);
        seen.add(gram);
      } else if (places.length < MOST_PLACES) places.push({ secret, at });
    }
  }
  return (text) => {
    const ranges: Range[] = [];
    for (let at = 0, next = GRAM; at + GRAM <= text.length; at = next, next += GRAM) {
      if (!seen.mayHold(text, at)) continue;
      for (const place of grams.get(text.slice(at, at + GRAM)) ?? []) {
        const range = extend(text, at, place);
        if (range.to - range.from < SHORTEST_FRAGMENT) continue;
        ranges.push(range);
        // Whatever goes on beyond its end is seen there as well.
        next = Math.max(next, Math.floor((range.to - SHORTEST_FRAGMENT) / GRAM) * GRAM);
      }
    }
    return joined(ranges);
  };
}

/** Right only when it says no, which takes neither a piece of the text nor a look into the table. */
function createGramFilter() {
  const bits = new Uint32Array(2 ** 11);
  const hash = (text: string, at: number): number =>
    Math.imul(
      (text.charCodeAt(at) << 18) ^ (text.charCodeAt(at + 3) << 9) ^ text.charCodeAt(at + 7),
      0x9e3779b1,
    ) >>> 16;
  return {
    add(gram: string): void {
      const bit = hash(gram, 0);
      bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    },
    mayHold(text: string, at: number): boolean {
      const bit = hash(text, at);
      return ((bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
    },
  };
}

function extend(text: string, at: number, { secret, at: inSecret }: Place): Range {
  let before = 0;
  while (before < inSecret && before < at && text[at - before - 1] === secret[inSecret - before - 1])
    before += 1;
  let length = GRAM;
  while (
    at + length < text.length &&
    text[at + length] === secret[inSecret + length] &&
    inSecret + length < secret.length
  )
    length += 1;
  return { from: at - before, to: at + length };
}

/** In order; those that touch are one. */
export function joined(ranges: readonly Range[]): Range[] {
  if (ranges.length < 2) return [...ranges];
  const result: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && range.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else result.push(range);
  }
  return result;
}
