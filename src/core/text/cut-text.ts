import { counted } from "./durations.ts";
import { plainLines, plainText } from "./escape-text.ts";

/** One line of at most so many characters. */
export function shortLine(text: string, maxChars: number): string {
  const line = plainText(text.slice(0, maxChars * 4));
  return line.length > maxChars ? `${cutAt(line, maxChars - 1).trimEnd()}…` : line;
}

/** The beginning of a text of several lines; what is missing is counted. */
export function shortText(text: string, maxChars: number): string {
  const plain = plainLines(text).trim();
  if (plain.length <= maxChars) return plain;
  const kept = cutAt(plain, maxChars).trimEnd();
  return `${kept}\n… (${counted(plain.length - kept.length, "more character")})`;
}

/** Never through the middle of a character that takes two units. */
export function cutAt(text: string, maxChars: number): string {
  return text.slice(0, Math.max(0, maxChars)).replace(/[\ud800-\udbff]$/, "");
}
