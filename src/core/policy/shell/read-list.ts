import { expandBraces } from "./expand-braces.ts";
import { readDocuments, readRedirection } from "./read-redirection.ts";
import { opensArithmetic, readExpansions, readWord } from "./read-word.ts";
import { deeper, giveUp, type ListEnd, type ListMode, type Scan, take } from "./shell-scan.ts";
import type { Redirection, ShellWord } from "./shell-script.ts";

/**
 * Reads shell text into the simple commands that it may run, whatever the structure around them: which branch of an
 * `if` is taken does not matter to a rule. Tolerant, because shells differ: a bracket too many is passed over, and where
 * two shells would read differently both readings count. Every character is looked at a bounded number of times.
 */

const BLANKS = /(?:[ \t]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
const ASSIGNMENT = /[A-Za-z_]\w*(?:\[[^\]\s;&|()<>'"`$\\]*\])?\+?=/y;
const DESCRIPTOR = /^(?:\d+|\{\w+\})$/;

/** Other commands stand before or behind them. */
const KEYWORDS = new Set("if then elif else fi while until do done { } ! coproc esac".split(" "));
/** Behind them stands no command, but a name and a list of words. */
const LOOPS = new Set(["for", "select"]);

type Draft = {
  readonly words: ShellWord[];
  readonly redirections: Redirection[];
  start: number;
  /** The words are no command. */
  dropped: boolean;
};

export function readList(scan: Scan, until: ListEnd, mode: ListMode): "more" | "last" {
  let draft = newDraft(scan);
  const finish = (): void => {
    keep(scan, draft, mode);
    draft = newDraft(scan);
  };
  for (;;) {
    take(scan, BLANKS);
    const char = scan.text.charAt(scan.at);
    const next = scan.text.charAt(scan.at + 1);
    if (draft.words.length === 0 && draft.redirections.length === 0) draft.start = scan.at;
    if (char === "") {
      finish();
      if (until !== "end") giveUp(scan, "unfinished");
      return "last";
    }
    if (char === "\n") {
      finish();
      scan.at += 1;
      readDocuments(scan, readExpansions);
    } else if (char === "#" && mode !== "plain") {
      take(scan, COMMENT);
    } else if (char === ")") {
      finish();
      scan.at += 1;
      if (until === ")") return "last";
    } else if (char === "(") {
      if (draft.words.length === 1 && take(scan, /\([ \t]*\)/y) !== null) draft = newDraft(scan);
      else {
        if (scan.text.charAt(scan.at - 1) !== "=") finish();
        readBrackets(scan, mode);
      }
    } else if (mode !== "plain" && (isRedirection(char, next) || (char === "&" && next === ">"))) {
      const redirection = readRedirection(scan);
      if (redirection) draft.redirections.push(redirection);
    } else if (mode === "plain" && (char === "<" || char === ">")) {
      scan.at += 1;
    } else if (char === ";" || char === "&" || char === "|") {
      finish();
      const ends = take(scan, /;;&?|;&/y) !== null;
      if (ends && until === "branch") return "more";
      if (!ends) scan.at += 1;
    } else {
      const assigns = draft.words.length === 0 && matchesHere(scan, ASSIGNMENT);
      const word = readWord(scan);
      if (word === null || assigns) continue;
      if (mode === "plain" && until === "]]" && word.bare && word.text === "]]") {
        finish();
        return "last";
      }
      if (isDescriptor(scan, word)) continue;
      if (draft.words.length > 0 || !word.bare || draft.dropped) draft.words.push(word);
      else if (word.text === "esac" && until === "branch") return "last";
      else if (word.text === "case") readCase(scan);
      else if (word.text === "[[") deeper(scan, () => readList(scan, "]]", "plain"));
      else if (word.text === "function") skipWord(scan);
      else if (LOOPS.has(word.text)) draft.dropped = true;
      else if (!KEYWORDS.has(word.text)) draft.words.push(word);
    }
  }
}

function newDraft(scan: Scan): Draft {
  return { words: [], redirections: [], start: scan.at, dropped: false };
}

function keep(scan: Scan, draft: Draft, mode: ListMode): void {
  const words = draft.dropped ? [] : draft.words;
  if (words.length === 0 && draft.redirections.length === 0) return;
  scan.findings.commands.push({
    words: words.flatMap(expandBraces),
    redirections: draft.redirections,
    source: scan.text.slice(draft.start, scan.at).trim(),
    depth: scan.wrapped,
    incidental: mode !== "running",
  });
}

function readBrackets(scan: Scan, mode: ListMode): void {
  const isArray = scan.text.charAt(scan.at - 1) === "=";
  const inner = isArray ? "words" : opensArithmetic(scan) ? "plain" : mode;
  scan.at += 1;
  deeper(scan, () => readList(scan, ")", inner));
}

function readCase(scan: Scan): void {
  skipLines(scan);
  readWord(scan);
  skipLines(scan);
  if (readWord(scan)?.text !== "in") giveUp(scan, "unfinished");
  deeper(scan, () => {
    for (;;) {
      skipLines(scan);
      if (take(scan, /esac(?![^ \t\n;&|()<>])/y) !== null) return;
      take(scan, /\(/y);
      if (!skipPatterns(scan)) return giveUp(scan, "unfinished");
      if (readList(scan, "branch", "running") === "last") return;
    }
  });
}

/** `a | b)`; false when there is no end of it. */
function skipPatterns(scan: Scan): boolean {
  while (scan.at < scan.text.length) {
    take(scan, BLANKS);
    if (take(scan, /\)/y) !== null) return true;
    if (readWord(scan) === null) scan.at += 1;
  }
  return false;
}

function skipWord(scan: Scan): void {
  take(scan, BLANKS);
  readWord(scan);
}

function skipLines(scan: Scan): void {
  while (take(scan, BLANKS) ?? take(scan, /\n+/y) ?? take(scan, COMMENT)) {}
}

/** `<(` and `>(` begin a word. */
function isRedirection(char: string, next: string): boolean {
  return (char === "<" || char === ">") && next !== "(";
}

/** The `2` of `2>file`. */
function isDescriptor(scan: Scan, word: ShellWord): boolean {
  const next = scan.text.charAt(scan.at);
  return word.bare && DESCRIPTOR.test(word.text) && isRedirection(next, scan.text.charAt(scan.at + 1));
}

function matchesHere(scan: Scan, expression: RegExp): boolean {
  expression.lastIndex = scan.at;
  return expression.test(scan.text);
}
