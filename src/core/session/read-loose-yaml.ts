import { composeYaml } from "../plan/compose-yaml.ts";
import { readValues } from "../plan/yaml-values.ts";

/**
 * What an agent wrote as YAML or JSON, read as far as it means something: null when it is neither. It goes the way that
 * plans go, because aliases of aliases and deep nesting may come from here, too.
 */
export function readLooseYaml(text: string): unknown {
  const { contents, faults } = composeYaml(text.endsWith("\n") ? text : `${text}\n`);
  if (faults.some(({ code }) => code !== "TAG_RESOLVE_FAILED")) return null;
  return readValues(contents).value ?? null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A word of YAML that may have looked like a number, a date or a truth value. */
export function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

/** A list, or one thing that was written without the list around it. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined || value === "" ? [] : [value];
}
