import type { z } from "zod";
import type { Problem } from "../plan/problem.ts";
import { readYaml } from "../plan/read/read-yaml.ts";
import { placeOf, seenInstead } from "../plan/read/seen-instead.ts";
import { createReporter, formatPath, type Reporter, sortProblems } from "../plan/report-problems.ts";
import { filled } from "../plan/schema-parts.ts";
import { ownValue } from "../table.ts";
import { plainLines } from "../text/escape-text.ts";
import { nearestName } from "../text/nearest-name.ts";
import { quote } from "../text/quote.ts";
import { splitLines } from "../text/text-lines.ts";

/** A file that opens with fields between two lines of `---` and goes on with text. */
export type FrontMatter<T> = {
  /** null when the fields can't be used. */
  readonly fields: T | null;
  /** What stands below, with nothing in it that a terminal or a model would see and a reader would not. */
  readonly body: string;
  readonly reporter: Reporter;
  /** All of them so far, in the order of the file. */
  problems(): Problem[];
};

/** More than any of them needs. A prompt holds one agent and three skills, and its task besides. */
const MAX_CHARS = 12_000;

const MAX_DESCRIPTION = 600;

export const descriptionField = filled.refine((text) => text.length <= MAX_DESCRIPTION, {
  error: `must have ${MAX_DESCRIPTION} characters at most`,
});

export type Known = {
  /** Each field that there is, and what it looks like. */
  readonly examples: Readonly<Record<string, string>>;
};

/** Whatever the text is, the answer comes in time that is linear in its length, and as a value. */
export function readFrontMatter<T extends z.ZodType>(
  text: string,
  schema: T,
  { examples }: Known,
): FrontMatter<z.infer<T>> {
  const whole: Problem[] = [];
  const complain = (line: number | null, message: string, fix: string): void => {
    whole.push({ severity: "error", path: "", line, message, fix });
  };
  const nothing = createReporter((at) => ({ path: formatPath(at), line: null, file: null }));
  const refuse = (): FrontMatter<z.infer<T>> => ({
    fields: null,
    body: "",
    reporter: nothing,
    problems: () => [...whole],
  });

  if (text.length > MAX_CHARS) {
    complain(null, `The file has ${text.length} characters; ${MAX_CHARS} are the most.`, "Shorten it.");
    return refuse();
  }
  const lines = splitLines(text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"));
  if (lines.line(0).trimEnd() !== "---") {
    complain(
      1,
      "The file has to open with a line `---`.",
      `Write fields such as \`${examples.name}\` below it.`,
    );
    return refuse();
  }
  let end = 1;
  while (end < lines.count && lines.line(end).trimEnd() !== "---") end += 1;
  if (end >= lines.count) {
    complain(1, "The block that opens with `---` is never closed.", "Close it with a line `---`.");
    return refuse();
  }
  const { source, problems: misread } = readYaml(lines, { from: 1, to: end });
  const body = plainLines(lines.text.slice(lines.start(end + 1))).trim();
  whole.push(...misread);
  if (!source || misread.length > 0) return { ...refuse(), body };
  const reporter = createReporter((at) => ({ path: formatPath(at), line: source.lineOf(at), file: null }));
  if (body === "") complain(null, "There is no text below the fields.", "Write it below the second `---`.");
  const parsed = schema.safeParse(source.value ?? {});
  if (!parsed.success) reportShape(parsed.error.issues, source.value, examples, reporter);
  return {
    fields: parsed.success ? parsed.data : null,
    body,
    reporter,
    problems: () => sortProblems([...whole, ...reporter.problems]),
  };
}

function reportShape(
  issues: readonly z.core.$ZodIssue[],
  root: unknown,
  examples: Known["examples"],
  reporter: Reporter,
): void {
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        const near = nearestName(key, Object.keys(examples));
        reporter.error(
          [key],
          `There is no field ${quote(key)}.`,
          near ? `Did you mean \`${near}\`?` : "Remove it.",
        );
      }
      continue;
    }
    const place = placeOf(issue);
    const field = place.find((step) => typeof step === "string");
    const isMissing = field !== undefined && place.length === 1 && !hasField(root, field);
    const wrong = isMissing ? "is missing" : `${issue.message}${seenInstead(issue, root)}`;
    reporter.error(
      place,
      `${field === undefined ? "The block" : `\`${field}\``} ${wrong}.`,
      `Write, for example, \`${ownValue(examples, field ?? "name") ?? examples.name}\`.`,
    );
  }
}

function hasField(root: unknown, field: string): boolean {
  return typeof root === "object" && root !== null && Object.hasOwn(root, field);
}
