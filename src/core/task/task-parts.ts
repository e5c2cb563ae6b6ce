import type { Part } from "../prompt/fit-parts.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { counted } from "../text/durations.ts";
import { plainLines } from "../text/escape-text.ts";
import type { Task } from "./task.ts";
import type { Remark } from "./task-events.ts";

/**
 * What an agent is told of the world on a task that only looks. Everything of it was written by somebody else, so
 * each piece stands in a block of its own, out of which no piece can speak for another (T7). In which order they give
 * way when all of it is too long is said in one place.
 */
export const WORTH = {
  restOfDiff: 0,
  knowledge: 10,
  map: 20,
  thread: 30,
  diff: 40,
  body: 50,
  files: 60,
  earlier: 70,
  request: 80,
} as const;

const REQUEST_CHARS = 6_000;
const BODY_CHARS = 10_000;
const REMARK_CHARS = 4_000;
const MAX_REMARKS = 40;
const MAP_CHARS = 8_000;
const KNOWLEDGE_CHARS = 4_000;
const MAX_KNOWLEDGE = 20;
const MAX_FILES = 150;

export type Knowledge = readonly { readonly path: string; readonly text: string }[];

/** What the person wrote behind the command. */
export function requestPart(lead: string, text: string): Part[] {
  return theirs("the request", WORTH.request, lead, shortText(text, REQUEST_CHARS), "text");
}

export function threadParts(task: Pick<Task, "title" | "body" | "isPull" | "thread">): Part[] {
  const kind = task.isPull ? "pull request" : "issue";
  const title = shortLine(task.title, 300);
  const body = shortText(task.body, BODY_CHARS);
  return [
    ...theirs("the title", null, `## The ${kind}\n\nIts title:`, title, "text"),
    ...theirs("the description", WORTH.body, `The text that opens the ${kind}:`, body, "markdown"),
    ...conversationParts(task.thread, {
      heading: "### What was said since",
      chars: REMARK_CHARS,
      place: (index) => ({ name: "the thread", priority: WORTH.thread + index / 1_000 }),
    }),
  ];
}

type Place = { readonly name: string; readonly priority: number };
type Conversation = {
  readonly heading: string;
  /** The most of one remark. */
  readonly chars: number;
  /** The newest are worth most. */
  readonly place: (index: number, count: number) => Place;
};

/** Each remark has a block of its own; what Loom said itself is told apart by Loom, not by the text. */
export function conversationParts(
  thread: readonly Remark[],
  { heading, chars, place }: Conversation,
): Part[] {
  const shown = thread.slice(-MAX_REMARKS);
  const left = thread.length - shown.length;
  return shown.flatMap(({ author, own, text, place: on }, index) => {
    const head =
      index > 0
        ? ""
        : `${heading}\n\n${left > 0 ? `(${counted(left, "earlier comment")} left out)\n\n` : ""}`;
    const where = on === undefined ? "" : ` on ${placeName(on)}`;
    const who = own
      ? `Loom answered${where}, in a session before yours:`
      : `\`${nameOf(author)}\` wrote${where}:`;
    const { name, priority } = place(index, shown.length);
    return theirs(name, priority, `${head}${who}`, shortText(text, chars), "markdown");
  });
}

/** In Loom's own sentence, so nothing of a file's name may end the quotes that it stands in. */
export function placeName(place: string): string {
  return `\`${shortLine(place.replaceAll("`", "'"), 200)}\``;
}

function nameOf(author: string): string {
  return shortLine(author.replaceAll("`", "'"), 60) || "somebody";
}

export function filePart(files: readonly string[]): Part[] {
  const shown = files.slice(0, MAX_FILES).map((file) => shortLine(file, 200));
  if (files.length > shown.length) shown.push(`… (${files.length - shown.length} more)`);
  return theirs(
    "the changed files",
    WORTH.files,
    `It touches ${counted(files.length, "file")}:`,
    shown.join("\n"),
    "text",
  );
}

export function mapPart(map: string | null): Part[] {
  const lead = "## The repository\n\nWhat a first look at its files shows:";
  return theirs("the map", WORTH.map, lead, shortText(map ?? "", MAP_CHARS), "text");
}

/** Written by earlier stages and by people, for whoever works here. */
export function knowledgeParts(
  knowledge: Knowledge,
  priority: number = WORTH.knowledge,
  chars = KNOWLEDGE_CHARS,
): Part[] {
  return knowledge
    .slice(0, MAX_KNOWLEDGE)
    .flatMap(({ path, text }, index) =>
      theirs(
        "the knowledge",
        priority,
        `${index === 0 ? "## What is written down about it\n\n" : ""}\`${nameOf(path)}\`:`,
        shortText(text, chars),
        "markdown",
      ),
    );
}

/** Said last, and never cut. */
export function nowPart(...sentences: readonly string[]): Part {
  const lead = `## Now\n\n${sentences.join(" ")}`;
  return { name: "what to do", priority: null, lead, text: "", keep: "start", language: null };
}

export function ownPart(lead: string): Part {
  return { name: "the scope", priority: null, lead, text: "", keep: "start", language: null };
}

/** Nothing was said, nothing is shown. */
export function theirs(
  name: string,
  priority: number | null,
  lead: string,
  text: string,
  language: string,
): Part[] {
  const plain = plainLines(text).trim();
  return plain === "" ? [] : [{ name, priority, lead, text: plain, keep: "start", language }];
}
