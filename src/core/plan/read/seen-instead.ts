import type { z } from "zod";
import { quote } from "../../text/quote.ts";
import type { Path } from "./read-yaml.ts";

/** The end of a sentence about a wrong value: what stands there instead. Nothing where the sentence has said it. */
export function seenInstead(issue: z.core.$ZodIssue, root: unknown): string {
  const saysItself = issue.code === "custom" || (issue.code === "too_small" && issue.origin === "array");
  return saysItself ? "" : describe(valueAt(root, placeOf(issue)));
}

export function placeOf(issue: z.core.$ZodIssue): Path {
  return issue.path.filter((step) => typeof step !== "symbol");
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined),
    root,
  );
}

function describe(value: unknown): string {
  if (value === undefined) return "";
  if (value === null) return ", but is empty";
  if (Array.isArray(value)) return ", but is a list";
  if (typeof value === "object") return ", but is a mapping";
  const text = String(value);
  return text.trim() === "" ? "" : `, but is ${quote(text)}`;
}
