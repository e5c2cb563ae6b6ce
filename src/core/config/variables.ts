import type { Environment } from "./harness-settings.ts";

/** Reads variables of the environment. One that is malformed is a warning, and the fallback stands. */
export type Variables = {
  readonly warnings: readonly string[];
  number(name: string, fallback: number, min: number): number;
  wholeNumber<T extends number | null>(name: string, fallback: T): number | T;
  seconds(name: string, fallback: readonly number[]): number[];
  word<T extends string>(name: string, fallback: T, known: readonly T[]): T;
  /** Divided by commas or spaces, in small letters; what is wrong with one of them is told in a sentence, and that one is passed over. */
  words(name: string, fallback: readonly string[], wrong: (word: string) => string | null): string[];
  warn(text: string): void;
};

export function createVariables(env: Environment): Variables {
  const warnings: string[] = [];
  const warn = (text: string): void => {
    warnings.push(text);
  };
  const complain = (name: string, wrong: string, used: string): void =>
    warn(`${name}=${shown(env[name] ?? "")} is not ${wrong}; using ${used}.`);
  const given = (name: string): string | null => env[name]?.trim() || null;

  return {
    warnings,
    warn,

    number(name, fallback, min) {
      const text = given(name);
      if (text === null) return fallback;
      const value = Number(text);
      if (Number.isFinite(value) && value >= min) return value;
      complain(name, `a number of at least ${min}`, String(fallback));
      return fallback;
    },

    wholeNumber(name, fallback) {
      const text = given(name);
      if (text === null) return fallback;
      const value = Number(text);
      if (Number.isSafeInteger(value) && value >= 1) return value;
      complain(name, "a whole number of at least 1", fallback === null ? "none" : String(fallback));
      return fallback;
    },

    seconds(name, fallback) {
      const text = env[name];
      if (text === undefined) return [...fallback];
      if (text.trim() === "") return [];
      const values = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
      if (values.every((value) => Number.isFinite(value) && value >= 0)) return values;
      complain(name, "a list of seconds such as 0,600,3600", fallback.join(","));
      return [...fallback];
    },

    word(name, fallback, known) {
      const text = given(name);
      if (text === null) return fallback;
      const value = known.find((one) => one === text.toLowerCase());
      if (value !== undefined) return value;
      complain(name, known.join(", ").replace(/, (?=[^,]*$)/, " or "), fallback);
      return fallback;
    },

    words(name, fallback, wrong) {
      const text = env[name];
      if (text === undefined) return [...fallback];
      const kept = text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((word) => word !== "")
        .filter((word) => {
          const reason = wrong(word);
          if (reason !== null) warn(`${name}: ${reason} It is passed over.`);
          return reason === null;
        });
      return [...new Set(kept)];
    },
  };
}

function shown(text: string): string {
  const line = text.trim().replaceAll(/[\s\p{Cc}]+/gu, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
