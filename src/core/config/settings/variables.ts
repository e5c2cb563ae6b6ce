import type { Environment } from "../harness-settings.ts";

/** Reads variables of the environment. One that is malformed is a warning, and the fallback stands. */
export type Variables = {
  readonly warnings: readonly string[];
  /** What each reading came to, by name. */
  readonly used: ReadonlyMap<string, UsedValue>;
  /** 0 or more. */
  amount(name: string, fallback: number, most: number): number;
  /** 0 or more, and what is behind the point does not count. */
  count(name: string, fallback: number, most: number): number;
  /** More than 0. */
  positive(name: string, fallback: number, most: number): number;
  wholeNumber<T extends number | null>(name: string, fallback: T, most?: number): number | T;
  seconds(
    name: string,
    fallback: readonly number[],
    most: { readonly each: number; readonly items: number },
  ): number[];
  word<T extends string>(name: string, fallback: T, known: readonly T[]): T;
  /** Divided by commas or spaces, in small letters; what is wrong with one of them is told in a sentence, and that one is passed over. */
  words(name: string, fallback: readonly string[], wrong: (word: string) => string | null): string[];
  warn(name: string, text: string): void;
  /** For readers of their own: what theirs came to. */
  took(name: string, text: string): void;
};

export type UsedValue = {
  /** As people write it; null: the fallback is used, because nothing was written or nothing that can be used. */
  readonly text: string | null;
  readonly problem: string | null;
};

export function createVariables(env: Environment): Variables {
  const warnings: string[] = [];
  const used = new Map<string, UsedValue>();
  const before = (name: string): UsedValue => used.get(name) ?? { text: null, problem: null };
  const warn = (name: string, text: string): void => {
    warnings.push(text);
    const { problem, ...rest } = before(name);
    used.set(name, { ...rest, problem: problem === null ? text : `${problem} ${text}` });
  };
  const took = (name: string, text: string): void => void used.set(name, { ...before(name), text });
  const complain = (name: string, wrong: string, fallback: string): void =>
    warn(name, `${name}=${shown(env[name] ?? "")} is ${wrong}; using ${fallback}.`);
  const given = (name: string): string | null => env[name]?.trim() || null;
  const number = (
    name: string,
    fallback: number,
    isGood: (value: number) => boolean,
    what: string,
    most: number,
  ): number => {
    const text = given(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (Number.isNaN(value) || !isGood(value) || value > most) {
      complain(name, value > most ? `more than ${most}` : `not ${what}`, String(fallback));
      return fallback;
    }
    took(name, String(value));
    return value;
  };
  const amount: Variables["amount"] = (name, fallback, most) =>
    number(name, fallback, (value) => value >= 0, "a number of at least 0", most);

  return {
    warnings,
    used,
    warn,
    took,
    amount,

    count(name, fallback, most) {
      const value = Math.floor(amount(name, fallback, most));
      if (before(name).text !== null) took(name, String(value));
      return value;
    },

    positive: (name, fallback, most) =>
      number(name, fallback, (value) => value > 0, "a number above 0", most),

    wholeNumber(name, fallback, most = Number.MAX_SAFE_INTEGER) {
      const text = given(name);
      if (text === null) return fallback;
      const value = Number(text);
      if (Number.isSafeInteger(value) && value >= 1 && value <= most) {
        took(name, String(value));
        return value;
      }
      const wrong = value > most ? `more than ${most}` : "not a whole number of at least 1";
      complain(name, wrong, fallback === null ? "none" : String(fallback));
      return fallback;
    },

    seconds(name, fallback, most) {
      const text = env[name];
      if (text === undefined) return [...fallback];
      const values = text.trim() === "" ? [] : text.split(",").map(toNumber);
      const wrong = problemOf(values, most);
      if (wrong === null) {
        took(name, values.join(","));
        return values;
      }
      complain(name, wrong, fallback.join(","));
      return [...fallback];
    },

    word(name, fallback, known) {
      const text = given(name);
      if (text === null) return fallback;
      const value = known.find((one) => one === text.toLowerCase());
      if (value !== undefined) {
        took(name, value);
        return value;
      }
      complain(name, `not ${known.join(", ").replace(/, (?=[^,]*$)/, " or ")}`, fallback);
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
          if (reason !== null) warn(name, `${name}: ${reason} It is passed over.`);
          return reason === null;
        });
      const words = [...new Set(kept)];
      took(name, words.join(","));
      return words;
    },
  };
}

function problemOf(
  values: readonly number[],
  { each, items }: { readonly each: number; readonly items: number },
): string | null {
  if (!values.every((value) => value >= 0)) return "not a list of seconds such as 0,600,3600";
  if (values.length > items) return `a list of more than ${items}`;
  return values.some((value) => value > each) ? `more than ${each} seconds` : null;
}

function toNumber(part: string): number {
  return part.trim() === "" ? Number.NaN : Number(part);
}

/** A value as a sentence shows it. */
export function shown(text: string): string {
  const line = text.trim().replaceAll(/[\s\p{Cc}]+/gu, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
