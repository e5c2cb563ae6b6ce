import { plainLines, UNSEEN } from "./escape-text.ts";

// The blank of Braille has a width and nothing on it.
const NOTHING = new RegExp(`[\\s\\u2800]|${UNSEEN}`, "gu");

/** What a person has said, as plain text; nothing where there is nothing to see, as on GitHub so in a terminal. */
export function wordsIn(text: string): string {
  const words = plainLines(text).trim();
  return words.replace(NOTHING, "") === "" ? "" : words;
}
