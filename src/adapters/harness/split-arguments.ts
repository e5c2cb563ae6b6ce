import { UserError } from "../../core/errors.ts";

/**
 * Splits a line the way a shell would: blanks part, quotes and backslashes hold together. Nothing is expanded, so
 * `$HOME` and `*` stay as they are. A line that starts with `[` is a JSON array of strings instead.
 */
export function splitArguments(line: string, name: string): string[] {
  if (line.trimStart().startsWith("[")) return readArray(line, name);
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "\\" && quote !== "'") {
      const next = line.charAt(at + 1);
      if (next === "") throw malformed(name, "it ends with a backslash that protects nothing");
      // Between double quotes a backslash stands for itself unless it is needed.
      const literal = quote === '"' && !['"', "\\", "$", "`"].includes(next);
      word = `${word ?? ""}${literal ? "\\" : ""}${next}`;
      at += 1;
    } else if (quote !== null) {
      if (character === quote) quote = null;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = `${word ?? ""}${character}`;
    }
  }
  if (quote !== null) throw malformed(name, `a ${quote} is not closed`);
  if (word !== null) words.push(word);
  return words;
}

function readArray(line: string, name: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw malformed(name, "it starts with [ but is not JSON", cause);
  }
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) {
    throw malformed(name, "it starts with [ but is not a list of strings");
  }
  return value;
}

function malformed(name: string, why: string, cause?: unknown): UserError {
  return new UserError(`${name} can't be split into arguments: ${why}.`, {
    next: `Write it as in a shell, such as --flag "two words", or as JSON, such as ["--flag", "two words"].`,
    exitCode: 2,
    cause,
  });
}
