/** How much of a secret has to be there in one piece before it counts as leaked. */
export const SHORTEST_FRAGMENT = 16;
/** Half of that: then every piece of that length holds one of these at a place that is looked at. */
const GRAM = SHORTEST_FRAGMENT / 2;
/** A secret such as `aaaa…` has the same letters at all of its places; a few of them are enough to find it. */
const MOST_PLACES = 8;

export type Range = { readonly from: number; readonly to: number };

/**
 * Finds long pieces of secrets, such as one that lost its first letters where an output was cut. Looks at every eighth
 * place of the text only, so the time grows with the text and hardly with the secrets.
 *
 * A private key has tens of thousands of places in all its forms, and a service looks for it all the time: so they are kept
 * as numbers. A map of their letters took 70 MB, and longer to make than a service takes to start.
 */
export function createFragmentFinder(secrets: readonly string[]): (text: string) => Range[] {
  const places = createPlaces(secrets.filter((secret) => secret.length >= SHORTEST_FRAGMENT));
  return (text) => {
    const ranges: Range[] = [];
    for (let at = 0, next = GRAM; at + GRAM <= text.length; at = next, next += GRAM) {
      for (let place = places.find(text, at); place !== NONE; place = places.findNext(place, text, at)) {
        const range = extend(text, at, places.secretOf(place), places.atOf(place));
        if (range.to - range.from < SHORTEST_FRAGMENT) continue;
        ranges.push(range);
        // Whatever goes on beyond its end is seen there as well.
        next = Math.max(next, Math.floor((range.to - SHORTEST_FRAGMENT) / GRAM) * GRAM);
      }
    }
    return joined(ranges);
  };
}

const NONE = -1;

/** Where in the secrets which eight letters stand: a table of chains, one for each value that these letters are reduced to. */
function createPlaces(secrets: readonly string[]) {
  const most = secrets.reduce((sum, secret) => sum + secret.length - GRAM + 1, 0);
  const bits = Math.max(8, Math.ceil(Math.log2(most * 2)));
  const heads = new Int32Array(2 ** bits).fill(NONE);
  const nexts = new Int32Array(most);
  const owners = new Int32Array(most);
  const starts = new Int32Array(most);
  // Of all eight letters: forms such as 0x410x42 have the same ones at every second place.
  const reduce = (text: string, at: number): number => {
    let sum = 0;
    for (let n = 0; n < GRAM; n += 1)
      sum = Math.imul(sum ^ text.charCodeAt(at + n), 0x9e3779b1) ^ (sum >>> 15);
    return Math.imul(sum ^ (sum >>> 13), 0x85ebca6b) >>> (32 - bits);
  };
  const secretOf = (place: number): string => secrets[owners[place] ?? 0] ?? "";
  const atOf = (place: number): number => starts[place] ?? 0;

  function sameFrom(first: number, text: string, at: number): number {
    let place = first;
    while (place !== NONE && !isSame(text, at, secretOf(place), atOf(place))) place = nexts[place] ?? NONE;
    return place;
  }
  const find = (text: string, at: number): number => sameFrom(heads[reduce(text, at)] ?? NONE, text, at);
  const findNext = (place: number, text: string, at: number): number =>
    sameFrom(nexts[place] ?? NONE, text, at);

  let count = 0;
  for (const [owner, secret] of secrets.entries()) {
    for (let at = 0; at + GRAM <= secret.length; at += 1) {
      let known = 0;
      for (let one = find(secret, at); one !== NONE && known < MOST_PLACES; one = findNext(one, secret, at))
        known += 1;
      if (known === MOST_PLACES) continue;
      const head = reduce(secret, at);
      owners[count] = owner;
      starts[count] = at;
      nexts[count] = heads[head] ?? NONE;
      heads[head] = count;
      count += 1;
    }
  }
  return { find, findNext, secretOf, atOf };
}

function isSame(text: string, at: number, other: string, inOther: number): boolean {
  for (let n = 0; n < GRAM; n += 1)
    if (text.charCodeAt(at + n) !== other.charCodeAt(inOther + n)) return false;
  return true;
}

function extend(text: string, at: number, secret: string, inSecret: number): Range {
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
