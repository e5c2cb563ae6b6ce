/**
 * Text of an agent that goes into a table cell or a question: without escape sequences, control characters and the marks
 * that turn the direction of writing, all of which could redraw a person's terminal.
 */
export function toPlainText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(STRING_SEQUENCE, "")
    .replace(CONTROL_SEQUENCE, "")
    .replace(SHORT_SEQUENCE, "")
    .replace(INVISIBLE, "")
    .trim();
}

/** The same on one line, at most `limit` characters. */
export function toPlainLine(text: string, limit: number): string {
  return cutText(toPlainText(text).replace(/\s+/g, " "), limit);
}

/** Never splits a character; the ellipsis counts. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text.slice(0, limit * 2 + 2));
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
}

// Titles, links and other sequences that carry a text of their own: ESC ] … BEL, ESC P … ESC \ and their 8-bit forms.
const STRING_SEQUENCE =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g;
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g;
const SHORT_SEQUENCE = /\u001b[ -/]*[0-~]?/g;
// Control characters but tab and line feed; marks of direction; zero-width characters but the joiners.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
