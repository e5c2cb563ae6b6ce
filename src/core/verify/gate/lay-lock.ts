import * as z from "zod";
import { ownValue } from "../../table.ts";
import type { Lay } from "./lay.ts";

/**
 * Lock files say where each package comes from, and so which program a name in a script is. Versions come and go with the
 * work of a stage; what the base took from a registry must not come to be a folder or an address of the commit's (T37).
 */
export const LOCKS: readonly string[] = [
  ...["yarn.lock", "pnpm-lock.y*ml", "bun.lock", "gemfile.lock", "gems.locked", "poetry.lock", "uv.lock"],
  ...["pdm.lock", "pipfile.lock", "pylock*.toml", "cargo.lock", "composer.lock", "deno.lock", "mix.lock"],
  ...["pubspec.lock", "package.resolved", "podfile.lock"],
];

const fieldsSchema = z.record(z.string(), z.unknown());
const entriesSchema = z.record(
  z.string(),
  z.looseObject({
    version: z.string().optional().catch(undefined),
    resolved: z.string().optional().catch(undefined),
    link: z.boolean().optional().catch(undefined),
    bin: z.record(z.string(), z.unknown()).optional().catch(undefined),
  }),
);
type Entries = z.infer<typeof entriesSchema>;
type Entry = Entries[string];

/** An entry that the base has stays a package of the same registry, and no other brings a program of the same name. */
export const layNpmLock: Lay = (base, commit) => {
  const [before, after] = [parse(base ?? "{}"), commit === null ? null : parse(commit)];
  if (before === null || after === null) return base;
  // Nobody can say of a first lock file which of its links take the place of a package.
  if (base === null && /"link"\s*:\s*true/.test(commit ?? "")) return null;
  const laid = new Map<string, unknown>();
  // `dependencies` is what the first version of the format had.
  for (const part of ["packages", "dependencies"]) {
    const older = entriesSchema.safeParse(ownValue(before, part)).data ?? {};
    const newer = entriesSchema.safeParse(ownValue(after, part)).data;
    if (newer === undefined) {
      if (ownValue(after, part) !== undefined) return base;
      continue;
    }
    const entries = layEntries(older, newer);
    if (entries !== null) laid.set(part, entries);
  }
  return laid.size === 0 ? commit : `${JSON.stringify({ ...after, ...Object.fromEntries(laid) }, null, 2)}\n`;
};

/** null: as the commit has them. */
function layEntries(older: Entries, newer: Entries): Entries | null {
  const programs = new Map(
    Object.entries(older).flatMap(([path, { bin }]) => Object.keys(bin ?? {}).map((name) => [name, path])),
  );
  const isTaken = (path: string, { bin }: Entry): boolean =>
    Object.keys(bin ?? {}).some((name) => programs.has(name) && nameIn(programs.get(name)) !== nameIn(path));
  let isLaid = false;
  const laid = Object.entries(newer).flatMap(([path, entry]): [string, Entry][] => {
    const before = ownValue(older, path);
    if (before === undefined ? !isTaken(path, entry) : isSameSource(before, entry)) return [[path, entry]];
    isLaid = true;
    return before === undefined ? [] : [[path, before]];
  });
  return isLaid ? Object.fromEntries(laid) : null;
}

/** The same package has the same name wherever in the tree it is put. */
function nameIn(path = ""): string {
  return path.split("node_modules/").at(-1) ?? path;
}

function isSameSource(before: Entry, after: Entry): boolean {
  return placeOf(before) === placeOf(after);
}

/** A folder or a file by its name, a registry by its host. */
function placeOf({ resolved, link = false, version = "" }: Entry): string {
  const from = resolved ?? (/[:/]/.test(version) ? version : "");
  return `${link ? "link " : ""}${/^https?:\/\/[^/]+/.exec(from)?.[0] ?? from}`;
}

const LOCAL =
  /\b(?:file|link|portal|patch|exec|workspace|path|git|github|directory|editable|virtual)\b["']?\s*[:=]|[@+](?:file|link|portal|patch|exec|workspace|git|ssh)\b|\bgit\+|\{:(?:git|path)\b|^(?:PATH|GIT)\b|\bremote: (?!https:)|\btype["']?\s*(?::\s*["']?(?:path|directory)|=\s*["'](?:git|directory|file|url))\b/;
/** A file of a registry's, by its name alone. */
const WHEEL = /^\s*\{\s*file = "[\w.+-]+", hash = /;
const HOST = /https?:\/\/([^/\s"'#)]+)/g;
const REGISTRIES = [
  ...[
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "index.crates.io",
    "rubygems.org",
    "pub.dev",
    "repo.hex.pm",
  ],
  ...["pypi.org", "files.pythonhosted.org", "jsr.io", "api.github.com"],
];

/** For formats that are read line by line: the commit's, unless a line takes a package from a place that is new. */
export const layLock: Lay = (base, commit) => {
  if (commit === null) return base;
  const hosts = new Set([...REGISTRIES, ...hostsIn(base ?? "")]);
  return otherSources(base ?? "", hosts) === otherSources(commit, hosts) ? commit : base;
};

/** Lines about packages of the project's own are left out. */
function otherSources(text: string, hosts: ReadonlySet<string>): string {
  return text
    .split(/\n(?=\S)/)
    .filter((entry) => !isOwnPackage(entry))
    .flatMap((entry) => withoutWorkspaces(entry.split("\n")))
    .filter((line) => !WHEEL.test(line))
    .filter((line) => LOCAL.test(line) || hostsIn(line).some((host) => !hosts.has(host)))
    .join("\n");
}

function hostsIn(text: string): string[] {
  return Array.from(text.matchAll(HOST), ([, host = ""]) => host);
}

/** `"core@workspace:packages/core":` asks for a folder by itself; beside a range, the folder takes a package's place. */
function isOwnPackage(entry: string): boolean {
  const [asked = ""] = entry.split("\n", 1);
  return asked.includes("@workspace:") && !/@(?:npm|patch|file|portal):/.test(asked);
}

/** `specifier: workspace:*` asks for the `link:` behind it. */
function withoutWorkspaces(lines: readonly string[]): string[] {
  const isAsked = (line = ""): boolean => /^\s*specifier: ["']?workspace:/.test(line);
  return lines.filter(
    (line, at) => !isAsked(line) && !(isAsked(lines[at - 1]) && /version: link:/.test(line)),
  );
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
