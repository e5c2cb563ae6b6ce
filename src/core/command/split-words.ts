/** A word of a command line, as its author meant it. */
export type Word = {
  /** Without the quotes around it and the full stop behind it. */
  readonly text: string;
  /** The name of an option, in small letters; null for any other word. */
  readonly option: string | null;
  /** What stands behind the `=` of an option. */
  readonly value: string | null;
  /** Where it begins in the line. */
  readonly at: number;
};

const MAX_CHARS = 2_000;
const WORDS = /"[^"]*"|“[^”]*”|'[^']*'|`[^`]*`|\S+/g;
// Phones and word processors make other dashes of the two that were typed.
const OPTION = /^(?:[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]{1,2})([a-z][\w-]*)(?:[=:](.*))?$/i;

export function splitWords(text: string): Word[] {
  return [...text.slice(0, MAX_CHARS).matchAll(WORDS)]
    .map(({ 0: written, index }) => {
      const word = unwrap(written);
      const [, option, value] = OPTION.exec(word) ?? [];
      return {
        text: word,
        option: option === undefined ? null : option.toLowerCase(),
        value: value === undefined ? null : unwrap(value),
        at: index,
      };
    })
    .filter(({ text }) => text !== "");
}

/** The first word and what stands behind it. */
export function splitFirst(text: string): [word: string, rest: string] {
  const end = text.search(/\s/);
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end).trimStart()];
}

/** Quotes, code marks, the brackets of a usage line and the end of a sentence are not part of a name. */
export function unwrap(word: string): string {
  // No name is that long, and the search for the end of a sentence must not grow with the word.
  if (word.length > MAX_CHARS) return word;
  return word.replace(/^["'“”‘’`<[]+/, "").replace(/["'“”‘’`>\].,;:!?]+$/, "");
}
