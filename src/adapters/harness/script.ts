import { isNode, isSeq, LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { messageOf } from "../../core/errors.ts";
import { composeYaml } from "../../core/plan/compose-yaml.ts";
import type { Problem } from "../../core/plan/problem.ts";
import { readValues } from "../../core/plan/yaml-values.ts";
import { PURPOSES } from "../../core/task/task-events.ts";

/**
 * What the scripted agent does in the place of a model, for each stage and for each purpose of a task: a file in YAML or
 * JSON that people can read and change. A stage is a list of steps, or has one list per attempt, the last of which repeats,
 * and one for conflicts. A purpose is the same without conflicts; its attempts are the task's sessions with that purpose.
 */
const path = z
  .string()
  .min(1)
  .refine((text) => !/^[/\\~]|\0/.test(text) && !text.split(/[/\\]/).includes(".."), {
    error: "leads out of the work tree",
    params: { fix: "Write a path that starts at the root of the work tree, such as src/main.js." },
  });
const amount = z.number().nonnegative();

const stepFields = {
  /** What the agent is doing, for people who watch. */
  say: z.string(),
  /** The last words of the session, unless others follow. */
  answer: z.string().refine((text) => text.trim() !== "", {
    error: "is empty",
    params: { fix: "Write what the agent answers." },
  }),
  write: z.strictObject({ path, text: z.string() }),
  append: z.strictObject({ path, text: z.string() }),
  /** Every occurrence; it is an error when there is none. */
  replace: z.strictObject({ path, find: z.string().min(1), with: z.string() }),
  remove: path,
  /** A shell command in the work tree; its failure is the agent's. */
  run: z.string().min(1),
  usage: z.strictObject({
    input_tokens: amount.optional(),
    output_tokens: amount.optional(),
    cost_usd: amount.optional(),
  }),
  /** Ends the session, and is passed over once the prompt holds the answer. */
  ask: z.string().trim().min(1),
  wait_ms: z.number().nonnegative().max(3_600_000),
  /** The exit code. */
  fail: z.int().min(1).max(255),
  /** Hangs without a word. */
  stall: z.literal(true),
};
const FIRST_LINES =
  "Begin with `stages:` and put the id of each stage below it, or with `tasks:` and a purpose.";
const STEP_NAMES = Object.keys(stepFields).join(", ");

const step = z
  .strictObject(stepFields)
  .partial()
  .refine((one) => Object.keys(one).length === 1, {
    error: "is not exactly one step",
    params: { fix: `Give each step one of these keys: ${STEP_NAMES}.` },
  });
const steps = z.array(step);
const attempts = z.array(steps).min(1);
const asAttempts = (value: unknown): unknown => (Array.isArray(value) ? { attempts: [value] } : value);
const stage = z.preprocess(asAttempts, z.strictObject({ attempts, conflict: steps.optional() }));
const purpose = z.preprocess(asAttempts, z.strictObject({ attempts }));
const scriptSchema = z
  .strictObject({
    stages: z.record(z.string(), stage).optional(),
    tasks: z.partialRecord(z.enum(PURPOSES), purpose).optional(),
  })
  .refine(({ stages, tasks }) => stages !== undefined || tasks !== undefined, {
    error: "has neither stages nor tasks",
    params: { fix: FIRST_LINES },
  })
  .transform(({ stages = {}, tasks = {} }) => ({ stages, tasks }));

export type Step = z.infer<typeof step>;
export type Script = z.infer<typeof scriptSchema>;

export type ScriptReading =
  | { readonly kind: "read"; readonly script: Script }
  | { readonly kind: "malformed"; readonly problems: readonly Problem[] };

export const MAX_SCRIPT_BYTES = 1024 * 1024;

export function parseScript(text: string): ScriptReading {
  const broken = faultsIn(text);
  if (broken.length > 0) return { kind: "malformed", problems: broken };

  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = messageOf(error);
    return { kind: "malformed", problems: [problem("", null, message, "Write the script without aliases.")] };
  }
  const parsed = scriptSchema.safeParse(value);
  if (parsed.success) return { kind: "read", script: parsed.data };

  /** Where it stands in the file: a stage that is a plain list has no `attempts`. */
  const locate = (where: readonly PropertyKey[]): readonly PropertyKey[] =>
    where[2] === "attempts" && isSeq(document.getIn(where.slice(0, 2)))
      ? [...where.slice(0, 2), ...where.slice(4)]
      : where;
  const lineOf = (where: readonly PropertyKey[]): number | null => {
    for (let length = where.length; length >= 0; length -= 1) {
      const node = document.getIn(where.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return null;
  };
  const problems = parsed.error.issues.map((issue) => {
    const where = locate(issue.path);
    return problem(describePath(where), lineOf(where), describeIssue(issue), fixFor(issue));
  });
  // One sentence per step is enough: the first one is the more exact.
  const told = new Set<string>();
  return {
    kind: "malformed",
    problems: problems.filter((one) => !told.has(one.path) && told.add(one.path)),
  };
}

/** Asked before `parseDocument`, which takes any depth, and minutes for a text of mistakes or of many keys. */
function faultsIn(text: string): Problem[] {
  const { contents, faults } = composeYaml(text.endsWith("\n") ? text : `${text}\n`);
  return [...faults, ...(faults.length > 0 ? [] : readValues(contents).faults)]
    .filter(({ code }) => code !== "TAG_RESOLVE_FAILED")
    .map(({ offset, message }) => {
      const line = text.slice(0, offset).split("\n").length;
      return problem("", line, message, "Fix the YAML at this line.");
    });
}

function problem(where: string, line: number | null, message: string, fix: string): Problem {
  return { severity: "error", path: where, line, message, fix };
}

function describePath(parts: readonly PropertyKey[]): string {
  return parts.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text && "."}${String(part)}`),
    "",
  );
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `does not know ${issue.keys.join(", ")}`;
  return issue.message.replace(/^Invalid input: /, "").replace("expected record", "expected object");
}

function fixFor(issue: z.core.$ZodIssue): string {
  if (issue.code === "custom" && typeof issue.params?.fix === "string") return issue.params.fix;
  const { path: where } = issue;
  if (where.length <= 1) return where[0] === "tasks" ? `Purposes are: ${PURPOSES.join(", ")}.` : FIRST_LINES;
  if (where.length === 2 && where[0] === "tasks") return "Give the purpose a list of steps, or `attempts:`.";
  if (where.length === 2) return "Give the stage a list of steps, or `attempts:` and `conflict:`.";
  if (where.length === 4 && where[2] === "attempts") return "Make each attempt a list of steps.";
  if (typeof where.at(-1) === "number") return `Steps are: ${STEP_NAMES}.`;
  return issue.code === "invalid_type" ? `Write a ${issue.expected} here.` : "Correct this value.";
}
