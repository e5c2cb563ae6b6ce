import type { LineScan } from "./scan-line.ts";

/** A line that speaks to Loom. */
export type CommandLine = {
  /** Counted from 0. */
  readonly index: number;
  /** What stands behind the trigger. */
  readonly rest: string;
  /**
   * Why it does not count. `quote`: Markdown takes a line right below a quote for a part of it, though its author may not.
   * `unclear`: something above it may keep readers from seeing it.
   */
  readonly doubt: "quote" | "unclear" | null;
};

/** Lines that no blank one parts: at least what Markdown takes for one paragraph, and often more. */
export type Paragraph = {
  isNew: boolean;
  /** Whether HTML began a line of it: then nobody knows where Markdown is read. */
  isHtml: boolean;
  /** Whether something in it may go on in its next line and hide that. */
  isUnclear: boolean;
  isQuote: boolean;
  /** By mark, where one stood first that may be closed below it, and where the last one stood. In the order of the first. */
  readonly opened: Map<string, { readonly first: number; last: number }>;
  readonly found: CommandLine[];
};

export function newParagraph(): Paragraph {
  return { isNew: true, isHtml: false, isUnclear: false, isQuote: false, opened: new Map(), found: [] };
}

export function addLine(paragraph: Paragraph, line: string, scan: LineScan, index: number): void {
  const { opened } = paragraph;
  // What is code in this line depends on what closes the backtick above it.
  if (line.includes("`") && hasLoneBacktick(paragraph)) paragraph.isUnclear = true;
  if (!scan.links) paragraph.isUnclear = true;
  closeMarks(paragraph, line, index);
  for (const mark of [...scan.lone.map(backticks), ...scan.signs]) {
    if (!opened.has(mark)) opened.set(mark, { first: index, last: index });
  }
  paragraph.isNew = false;
}

/** Also a line that seems to be in a comment or in code may close what a command above it stands in. */
export function closeMarks({ opened }: Paragraph, line: string, index: number): void {
  if (opened.size === 0) return;
  for (const mark of marksIn(line)) {
    const open = opened.get(mark);
    if (open) open.last = index;
  }
}

export function hasLoneBacktick({ opened }: Paragraph): boolean {
  return [...opened.keys()].some((mark) => mark.startsWith("`"));
}

/** The commands of a paragraph whose last line is known: only now it shows what was closed below them. */
export function judgeCommands({ opened, found }: Paragraph): CommandLine[] {
  const spans = [...opened];
  let at = 0;
  let codeUpTo = -1;
  let signUpTo = -1;
  return found.flatMap((command) => {
    for (let span = spans[at]; span && span[1].first < command.index; span = spans[at]) {
      if (span[0].startsWith("`")) codeUpTo = Math.max(codeUpTo, span[1].last);
      else signUpTo = Math.max(signUpTo, span[1].last);
      at += 1;
    }
    if (codeUpTo >= command.index) return [];
    return signUpTo >= command.index ? [{ ...command, doubt: "unclear" as const }] : [command];
  });
}

/** All that could close something, be it in code or not. */
function marksIn(line: string): string[] {
  const runs = [...line.matchAll(/\\?`+/g)].flatMap(([run]) =>
    run.startsWith("\\") ? [backticks(run.length - 1), backticks(run.length - 2)] : [backticks(run.length)],
  );
  return [...runs, ...["~", "$"].filter((sign) => line.includes(sign))];
}

function backticks(length: number): string {
  return "`".repeat(length);
}
