import { isSource } from "./source-files.ts";

/**
 * Files of a diff whose added lines hold text that people don't see as it is: marks that reverse its direction, so that
 * code reads other than it runs, and characters without a shape, in which whole sentences for the next agent can stand
 * (T45). Single ones are left alone: scripts and emoji need them. In code, also what is on a line of its own for some
 * programs only, or too far to the right to be seen.
 */
export function hiddenTextIn(diff: string): { readonly path: string; readonly what: string }[] {
  const found = new Map<string, string>();
  let path = "";
  let isCode = false;
  let isBody = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) isBody = false;
    else if (line.startsWith("@@")) isBody = true;
    else if (!isBody && line.startsWith("+++ ")) {
      path = nameIn(line.slice(4)).replace(/^b\//, "");
      isCode = isSource(path);
    } else if (isBody && line.startsWith("+") && !found.has(path)) {
      const what = hiddenIn(line.slice(1), isCode);
      if (what !== null) found.set(path, what);
    }
  }
  return [...found].map(([file, what]) => ({ path: file, what }));
}

/** The same of the whole text of a file of code. */
export function hiddenInCode(text: string): string | null {
  for (const line of text.split("\n")) {
    const what = hiddenIn(line, true);
    if (what !== null) return what;
  }
  return null;
}

/**
 * Which of these paths a diff names without showing what is in them: those that git takes for binary, and those that got
 * the name of a source file without a change.
 */
export function notShownIn(diff: string, paths: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  let isBody = false;
  let from = "";
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) isBody = false;
    else if (line.startsWith("@@")) isBody = true;
    if (isBody) continue;
    if (line.startsWith("rename from ")) from = nameIn(line.slice("rename from ".length));
    else if (line.startsWith("rename to ") && !isSource(from))
      found.add(nameIn(line.slice("rename to ".length)));
    else if (line.startsWith("Binary files ") && line.endsWith(" differ"))
      for (const name of secondNames(line.slice(0, -" differ".length))) found.add(name);
  }
  return [...found].filter((path) => paths.has(path));
}

/** A name may hold what separates the two; which one is meant, the list of changed paths says. */
function secondNames(line: string): string[] {
  return [...line.matchAll(/ and (?="?b\/)/g)].map(({ index }) =>
    nameIn(line.slice(index + " and ".length)).replace(/^b\//, ""),
  );
}

/** Git puts a name with odd characters between quotes, its bytes in octal. */
function nameIn(text: string): string {
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? [];
  if (quoted === undefined) return text.replace(/\t$/, "");
  const bytes = [...quoted.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)].flatMap(([, octal, escaped, plain]) =>
    octal === undefined
      ? [...new TextEncoder().encode(plain ?? ESCAPES.get(escaped ?? "") ?? escaped)]
      : [Number.parseInt(octal, 8)],
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

function hiddenIn(line: string, isCode: boolean): string | null {
  if (REVERSING.test(line)) return "reverses the direction of text";
  if (UNSEEN.test(line)) return "holds text that can't be seen";
  if (!isCode) return null;
  // What ends in these hides nothing behind them.
  const text = line.trimEnd();
  if (ENDS_SOME_LINES.test(text))
    return "holds a character in the middle of a line that ends it for some programs";
  if (FAR.test(text)) return "has text far to the right, behind 200 or more spaces";
  return text.includes("\0") ? "holds zero bytes, which some programs don't show" : null;
}

const REVERSING = /[\u202a-\u202e\u2066-\u2069]/;

// Flags of regions are spelled in a few tags behind a black flag.
const UNSEEN =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0000}-\u{e007f}]|[\u{e0000}-\u{e007f}]{8}|[\u{e0100}-\u{e01ef}]{2}|(?:[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]){4}/u;

const ENDS_SOME_LINES = /[\r\u2028\u2029]/;
const FAR = /\s{200}/;
