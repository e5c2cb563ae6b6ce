import type { Depth } from "../command/planning-choices.ts";
import type { Timestamp } from "../ids.ts";
import type { Complexity } from "../plan/plan.ts";
import { type MarkedLine, markLines } from "../session/mark-lines.ts";
import { plainLines } from "../text/escape-text.ts";
import { unwrapMarkdown } from "./answers/unwrap-markdown.ts";
import { headingOf } from "./compose-plan.ts";
import { fillTemplate, quotedYaml } from "./fill-template.ts";
import { sanitizeDocument } from "./sanitize-prose.ts";

export type DesignFrame = {
  readonly depth: Depth;
  readonly complexity: Complexity;
  readonly title: string;
  readonly created: Timestamp;
  /** With `{{places}}`. */
  readonly template: string;
};

type Section = {
  readonly title: string;
  readonly place: string;
  /** Titles that mean the same. */
  readonly also: readonly string[];
  readonly parts: readonly string[];
  readonly quick: boolean;
};

/** Every section of a design document; a quick one needs three of them, and none of their parts. */
const SECTIONS: readonly Section[] = [
  { title: "Problem Statement", place: "problem_statement", also: ["problem"], parts: [], quick: true },
  {
    title: "Requirements",
    place: "requirements",
    also: [],
    parts: ["Functional", "Non-Functional", "Constraints"],
    quick: false,
  },
  {
    title: "Approach",
    place: "approach",
    also: [],
    parts: ["Selected Approach", "Alternatives Considered", "Decision Matrix"],
    quick: true,
  },
  {
    title: "Architecture",
    place: "architecture",
    also: [],
    parts: ["Component Diagram", "Data Flow", "Key Interfaces"],
    quick: false,
  },
  { title: "Agent Team", place: "agent_team", also: ["agents", "team"], parts: [], quick: false },
  { title: "Risk Assessment", place: "risk_assessment", also: ["risks"], parts: [], quick: false },
  { title: "Success Criteria", place: "success_criteria", also: [], parts: [], quick: true },
];

const MAX_TEXT = 200_000;
const SECTION_CHARS = 20_000;
const OTHER_CHARS = 10_000;
const MAX_LINES = 4_000;

/**
 * The design document that stands in the repository: the agent's sections in their order below front matter of Loom's.
 * Whatever is missing is a problem, said to the agent; the document is there all the same, unless it would be empty.
 */
export function readDesign(
  text: string,
  { depth, complexity, title, created, template }: DesignFrame,
): { document: string | null; problems: readonly string[] } {
  const plain = withoutFrontMatter(plainLines(text.slice(0, MAX_TEXT)));
  const found = split(withoutFrontMatter(unwrapMarkdown(plain) ?? plain));
  const heading = headingOf(title);
  const values = Object.fromEntries(
    SECTIONS.map(({ place }) => [place, sanitize(found.known.get(place), SECTION_CHARS)]),
  );
  const document = fillTemplate(template, {
    ...values,
    title: quotedYaml(heading),
    created: quotedYaml(created),
    status: "draft",
    authors: '["TechLead", "User"]',
    type: '"design"',
    design_depth: depth,
    task_complexity: complexity,
    heading,
    other: sanitize(found.other, OTHER_CHARS),
  });
  return {
    document: SECTIONS.every(({ place }) => isEmpty(found.known.get(place))) ? null : document,
    problems: SECTIONS.flatMap((section) => missing(section, found.known, depth)),
  };
}

function withoutFrontMatter(text: string): string {
  const trimmed = text.trimStart();
  if (!trimmed.startsWith("---\n")) return text;
  const end = trimmed.indexOf("\n---", 3);
  return end === -1 || end > 10_000 ? text : trimmed.slice(end + 4);
}

type Found = {
  readonly known: ReadonlyMap<string, readonly MarkedLine[]>;
  /** Sections that nobody asked for; what stands before the first section is talk. */
  readonly other: readonly MarkedLine[];
};

function split(text: string): Found {
  const known = new Map<string, MarkedLine[]>();
  const other: MarkedLine[] = [];
  let lines: MarkedLine[] | null = null;
  let level = 0;
  for (const line of markLines(text).slice(0, MAX_LINES)) {
    const { heading } = line;
    const section = heading && SECTIONS.find((one) => isTitle(heading.title, one));
    // A part of a section may be called like another one.
    if (section && (lines === null || heading.level <= Math.max(level, 2))) {
      level = heading.level;
      lines = known.get(section.place) ?? [];
      known.set(section.place, lines);
    } else if (heading && lines !== null && heading.level <= level) {
      lines = other;
      other.push(line);
    } else lines?.push(line);
  }
  return { known, other };
}

function isTitle(title: string, section: Section): boolean {
  return title === section.title.toLowerCase() || section.also.includes(title);
}

/** Code keeps its fences: `sanitizeDocument` reads Markdown, and the marks are gone from these lines. */
function sanitize(lines: readonly MarkedLine[] | undefined, maxChars: number): string {
  let code = false;
  const texts = (lines ?? []).flatMap((line) => {
    const turns = line.code !== code;
    code = line.code;
    return [...(turns ? [FENCE] : []), line.text];
  });
  return sanitizeDocument([...texts, ...(code ? [FENCE] : [])].join("\n"), { maxChars });
}

/** Longer than any that an agent writes. */
const FENCE = "`".repeat(60);

function missing({ title, place, parts, quick }: Section, known: Found["known"], depth: Depth): string[] {
  if (depth === "quick" && !quick) return [];
  const lines = known.get(place) ?? [];
  if (isEmpty(lines)) {
    return [`The section \`## ${title}\` is missing or empty.`];
  }
  if (depth === "quick") return [];
  const titles = new Set(lines.flatMap(({ heading, text }) => heading?.title ?? boldTitle(text) ?? []));
  return parts
    .filter((part) => ![...titles].some((one) => one.startsWith(part.toLowerCase().replaceAll("-", " "))))
    .map((part) => `The section \`## ${title}\` has no part \`### ${part}\`.`);
}

function isEmpty(lines: readonly MarkedLine[] = []): boolean {
  return lines.every(({ text, heading }) => heading || text.trim() === "");
}

function boldTitle(text: string): string | null {
  return (
    /^\s*(?:[-*]\s+)?\*\*([^*]{1,60})\*\*/
      .exec(text)?.[1]
      ?.replace(/[\s:-]+/g, " ")
      .trim()
      .toLowerCase() ?? null
  );
}
