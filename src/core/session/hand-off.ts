import { stringify } from "yaml";
import { isYaml, scanMarkdown } from "../markdown/scan-markdown.ts";
import { ownValue } from "../table.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";
import { splitLines } from "../text/text-lines.ts";
import { markLines } from "./mark-lines.ts";
import { isRecord, listOf, readLooseYaml, wordOf } from "./read-loose-yaml.ts";

/**
 * What one session leaves for the next one of the same stage, in the second version of the format: facts in front
 * matter, then prose. Agents write it by hand, so it is read with patience: prose alone, the first version, is fine.
 */
export type HandOff = {
  readonly version: 2;
  readonly sessionId: string;
  readonly stageId: string;
  readonly contextPercent: number;
  readonly completedTasks: readonly CompletedTask[];
  readonly keyDecisions: readonly KeyDecision[];
  readonly remaining: readonly string[];
  readonly body: string;
  readonly by: "agent" | "loom";
};

export type CompletedTask = { readonly description: string; readonly files: readonly string[] };
export type KeyDecision = { readonly decision: string; readonly rationale: string };

const TEXT_CHARS = 100_000;
const FRONT_CHARS = 40_000;
const ID_CHARS = 100;
const LINE_CHARS = 500;
const PATH_CHARS = 300;
const MAX_ITEMS = 50;
/** Of the prose, in characters. */
export const HAND_OFF_BODY_CHARS = 16_000;

/** null when nothing was said. Whoever reads an agent's answer sets `by`, session and stage: what it claims counts for nothing. */
export function parseHandOff(text: string): HandOff | null {
  const plain = plainLines(text.slice(0, TEXT_CHARS)).trim();
  if (plain === "") return null;
  const { front, body } = separate(plain);
  const fields = front ?? {};
  const tasks = pick(fields, "completed_tasks", "completedTasks", "completed").map(readTask);
  const decisions = pick(fields, "key_decisions", "keyDecisions", "decisions").map(readDecision);
  const remaining = pick(fields, "remaining", "remaining_tasks", "remainingTasks", "next_steps").map(lineOf);
  return {
    version: 2,
    sessionId: shortLine(wordOf(fields.session_id ?? fields.sessionId), ID_CHARS),
    stageId: shortLine(wordOf(fields.stage_id ?? fields.stageId), ID_CHARS),
    contextPercent: percent(Number(wordOf(fields.context_percent ?? fields.contextPercent))),
    completedTasks: tasks.filter((task) => task.description !== "").slice(0, MAX_ITEMS),
    keyDecisions: decisions.filter((one) => one.decision !== "").slice(0, MAX_ITEMS),
    remaining: (remaining.length > 0 ? remaining : remainingIn(body))
      .filter((one) => one !== "")
      .slice(0, MAX_ITEMS),
    body: shortText(body, HAND_OFF_BODY_CHARS),
    by: wordOf(fields.written_by) === "loom" ? "loom" : "agent",
  };
}

export function renderHandOff(handOff: HandOff): string {
  const front = stringify(
    {
      version: 2,
      session_id: handOff.sessionId,
      stage_id: handOff.stageId,
      context_percent: handOff.contextPercent,
      written_by: handOff.by,
      completed_tasks: handOff.completedTasks,
      key_decisions: handOff.keyDecisions,
      remaining: handOff.remaining,
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  return `---\n${front}---\n${handOff.body === "" ? "" : `\n${handOff.body}\n`}`;
}

type Separated = { readonly front: Readonly<Record<string, unknown>> | null; readonly body: string };

/** Front matter at the start, behind a sentence or two, in a code block, or in a code block around the whole. */
function separate(text: string): Separated {
  const lines = splitLines(text);
  const fences = scanMarkdown(lines).fences.slice(0, 3);
  const opening = OPENING.exec(text)?.index ?? text.length;
  const bare = opening < lines.start(fences[0]?.line ?? lines.count) ? readFront(text) : null;
  if (bare) return bare;
  for (const fence of fences) {
    const inside = lines.text.slice(lines.start(fence.content.from), lines.start(fence.content.to));
    const after = lines.text.slice(lines.start(fence.content.to + (fence.closed ? 1 : 0)));
    const before = lines.text.slice(0, lines.start(fence.line));
    const found =
      readFront(inside.trim()) ?? (isYaml(fence.info) || fence.info === "json" ? whole(inside) : null);
    if (found) return { front: found.front, body: joined(before, found.body, after) };
  }
  return { front: null, body: text };
}

const OPENING = /^---[ \t]*$/m;

function readFront(text: string): Separated | null {
  const opening = OPENING.exec(text.slice(0, 2_000));
  if (!opening) return null;
  const start = opening.index + opening[0].length;
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(start, start + FRONT_CHARS));
  const end = closing ? start + closing.index : text.length;
  const front = toFields(text.slice(start, end));
  if (!front) return null;
  const after = closing ? text.slice(end + closing[0].length) : "";
  return { front, body: joined(text.slice(0, opening.index), after) };
}

function whole(text: string): Separated | null {
  const front = toFields(text);
  return front && { front, body: "" };
}

const KNOWN =
  /^(?:version|session_?id|stage_?id|context_?percent|completed_?tasks|key_?decisions|remaining)$/i;

function toFields(text: string): Readonly<Record<string, unknown>> | null {
  if (text.length > FRONT_CHARS) return null;
  const value = readLooseYaml(text);
  return isRecord(value) && Object.keys(value).some((key) => KNOWN.test(key)) ? value : null;
}

function joined(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

const REMAINING = /^(?:remaining(?: tasks| work| steps)?|next steps?|to ?do|what (?:is left|remains)|open)$/;

/** The bullets below a heading such as `Next steps`. */
function remainingIn(body: string): string[] {
  const items: string[] = [];
  let inside = false;
  for (const { text, code, heading } of markLines(body)) {
    if (heading) inside = REMAINING.test(heading.title);
    const bullet =
      inside && !code ? /^\s{0,8}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ x]\]\s)?(.*)$/i.exec(text)?.[1] : null;
    if (bullet) items.push(shortLine(bullet, LINE_CHARS));
  }
  return items;
}

function pick(fields: Readonly<Record<string, unknown>>, ...names: readonly string[]): readonly unknown[] {
  for (const name of names) {
    const items = listOf(ownValue(fields, name));
    if (items.length > 0) return items.slice(0, MAX_ITEMS * 2);
  }
  return [];
}

function readTask(value: unknown): CompletedTask {
  if (!isRecord(value)) return { description: lineOf(value), files: [] };
  const files = listOf(value.files ?? value.file).map((one) => shortLine(wordOf(one), PATH_CHARS));
  return {
    description: lineOf(value.description ?? value.task ?? value.name),
    files: files.filter((one) => one !== "").slice(0, MAX_ITEMS),
  };
}

function readDecision(value: unknown): KeyDecision {
  if (!isRecord(value)) return { decision: lineOf(value), rationale: "" };
  return {
    decision: lineOf(value.decision),
    rationale: lineOf(value.rationale ?? value.reason ?? value.why),
  };
}

function lineOf(value: unknown): string {
  const said = isRecord(value) ? (value.description ?? value.task ?? value.name) : value;
  return shortLine(wordOf(said), LINE_CHARS);
}

function percent(value: number): number {
  return Number.isFinite(value) ? Math.round(Math.min(100, Math.max(0, value)) * 10) / 10 : 0;
}
