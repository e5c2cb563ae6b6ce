import { asSeen } from "./as-seen.ts";
import { joined, type Range } from "./find-fragments.ts";
import { findKnownKeys } from "./find-known-keys.ts";
import { createSecretFinder } from "./find-secrets.ts";
import { secretValues } from "./secret-values.ts";

export type Redact = (text: string) => string;

/**
 * Takes secrets out by their values, as they are and in the encodings that need no key, whole or a long piece of them,
 * whatever printed them; then whatever looks like a key of a kind that is known (T18, T41). What is invisible, or gone once
 * a text is shown, does not keep two halves of a secret apart. Which values of an environment are secret is
 * `secret-values.ts`; `more` holds others.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Redact {
  return redactorOf(createSecretFinder(secretValues(env, more)));
}

/** For whoever looks for the same secrets in other ways, too. */
export function redactorOf(findSecrets: (text: string) => Range[]): Redact {
  const find = (text: string): Range[] => joined([...findSecrets(text), ...findKnownKeys(text)]);
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

const MASK = "[secret]";

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
