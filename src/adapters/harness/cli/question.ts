import { plainLines } from "../../../core/text/escape-text.ts";
import { countCodePoints, cutText } from "../../../core/text/text-width.ts";

const MAX_QUESTION = 4_000;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** `Question`, `Question:`, `Questions: which one?`; the rest of the line belongs to the question. */
const TITLE = /^questions?[ \t]*(?::[ \t]*(.*))?$/i;
const BOLD = /^ {0,3}(?:\*\*|__)questions?[ \t]*(?::[ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*:?)[ \t]*(.*)$/i;
/** What is written below the heading when there is nothing to ask. */
const NOTHING = /^(?:[-*][ \t]*)?(?:none|no|n\/a|nothing|no (?:open )?questions?)?[ \t]*[.!]?[-–—]*$/i;

/** Deeper than any heading, so that every heading after it ends it. */
const BOLD_LEVEL = 7;

/**
 * What an agent asks a person: the text below a heading `Question` with which its last words end. A heading in a code
 * block is an example, and a section of the same or a higher level after it means that the agent went on without an
 * answer.
 */
export function questionIn(text: string): string | null {
  let asked: { readonly level: number; readonly lines: string[] } | null = null;
  let fence: string | null = null;
  for (const line of plainLines(text).split("\n")) {
    if (fence !== null) {
      asked?.lines.push(line);
      if (closes(line, fence)) fence = null;
      continue;
    }
    const opened = FENCE.exec(line);
    // A row of backticks with more of them behind it is code within a line.
    if (opened?.[1] !== undefined && !(opened[1].startsWith("`") && opened[2]?.includes("`"))) {
      fence = opened[1];
      asked?.lines.push(line);
      continue;
    }
    const heading = readHeading(line);
    if (heading?.question != null) asked = { level: heading.level, lines: [heading.question] };
    else if (heading !== null && asked !== null && heading.level <= asked.level) asked = null;
    else asked?.lines.push(line);
  }
  const question = asked === null ? "" : asked.lines.join("\n").trim();
  return NOTHING.test(question) ? null : cutQuestion(question);
}

type Heading = { readonly level: number; readonly question: string | null };

function readHeading(line: string): Heading | null {
  const bold = BOLD.exec(line);
  if (bold !== null) return { level: BOLD_LEVEL, question: bold[1] ?? "" };
  const heading = HEADING.exec(line);
  if (heading === null) return null;
  const title = (heading[2] ?? "")
    .replace(/(?<![ \t])[ \t]+#+[ \t]*$/, "")
    .trim()
    .replace(/^(\*\*|__)(.*)\1$/, "$2");
  const asks = TITLE.exec(title.trim());
  return { level: heading[1]?.length ?? 1, question: asks === null ? null : (asks[1] ?? "") };
}

function closes(line: string, fence: string): boolean {
  const run = line.trim();
  return run.length >= fence.length && run === fence.charAt(0).repeat(run.length) && /^ {0,3}\S/.test(line);
}

function cutQuestion(question: string): string {
  const kept = cutText(question, MAX_QUESTION, countCodePoints);
  return kept === question ? question : `${kept} (${question.length - kept.length + 1} characters cut)`;
}
