import { plainLines } from "../../../core/text/escape-text.ts";

const MAX_LENGTH = 2_000;

/** The last lines that a program wrote to standard error: often all it says when it can't start. */
export function createLastWords() {
  let words = "";
  return {
    add(line: string): void {
      const text = plainLines(line.slice(0, MAX_LENGTH)).trim();
      if (text !== "") words = `${words}\n${text}`.slice(-MAX_LENGTH);
    },
    text(): string | null {
      const text = words.trim();
      return text === "" ? null : text;
    },
  };
}
