/**
 * What a part of a request's body may look like. `null`: anything, unexamined. Else a shape is a list of what is allowed: an
 * object only where `keys` are given, and then with those keys alone; a list only where `items` are; of texts and other
 * plain values all that the functions let pass.
 */
export type Shape = null | {
  readonly keys?: Readonly<Record<string, Shape>>;
  /** Of an object: whether it is whole with these keys. Without it none has to be there. */
  readonly isWhole?: (keys: ReadonlySet<string>) => boolean;
  readonly items?: Shape;
  /** Sees at most the first 512 characters. Without it any text is good. */
  readonly text?: (value: string) => boolean;
  /** For numbers, `true`, `false` and `null` as they are written. Without it any is good. */
  readonly plain?: (token: string) => boolean;
};

/** A text that is one of these. */
export function oneOf(...words: readonly string[]): Shape {
  const known = new Set(words);
  return { text: (value) => known.has(value), plain: isNull };
}

/** The same, and never null in its place. */
export function always(...words: readonly string[]): Shape {
  return { ...oneOf(...words), plain: () => false };
}

/** Members that may be there, whatever they hold. */
export function free(...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Bytes that are in the request itself; any other address the provider would fetch. */
export const DATA_URL: Shape = { text: (value) => /^data:/i.test(value), plain: isNull };

/** The same where bytes may also stand by themselves: nothing that is spelled in these letters is an address. */
export const BYTES: Shape = {
  text: (value) => /^data:/i.test(value) || /^[\w+/=-]*$/.test(value),
  plain: isNull,
};

/** An object with these members, and never a text in its place. */
export function onlyObject(keys: Readonly<Record<string, Shape>>): Shape {
  return { keys, text: () => false, plain: isNull };
}

/** Not there, or switched off. */
export const OFF: Shape = { text: () => false, plain: (token) => token === "false" || token === "null" };

/** Models that search or browse by themselves are a way out; some are chosen by a suffix. */
const SEARCHES = /:online|(?:^|[^a-z])search|deep-research|(?:^|\/)(?:compound|sonar)/i;

export const MODEL_NAME: Shape = {
  text: (value) => /^[\w.:/@+~-]{1,200}$/.test(value) && !SEARCHES.test(value),
};

export function isNull(token: string): boolean {
  return token === "null";
}
