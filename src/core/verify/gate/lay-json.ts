import { z } from "zod";
import { ownValue } from "../../table.ts";
import type { Lay } from "./lay.ts";

type Fields = Readonly<Record<string, unknown>>;

const fieldsSchema = z.record(z.string(), z.unknown());

/** Scripts and settings of test and lint tools, and what decides which programs they are. Dependencies stay the commit's. */
const PACKAGE_KEYS = [
  "scripts",
  "jest",
  "mocha",
  "ava",
  "vitest",
  "tap",
  "jasmine",
  "c8",
  "nyc",
  "wireit",
  "nx",
  "turbo",
  "babel",
  "xo",
  "standard",
  "eslintConfig",
  "eslintIgnore",
  "prettier",
  "stylelint",
  "packageManager",
];
const COMPOSER_KEYS = ["scripts", "scripts-aliases", "config", "autoload-dev"];
const DENO_KEYS = ["tasks", "test", "lint", "fmt", "bench", "exclude", "compilerOptions", "unstable"];

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies"];

export const layPackage: Lay = (base, commit) =>
  layFields(base, commit, (before, after) => ({
    ...valuesOf(before, PACKAGE_KEYS),
    workspaces: workspaces(ownValue(before, "workspaces"), ownValue(after, "workspaces")),
    ...Object.fromEntries(
      DEPENDENCIES.map((key) => [key, tools(ownValue(before, key), ownValue(after, key))]),
    ),
  }));
export const layComposer: Lay = (base, commit) =>
  layFields(base, commit, (before) => valuesOf(before, COMPOSER_KEYS));
export const layDeno: Lay = (base, commit) =>
  layFields(base, commit, (before) => valuesOf(before, DENO_KEYS));

/** What can't be read field by field is the base's as a whole. */
function layFields(
  base: string | null,
  commit: string | null,
  decided: (before: Fields, after: Fields) => Fields,
): string | null {
  const after = commit === null ? null : parse(commit);
  const before = base === null ? {} : parse(base);
  if (after === null || before === null) return base;
  const changed = Object.entries(decided(before, after)).filter(
    ([key, value]) => !isSame(value, ownValue(after, key)),
  );
  if (changed.length === 0) return commit;
  // A field without a value is not written.
  const laid = { ...after, ...Object.fromEntries(changed) };
  return `${JSON.stringify(laid, null, 2)}\n`;
}

function valuesOf(fields: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.map((key) => [key, ownValue(fields, key)]));
}

/** A further package may come; taking one out, by name or by `!`, takes its tests out. */
function workspaces(before: unknown, after: unknown): unknown {
  const [older, newer] = [new Set(namesIn(before)), new Set(namesIn(after))];
  const isMore =
    [...older].every((name) => newer.has(name)) &&
    [...newer].every((name) => older.has(name) || !name.startsWith("!"));
  return isMore ? after : before;
}

function namesIn(workspaces: unknown): string[] {
  const fields = fieldsSchema.safeParse(workspaces).data;
  const list = fields ? ownValue(fields, "packages") : workspaces;
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/** A name that the base has must not come to mean a folder of the commit: the test runner could be one of the agent's own. */
function tools(before: unknown, after: unknown): unknown {
  const older = fieldsSchema.safeParse(before).data;
  const newer = fieldsSchema.safeParse(after).data;
  if (!older || !newer) return after;
  const replaced = Object.entries(older).filter(([name, spec]) => {
    const now = ownValue(newer, name);
    return now !== undefined && now !== spec && !isVersion(now);
  });
  return replaced.length === 0 ? after : { ...newer, ...Object.fromEntries(replaced) };
}

function isVersion(spec: unknown): boolean {
  return typeof spec === "string" && !/[:/]/.test(spec);
}

function parse(text: string): Fields | null {
  try {
    return fieldsSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
