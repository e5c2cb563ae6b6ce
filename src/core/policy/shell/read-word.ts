import { decodeAnsiQuote } from "./decode-ansi-quote.ts";
import { createScan, deeper, giveUp, type Scan, take } from "./shell-scan.ts";
import { type ShellWord, UNKNOWN } from "./shell-script.ts";

// Shells part words at these three blanks only; taking more for a blank would make comments of what runs.
const PLAIN = /[^ \t\n;&|()<>\\'"`$*?[{]+/y;
const PLAIN_IN_DOUBLE = /[^\\"`$]+/y;
const PLAIN_IN_BRACES = /[^\\'"`$}]+/y;
const ENDS_WORD = /[ \t\n;&|)]/;
const PARAMETER = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
const PLAIN_IN_ANSI = /[^\\']+/y;
const PLAIN_IN_BACKTICKS = /[^\\`]+/y;
/** What an unset variable becomes, words and all: `${x:-rm -rf y}`. What it holds of substitutions is read already. */
const DEFAULT_WORDS = /^[\w[\]@*]+:?[-=+](.*)$/s;
/** Longer arithmetic than this is read as commands, which is the safe mistake. */
const MAX_ARITHMETIC = 2_000;

/** The word at this place with its quotes taken off; null when none begins here. What runs inside of it is found too. */
export function readWord(scan: Scan): ShellWord | null {
  const start = scan.at;
  let text = "";
  let bare = true;
  let expands = false;
  for (;;) {
    text += take(scan, PLAIN) ?? "";
    const char = scan.text.charAt(scan.at);
    if (char === "") break;
    if (char === "<" || char === ">") {
      if (scan.text.charAt(scan.at + 1) !== "(") break;
      scan.at += 2;
      deeper(scan, () => scan.readList(scan, ")", "running"));
      text += `/dev/fd/${UNKNOWN}`;
    } else if (char === "(") {
      // `!(x)` is a pattern to some shells and a command to others.
      if (!/[?*+@!]/.test(text.slice(-1))) break;
      scan.at += 1;
      deeper(scan, () => scan.readList(scan, ")", "running"));
      text += UNKNOWN;
    } else if (ENDS_WORD.test(char)) {
      break;
    } else if (char === "\\") {
      const next = scan.text.charAt(scan.at + 1);
      scan.at += 2;
      if (next === "\n") continue;
      text += next === "" ? "\\" : next;
      bare = false;
    } else if (char === "'") {
      text += readSingle(scan);
      bare = false;
    } else if (char === '"') {
      text += readDouble(scan);
      bare = false;
    } else if (char === "$" || char === "`") {
      const value = readExpansion(scan, "open");
      // The separator itself: `rm${IFS}-rf` is two words.
      if (value === null) break;
      bare = false;
      text += value;
    } else {
      expands = true;
      text += char;
      scan.at += 1;
    }
  }
  return scan.at === start || (text === "" && bare) ? null : { text, bare, expands };
}

/** Reads the substitutions of a text that is quoted as a whole, such as the body of a here-document. */
export function readExpansions(scan: Scan): void {
  while (scan.at < scan.text.length) {
    take(scan, PLAIN_IN_DOUBLE);
    readPartOfDouble(scan);
  }
}

function readSingle(scan: Scan): string {
  const end = scan.text.indexOf("'", scan.at + 1);
  if (end === -1) {
    giveUp(scan, "unfinished");
    return "";
  }
  const text = scan.text.slice(scan.at + 1, end);
  scan.at = end + 1;
  return text;
}

function readDouble(scan: Scan): string {
  scan.at += 1;
  let text = "";
  for (;;) {
    text += take(scan, PLAIN_IN_DOUBLE) ?? "";
    const char = scan.text.charAt(scan.at);
    if (char === "") {
      giveUp(scan, "unfinished");
      return text;
    }
    if (char === '"') {
      scan.at += 1;
      return text;
    }
    text += readPartOfDouble(scan);
  }
}

/** What is special between double quotes. */
function readPartOfDouble(scan: Scan): string {
  const char = scan.text.charAt(scan.at);
  if (char === "\\") {
    const next = scan.text.charAt(scan.at + 1);
    scan.at += 2;
    return next === "\n" ? "" : '$`"\\'.includes(next) ? next : `\\${next}`;
  }
  if (char === "$" || char === "`") return readExpansion(scan, "double") ?? UNKNOWN;
  scan.at += 1;
  return char;
}

/** Null for the separator of words, where it separates. */
function readExpansion(scan: Scan, quotes: "open" | "double"): string | null {
  if (scan.text.charAt(scan.at) === "`") return readBackticks(scan);
  scan.at += 1;
  const next = scan.text.charAt(scan.at);
  if (next === "(") return readSubstitution(scan);
  if (next === "{") return readBraces(scan, quotes);
  if (next === "'" && quotes === "open") return readAnsiQuote(scan);
  if (next === '"' && quotes === "open") return readDouble(scan);
  const name = take(scan, PARAMETER);
  if (name === null) return "$";
  return name === "IFS" && quotes === "open" ? null : UNKNOWN;
}

function readSubstitution(scan: Scan): string {
  const isArithmetic = opensArithmetic(scan);
  scan.at += 1;
  deeper(scan, () => scan.readList(scan, ")", isArithmetic ? "plain" : "running"));
  return UNKNOWN;
}

/** Whether the two brackets here are closed by two that stand together; else it is a subshell in a subshell. */
export function opensArithmetic(scan: Scan): boolean {
  const { text, at } = scan;
  if (!text.startsWith("((", at)) return false;
  const end = Math.min(text.length, at + MAX_ARITHMETIC);
  let open = 2;
  for (let place = at + 2; place < end; place += 1) {
    const char = text.charAt(place);
    if (char === "\\") place += 1;
    else if (char === "(") open += 1;
    else if (char === ")") open -= 1;
    if (open === 1) return text.charAt(place + 1) === ")";
  }
  return false;
}

function readBraces(scan: Scan, quotes: "open" | "double"): string | null {
  scan.at += 1;
  let inside = "";
  deeper(scan, () => {
    for (;;) {
      inside += take(scan, PLAIN_IN_BRACES) ?? "";
      const char = scan.text.charAt(scan.at);
      if (char === "") return giveUp(scan, "unfinished");
      if (char === "}") break;
      const start = scan.at;
      if (char === "$" || char === "`") {
        inside += readExpansion(scan, quotes) ?? " ";
        continue;
      }
      if (char === "'" && quotes === "open") readSingle(scan);
      else if (char === '"') readDouble(scan);
      else readPartOfDouble(scan);
      inside += scan.text.slice(start, scan.at);
    }
    scan.at += 1;
    const words = quotes === "open" ? DEFAULT_WORDS.exec(inside)?.[1] : undefined;
    if (words !== undefined) scan.readList(createScan(words, scan), "end", "words");
  });
  return quotes === "open" && /^IFS\b/.test(inside) ? null : UNKNOWN;
}

function readBackticks(scan: Scan): string {
  scan.at += 1;
  const text = readEscaped(scan, PLAIN_IN_BACKTICKS, "`").replace(/\\([$`\\])/g, "$1");
  deeper(scan, () => {
    const inside = createScan(text, scan);
    scan.readList(inside, "end", "running");
  });
  return UNKNOWN;
}

function readAnsiQuote(scan: Scan): string {
  scan.at += 1;
  return decodeAnsiQuote(readEscaped(scan, PLAIN_IN_ANSI, "'"));
}

/** Up to the mark and past it, escapes left as they are. */
function readEscaped(scan: Scan, plain: RegExp, mark: string): string {
  const start = scan.at;
  for (;;) {
    take(scan, plain);
    const char = scan.text.charAt(scan.at);
    if (char === "") {
      giveUp(scan, "unfinished");
      return "";
    }
    if (char === mark) break;
    scan.at += 2;
  }
  scan.at += 1;
  return scan.text.slice(start, scan.at - 1);
}
