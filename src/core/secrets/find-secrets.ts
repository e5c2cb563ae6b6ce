import { createFragmentFinder, joined, type Range, SHORTEST_FRAGMENT } from "./find-fragments.ts";
import { encodedForms, squeezedForms } from "./secret-forms.ts";

/** In a text of letters and digits alone, shorter ones would come about by chance. */
const SHORTEST_SQUEEZED = 12;

/**
 * Where these secrets stand in a text: as they are, encoded, turned around, or a long piece of any of that. The text is
 * looked at twice, once as it is and once with nothing but its letters and digits, all small: so neither separators nor line
 * breaks nor capitals keep a secret from being found, and hex with colons, with `\x` or without anything is the same.
 *
 * Time grows with the text, and hardly with the secrets: long forms are found by a table of their pieces, only short ones
 * are looked for one by one.
 */
export function createSecretFinder(values: readonly string[]): (text: string) => Range[] {
  const plain = createFormFinder([...new Set(values.flatMap(encodedForms))]);
  const squeezed = createFormFinder(
    [...new Set(values.flatMap(squeezedForms))].filter((form) => form.length >= SHORTEST_SQUEEZED),
  );
  if (values.length === 0) return () => [];
  return (text) => {
    const found = plain(text);
    const small = text.replace(NEITHER_LETTER_NOR_DIGIT, "").toLowerCase();
    const hidden = squeezed(small);
    return hidden.length === 0 ? found : joined([...found, ...placedIn(text, hidden)]);
  };
}

const NEITHER_LETTER_NOR_DIGIT = /[^A-Za-z0-9]+/g;

function createFormFinder(forms: readonly string[]): (text: string) => Range[] {
  const short = forms.filter((form) => form.length < SHORTEST_FRAGMENT);
  const findFragments = createFragmentFinder(forms);
  return (text) => {
    const found = findFragments(text);
    for (const form of short) if (text.includes(form)) found.push(...placesOf(form, text));
    return joined(found);
  };
}

function placesOf(form: string, text: string): Range[] {
  const places: Range[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length))
    places.push({ from: at, to: at + form.length });
  return places;
}

/** Ranges of the letters and digits of a text, as ranges of the text. Both are in order, so one walk is enough. */
function placedIn(text: string, ranges: readonly Range[]): Range[] {
  const placed: Range[] = [];
  let seen = 0;
  let next = 0;
  let from = 0;
  for (let at = 0; at < text.length && next < ranges.length; at += 1) {
    if (!isLetterOrDigit(text.charCodeAt(at))) continue;
    const range = ranges[next];
    if (seen === range?.from) from = at;
    seen += 1;
    if (seen !== range?.to) continue;
    placed.push({ from, to: at + 1 });
    next += 1;
  }
  return placed;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
