import { createFragmentFinder, type Range } from "./find-fragments.ts";

export type Redact = (text: string) => string;

const SHORTEST = 8;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)$/i;

/** Keys and tokens by their looks, whoever they belong to. */
const KNOWN_LOOKS = new RegExp(
  [
    "-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?",
    "\\b(?:gh[pousr]_|github_pat_|glpat-|npm_)[A-Za-z0-9_.-]{20,}",
    "\\bsk-[A-Za-z0-9_-]{20,}",
    "\\bAIza[0-9A-Za-z_-]{30,}",
    "\\bAKIA[0-9A-Z]{16}\\b",
    "\\bxox[abprs]-[A-Za-z0-9-]{10,}",
  ].join("|"),
  "g",
);

/** Such as redis://user:password@host. */
const PASSWORD_IN_ADDRESS = /^[a-z][a-z\d+.-]*:\/\/[^:@/?#]*:([^@/?#]+)@/i;

/**
 * Takes secrets out by their values, as they are, in base64 and as part of an address, whole or a long piece of them,
 * whatever printed them; then whatever looks like a key of a kind that is known (T18). Values are taken from variables
 * whose names say that they are secret, from addresses that hold a password, and from `more`; very short ones would
 * blacken ordinary words.
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
  // The longest first: a secret that contains another one has to go as a whole.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  const findFragments = createFragmentFinder(ordered);
  return (text) => {
    const whole = ordered.reduce((rest, form) => rest.replaceAll(form, MASK), text);
    return cutOut(whole, findFragments(whole)).replace(KNOWN_LOOKS, MASK);
  };
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
