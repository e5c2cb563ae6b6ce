/**
 * Reads shell text that is nothing but words: programs and their arguments, joined by `&&`, `||`, `;`, `|` or a line break,
 * with what they print thrown away or kept together. null for everything else, and for what one could be in doubt about:
 * variables, substitutions, assignments, files to write to, words that the shell makes more of and that could then begin
 * with a dash. So what is read here is what any shell would run. Each character is looked at once.
 */
export function readPlainCommands(text: string): string[][] | null {
  const commands: string[][] = [[]];
  for (let at = 0; at < text.length; ) {
    BLANKS.lastIndex = SILENCED.lastIndex = JOINT.lastIndex = WORD.lastIndex = at;
    const [passed] = BLANKS.exec(text) ?? SILENCED.exec(text) ?? [];
    const [joint] = passed === undefined ? (JOINT.exec(text) ?? []) : [];
    if (joint !== undefined) commands.push([]);
    if (passed !== undefined || joint !== undefined) {
      at += (passed ?? joint ?? "").length;
      continue;
    }
    const word = WORD.exec(text)?.[0];
    if (word === undefined || !ENDS.test(text.charAt(at + word.length))) return null;
    const meaning = word.replace(PARTS, unquoted);
    // A pattern stands for names of files, and one that an agent made may look like an option.
    if (/[*?[]/.test(word.replace(PARTS, "")) && !/^[\w./]/.test(meaning)) return null;
    commands.at(-1)?.push(meaning);
    at += word.length;
  }
  return commands.filter((words) => words.length > 0);
}

const BLANKS = /[ \t]+/y;
const JOINT = /&&|\|\||[;|\n]/y;
const SILENCED = /(?:[12&]?>[ \t]?\/dev\/null|2>&1)(?![^ \t\n;|&])/y;
const ENDS = /^[ \t\n;|&]?$/;

const QUOTED = String.raw`'[^']*'|"(?:[^"$\x60\\]|\\[^\n])*"`;
const PLAIN = String.raw`[^\s'"$\x60\\&|;<>(){}*?[\]#!~]`;
const WORD = new RegExp(`(?:${QUOTED}|${PLAIN})(?:${QUOTED}|${PLAIN}|[*?\\[\\]#!~])*`, "y");
const PARTS = new RegExp(QUOTED, "g");

function unquoted(part: string): string {
  const inner = part.slice(1, -1);
  return part.startsWith("'") ? inner : inner.replace(/\\(["$`\\])/g, "$1");
}
