import { asSeen } from "./as-seen.ts";
import { createFragmentFinder, joined, type Range } from "./find-fragments.ts";
import { findKnownKeys } from "./find-known-keys.ts";

export type Redact = (text: string) => string;

const SHORTEST = 8;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)$/i;

/** Such as redis://user:password@host. */
const PASSWORD_IN_ADDRESS = /^[a-z][a-z\d+.-]*:\/\/[^:@/?#]*:([^@/?#]+)@/i;

/**
 * Takes secrets out by their values, as they are, in base64 and as part of an address, whole or a long piece of them,
 * whatever printed them; then whatever looks like a key of a kind that is known (T18). What is invisible, or gone once a
 * text is shown, does not keep two halves of a secret apart. Values are taken from variables whose names say that they
 * are secret, from addresses that hold a password, and from `more`; very short ones would blacken ordinary words.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Redact {
  const named = Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) ? [value] : passwordsIn(value),
  );
  const values = [...named, ...more].filter((value) => value.length >= SHORTEST);
  const forms = new Set(values.flatMap((value) => [value, encodeURIComponent(value), ...base64Forms(value)]));
  const findFragments = createFragmentFinder([...forms]);
  const find = (text: string): Range[] =>
    joined([
      ...[...forms].flatMap((form) => placesOf(form, text)),
      ...findFragments(text),
      ...findKnownKeys(text),
    ]);
  return (text) => {
    const clean = cutOut(text, find(text));
    const seen = asSeen(clean);
    if (seen === null) return clean;
    const place = (at: number): number => seen.places[at] ?? clean.length;
    return cutOut(
      clean,
      find(seen.text).map(({ from, to }) => ({ from: place(from), to: place(to - 1) + 1 })),
    );
  };
}

function placesOf(form: string, text: string): Range[] {
  const places: Range[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length))
    places.push({ from: at, to: at + form.length });
  return places;
}

const MASK = "[secret]";

/** As it is written in the address, and as it is meant. */
function passwordsIn(address: string): string[] {
  const password = PASSWORD_IN_ADDRESS.exec(address)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function cutOut(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  let end = 0;
  const kept = ranges.map(({ from, to }) => {
    const before = text.slice(end, from);
    end = to;
    return `${before}${MASK}`;
  });
  return `${kept.join("")}${text.slice(end)}`;
}

/** Depending on what stands before it, a text has three forms in base64; the first and last letters depend on neighbours. */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const text = btoa(String.fromCharCode(...padded)).replace(/=+$/, "");
    const first = shift === 0 ? 0 : shift + 1;
    const whole = Math.floor(((shift + bytes.length) * 8) / 6);
    return text.slice(first, whole);
  });
}

/** Every text inside a JSON value. */
export function redactAll<T>(value: T, redact: Redact): T {
  const mapped = map(value, redact);
  return mapped as T;
}

function map(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => map(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one, redact)]));
}
