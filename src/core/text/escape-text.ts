/**
 * Plans, agents and commands write texts that people read in a terminal or in Markdown. Such a text is data: it must
 * not move the cursor, set the title, turn the reading direction or open a code block. Everything dynamic passes
 * through one of these functions on its way out (T19).
 */

const ESC = "\\u001b";
// Strings that terminals take as one command: OSC, DCS, SOS, PM, APC, in their 7-bit and 8-bit forms. The body stops
// at any introducer, so that a text full of unfinished commands still takes linear time.
const COMMAND_BODY = `[^\\u0007\\u001b\\u0090\\u0098\\u009c-\\u009f]*`;
const ANSI = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])${COMMAND_BODY}(?:\\u0007|${ESC}\\\\|\\u009c)`,
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// Direction marks and overrides, and what has no width but can hide a difference: zero-width characters, tags,
// soft hyphens, fillers and blanks that are no spaces. What makes a letter an emoji stays; joined emoji fall apart into
// their parts, which also is what most terminals show.
const INVISIBLE = /(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;
const LINE_BREAKS = /\r\n?|[\u0085\u2028\u2029]/g;
// A letter carries a few marks in real languages; hundreds of them paint over the lines above.
const MARKS = /(\p{M}{3})\p{M}+/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The source of a pattern, with the flag u, of all that takes no place on a screen, also what is let through. */
export const UNSEEN = [ANSI, CONTROLS, INVISIBLE]
  .map(({ source }) => source)
  .concat("[\\p{Cf}\\p{Default_Ignorable_Code_Point}]")
  .join("|");

// Nearly all there is, and there is nothing to be done about it.
const HARMLESS = /^[\x20-\x7e\n\t]*$/;

/** One line of plain text. */
export function plainText(text: string): string {
  return plainLines(text).replace(/\s+/g, " ").trim();
}

/** Plain text that keeps its line breaks and tabs. */
export function plainLines(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text
    .replace(ANSI, "")
    .replace(LINE_BREAKS, "\n")
    .replace(CONTROLS, "")
    .replace(INVISIBLE, "")
    .replace(MARKS, "$1")
    .replace(LONE_SURROGATE, "\ufffd");
}

/**
 * The same, with signs in place of what can't be seen: a change of line ends is a change, and letters that turn the reading
 * direction are what somebody who looks for traps has to find.
 */
export function visibleLines(text: string): string {
  if (HARMLESS.test(text)) return text;
  const shown = (char: string): string =>
    `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  const signs = text
    .replaceAll("\r", "␍")
    .replace(CONTROLS, shown)
    .replace(/[\u2028\u2029]/g, shown)
    .replace(INVISIBLE, shown);
  return plainLines(signs);
}

/** One line that stands in Markdown, also inside a table cell, as nothing but text. */
export function markdownText(text: string): string {
  return plainText(text).replace(/[\\`*_~|[\]<>&]/g, (char) => (char === "&" ? "&amp;" : `\\${char}`));
}

/** A code block that the text can't close. */
export function markdownBlock(text: string): string {
  const content = plainLines(text).trimEnd();
  const longest = Math.max(2, ...(content.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${content}\n${fence}`;
}
