import { isYaml, scanMarkdown } from "../../markdown/scan-markdown.ts";
import type { Complexity } from "../../plan/plan.ts";
import { markLines, plainTitle } from "../../session/mark-lines.ts";
import type { Question } from "../../task/task-events.ts";
import { shortText } from "../../text/cut-text.ts";
import { plainLines } from "../../text/escape-text.ts";
import { splitLines, type TextLines } from "../../text/text-lines.ts";
import { MAX_QUESTIONS, readQuestions } from "./read-questions.ts";
import { unwrapMarkdown } from "./unwrap-markdown.ts";

export type PlanSections = { readonly why: string; readonly outOfScope: string; readonly risks: string };

export type PlannerAnswer =
  /** `document` holds the block with the plan and nothing else. */
  | { readonly kind: "plan"; readonly sections: PlanSections; readonly document: string }
  | {
      readonly kind: "assessment";
      readonly complexity: Complexity;
      readonly why: string;
      readonly questions: readonly Question[];
    }
  /** `problem`: a sentence for the planner. */
  | { readonly kind: "neither"; readonly problem: string };

const MAX_ANSWER = 400_000;
const SECTION_CHARS = 4_000;

/** What planners call them, and what Loom calls them in the document that it composes. */
export const SECTION_TITLES: ReadonlyMap<string, keyof PlanSections> = new Map([
  ["why these stages", "why"],
  ["why", "why"],
  ["rationale", "why"],
  ["out of scope", "outOfScope"],
  ["not in scope", "outOfScope"],
  ["risks", "risks"],
  ["risk", "risks"],
  ["risk assessment", "risks"],
  ["risk classification", "risks"],
]);

/**
 * What a planner's last message holds: a plan, or what it has to ask first. Models put all of it into a code block, talk
 * before and after, and forget what they were to write; what can't be told for sure is said back to them.
 */
export function readPlannerAnswer(
  text: string,
  { maxQuestions = MAX_QUESTIONS }: { readonly maxQuestions?: number } = {},
): PlannerAnswer {
  if (text.length > MAX_ANSWER) {
    return neither(`The answer is longer than ${MAX_ANSWER} characters. Write a shorter plan.`);
  }
  const plain = plainLines(text);
  const blocks = findBlocks(splitLines(plain));
  const inside = blocks.length > 0 ? null : unwrapMarkdown(plain);
  if (inside === null) return readBlocks(splitLines(plain), blocks, maxQuestions);
  const lines = splitLines(inside);
  return readBlocks(lines, findBlocks(lines), maxQuestions);
}

type Block = {
  readonly holds: "plan" | "questions" | "both";
  /** From the line that opens it up to the one behind it. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
};

const TOP_KEY = /^( {0,3})["']?(loom|loom_questions)["']?[ \t]*:(?:\s|$)/;
const NESTED = /^ {0,3}(?:```|~~~)/;

function findBlocks(lines: TextLines): Block[] {
  return scanMarkdown(lines).fences.flatMap((fence): Block[] => {
    if (fence.info !== "" && !isYaml(fence.info) && !/^json/i.test(fence.info)) return [];
    const keys = new Set<string>();
    const content: string[] = [];
    for (let at = fence.content.from; at < fence.content.to; at += 1) {
      const line = lines.line(at);
      // A block that says nothing of itself may be Markdown around the real one.
      if (fence.info === "" && NESTED.test(line)) return [];
      const [, space = "", key] = TOP_KEY.exec(line) ?? [];
      if (key !== undefined && space.length <= fence.indent) keys.add(key);
      content.push(dedent(line, fence.indent));
    }
    if (keys.size === 0) {
      const flow = /^\s*\{\s*["']?(loom|loom_questions)["']?\s*:/.exec(content.join("\n").slice(0, 200))?.[1];
      if (flow === undefined) return [];
      keys.add(flow);
    }
    const holds = keys.size === 2 ? "both" : keys.has("loom") ? "plan" : "questions";
    const to = fence.content.to + (fence.closed ? 1 : 0);
    return [{ holds, from: fence.line, to, text: content.join("\n") }];
  });
}

function dedent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line.charAt(at) === " ") at += 1;
  return line.slice(at);
}

const ONE_PLAN = "Answer again with one block with `loom:`, and with no other example of a plan.";

function readBlocks(lines: TextLines, blocks: readonly Block[], maxQuestions: number): PlannerAnswer {
  const [first, second] = blocks;
  if (!first) return readBare(lines, maxQuestions);
  if (first.holds === "both" || blocks.some(({ holds }) => holds !== first.holds)) {
    return neither("The answer holds a plan and questions. Give either a plan or questions, not both.");
  }
  if (second) {
    return first.holds === "plan"
      ? neither(`There are ${blocks.length} blocks with \`loom:\`, and only one can be the plan. ${ONE_PLAN}`)
      : neither(`There are ${blocks.length} blocks with \`loom_questions:\`. Put all questions into one.`);
  }
  if (first.holds === "plan") {
    return { kind: "plan", sections: readSections(lines, first), document: fence(first.text) };
  }
  const read = readQuestions(first.text, maxQuestions);
  return typeof read === "string" ? neither(read) : { kind: "assessment", ...read };
}

/** An answer that is nothing but YAML, or whose fence was forgotten. */
function readBare(lines: TextLines, maxQuestions: number): PlannerAnswer {
  let at = 0;
  while (at < lines.count && /^(?:\s*|---\s*|#.*)$/.test(lines.line(at))) at += 1;
  const key = TOP_KEY.exec(lines.line(at))?.[2];
  const rest = lines.text.slice(lines.start(at));
  if (key === "loom") return { kind: "plan", sections: NO_SECTIONS, document: fence(rest) };
  if (key === "loom_questions") {
    const read = readQuestions(rest, maxQuestions);
    return typeof read === "string" ? neither(read) : { kind: "assessment", ...read };
  }
  if (lines.text.trim() === "") return neither("The answer is empty. Answer with the plan.");
  if (/^ {0,3}loom[ \t]*:(?:\s|$)/m.test(lines.text)) {
    return neither(
      "The `loom:` block stands outside of a code fence. Put it into one that is marked `yaml`.",
    );
  }
  return neither(
    "The answer holds no plan: there is no code fence marked `yaml` with `loom:` on its top level.",
  );
}

const NO_SECTIONS: PlanSections = { why: "", outOfScope: "", risks: "" };

/** The longest run of marks inside can't close it. */
function fence(yaml: string): string {
  const longest = (yaml.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 3);
  const marks = "`".repeat(Math.min(longest, 1_000) + 1);
  return `${marks}yaml\n${yaml.trimEnd()}\n${marks}\n`;
}

function readSections(lines: TextLines, plan: Block): PlanSections {
  const before = lines.text.slice(0, lines.start(plan.from));
  const after = lines.text.slice(lines.start(plan.to));
  const found: Record<keyof PlanSections, string[]> = { why: [], outOfScope: [], risks: [] };
  for (const part of [before, after]) {
    let current: { readonly name: keyof PlanSections; readonly level: number } | null = null;
    for (const { text, code, heading } of markLines(part)) {
      const title = code ? null : (heading ?? boldTitle(text));
      const name = title && SECTION_TITLES.get(title.title);
      if (name) current = { name, level: title.level };
      else if (heading && (!current || heading.level <= current.level)) current = null;
      else if (current && !/^\s*<!--.*-->\s*$/.test(text)) found[current.name].push(text);
    }
  }
  const textOf = (name: keyof PlanSections): string => shortText(found[name].join("\n"), SECTION_CHARS);
  return { why: textOf("why"), outOfScope: textOf("outOfScope"), risks: textOf("risks") };
}

function boldTitle(line: string): { title: string; level: number } | null {
  const text = line.trim();
  return text.length < 80 && /^\*\*[^*]+\*\*:?$/.test(text) ? { title: plainTitle(text), level: 7 } : null;
}

function neither(problem: string): PlannerAnswer {
  return { kind: "neither", problem };
}
