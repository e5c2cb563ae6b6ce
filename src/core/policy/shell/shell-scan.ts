import type { Redirection, ShellCommand, Unreadable } from "./shell-script.ts";

/** What is found in one text and in the texts inside it. The first problem counts. */
export type Findings = { readonly commands: ShellCommand[]; unreadable: Unreadable | null };

/** A place in a text that is read from left to right, once. */
export type Scan = {
  readonly text: string;
  at: number;
  /** Brackets and substitutions that are open around this place, those of the texts around this one included. */
  depth: number;
  readonly wrapped: number;
  readonly findings: Findings;
  /** Here-documents whose bodies begin on the next line. */
  readonly awaited: AwaitedDocument[];
  /** Reads commands; part of the place so that words, which hold commands, and commands need not know each other. */
  readonly readList: ReadList;
};

/**
 * Reads commands up to the end of their list and past it. `branch`: one of a `case`, which says whether it was the last.
 * `words`: a list of words that may become a command later. `plain`: arithmetic and tests, where `<` compares.
 */
export type ReadList = (scan: Scan, until: ListEnd, mode: ListMode) => "more" | "last";
export type ListMode = "running" | "words" | "plain";
export type ListEnd = ")" | "]]" | "branch" | "end";

export type AwaitedDocument = {
  readonly redirection: Extract<Redirection, { kind: "here-document" }>;
  readonly delimiter: string;
  readonly stripsTabs: boolean;
  /** Its substitutions run. */
  readonly expands: boolean;
};

/** Real commands nest a handful of times; a shell itself would take thousands, a reader's stack would not. */
const MAX_DEPTH = 40;

/** A text inside of what is being read. */
export function createScan(text: string, around: Omit<Scan, "text" | "at" | "awaited">): Scan {
  const { depth, wrapped, findings, readList } = around;
  return { text, at: 0, depth, wrapped, findings, readList, awaited: [] };
}

/** One level further in; past the limit nothing more is read. */
export function deeper(scan: Scan, read: () => unknown): void {
  if (scan.depth >= MAX_DEPTH) {
    giveUp(scan, "too-deep");
    return;
  }
  scan.depth += 1;
  read();
  scan.depth -= 1;
}

export function giveUp(scan: Scan, why: Unreadable): void {
  scan.findings.unreadable ??= why;
  scan.at = scan.text.length;
}

/** The match of a sticky expression at this place, which moves behind it. */
export function take(scan: Scan, expression: RegExp): string | null {
  expression.lastIndex = scan.at;
  const found = expression.exec(scan.text)?.[0] ?? null;
  if (found !== null) scan.at += found.length;
  return found;
}
