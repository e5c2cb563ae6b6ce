import * as z from "zod";
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
  "overrides",
  "resolutions",
  "pnpm",
  "dependenciesMeta",
  "config",
  "ts-node",
  "cypress",
];
const COMPOSER_KEYS = [
  ...["scripts", "scripts-aliases", "config", "autoload-dev"],
  ...["repositories", "replace", "provide"],
];
const DENO_KEYS = [
  ...["tasks", "test", "lint", "fmt", "bench", "exclude", "compilerOptions", "unstable"],
  ...["importMap", "scopes", "patch", "links", "vendor"],
];

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies"];

export const layPackage: Lay = (base, commit, known = new Set()) => {
  // A package of a tool's name is linked in the tool's place, wherever it lies.
  if (base === null && known.has(nameOf(commit) ?? "")) return null;
  return layFields(base, commit, (before, after) => ({
    ...valuesOf(before, PACKAGE_KEYS),
    name: known.has(nameOf(commit) ?? "") ? ownValue(before, "name") : ownValue(after, "name"),
    bin: programs(ownValue(before, "bin"), ownValue(after, "bin"), known),
    workspaces: workspaces(ownValue(before, "workspaces"), ownValue(after, "workspaces")),
    ...Object.fromEntries(
      DEPENDENCIES.map((key) => [key, tools(ownValue(before, key), ownValue(after, key))]),
    ),
  }));
};
export const layComposer: Lay = (base, commit) =>
  layFields(base, commit, (before) => valuesOf(before, COMPOSER_KEYS));
export const layDeno: Lay = (base, commit) =>
  layFields(base, commit, (before, after) => ({
    ...valuesOf(before, DENO_KEYS),
    imports: imports(ownValue(before, "imports"), ownValue(after, "imports")),
  }));

/** What the base's manifests and lock files of npm call packages and programs. */
export function toolsIn(name: string, text: string): string[] {
  const fields = parse(text);
  if (fields === null) return [];
  if (name === "package.json") return DEPENDENCIES.flatMap((key) => keysOf(ownValue(fields, key)));
  const packages = fieldsSchema.safeParse(ownValue(fields, "packages")).data ?? {};
  return Object.values(packages).flatMap((one) => {
    const entry = fieldsSchema.safeParse(one).data;
    return entry ? keysOf(ownValue(entry, "bin")) : [];
  });
}

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

/** A program of a tool's name would be found in the tool's place. */
function programs(before: unknown, after: unknown, known: ReadonlySet<string>): unknown {
  const older = fieldsSchema.safeParse(before).data ?? {};
  const newer = fieldsSchema.safeParse(after).data;
  if (!newer) return after;
  const kept = Object.entries(newer).filter(([name]) => Object.hasOwn(older, name) || !known.has(name));
  return kept.length === Object.keys(newer).length ? after : Object.fromEntries(kept);
}

/** A new name may come; one that stands for an address or a path changes what is written already. */
function imports(before: unknown, after: unknown): unknown {
  const older = fieldsSchema.safeParse(before).data ?? {};
  const newer = fieldsSchema.safeParse(after).data;
  if (!newer) return after;
  let isLaid = false;
  const laid = Object.entries(newer).flatMap(([name, to]): [string, unknown][] => {
    const was = ownValue(older, name);
    if (was === undefined ? !/^[./]|:/.test(name) : unversioned(was) === unversioned(to)) return [[name, to]];
    isLaid = true;
    return was === undefined ? [] : [[name, was]];
  });
  return isLaid ? Object.fromEntries(laid) : after;
}

/** `jsr:@std/assert@^1.0.0` and its next version are the same package. */
function unversioned(spec: unknown): unknown {
  return typeof spec === "string" ? spec.replace(/@[~^]?v?\d[\w.+-]*/, "") : JSON.stringify(spec);
}

function nameOf(text: string | null): string | null {
  const name = text === null ? null : ownValue(parse(text) ?? {}, "name");
  return typeof name === "string" ? name : null;
}

function keysOf(value: unknown): string[] {
  return Object.keys(fieldsSchema.safeParse(value).data ?? {});
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
