/**
 * The words of a command line, with quotes and backslashes as a shell reads them and nothing else that a shell does:
 * no variables, no globs, no operators. null when a quote is never closed.
 */
export function splitCommand(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    word ??= "";
    if (quote === null && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = null;
    else if (char === "\\" && escapes(quote, line.charAt(at + 1))) {
      at += 1;
      word += line.charAt(at);
    } else word += char;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}

/** Between double quotes only some characters need a backslash; between single ones, none. */
function escapes(quote: string | null, next: string): boolean {
  return next !== "" && (quote === null || (quote === '"' && /["\\$`]/.test(next)));
}
