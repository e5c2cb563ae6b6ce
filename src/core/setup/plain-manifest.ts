import { table } from "../table.ts";

/**
 * What an agent wrote as manifests and lock files, as far as a download needs it. Only known fields are taken over: the rest
 * names scripts, programs to fetch and run, or is of no use. null: there is something in it that can't be downloaded without
 * running what it brings, such as a dependency from a git repository.
 */
export type Plain = (text: string, ofBase: string | null) => string | null;

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const PACKAGE_FIELDS = [
  "name",
  "version",
  "private",
  "type",
  "bin",
  "workspaces",
  "overrides",
  "resolutions",
  "peerDependenciesMeta",
  "dependenciesMeta",
  "bundleDependencies",
  "bundledDependencies",
  "engines",
  "os",
  "cpu",
  ...DEPENDENCIES,
];

/** The package manager and its version are what the base says: corepack fetches and runs what stands there. */
export const plainPackageJson: Plain = (text, ofBase) => {
  const found = parseObject(text);
  if (found === null) return null;
  const plain = pick(found, PACKAGE_FIELDS);
  const specs = DEPENDENCIES.flatMap((field) => stringsIn(plain[field]));
  if (![...specs, ...stringsIn(plain.overrides), ...stringsIn(plain.resolutions)].every(isFromRegistry))
    return null;
  const manager = ofBase === null ? undefined : parseObject(ofBase)?.packageManager;
  return written(typeof manager === "string" ? { ...plain, packageManager: manager } : plain);
};

/** A place such as `../x` would let a package be unpacked outside of the folder. */
export const plainPackageLock: Plain = (text) => {
  const found = parseObject(text);
  if (found === null) return null;
  const isFine =
    stringsIn(found).every((value) => !GIT_ADDRESS.test(value)) &&
    keysIn(found).every((key) => !key.startsWith("/") && !key.split("/").includes(".."));
  return isFine ? written(found) : null;
};

/** Of lock files that are no JSON. */
export const plainLockText: Plain = (text) => (GIT_ANYWHERE.test(text) ? null : text);

const COMPOSER_FIELDS = ["name", "require", "require-dev", "minimum-stability", "prefer-stable"];
const COMPOSER_PACKAGE = /^[a-z0-9][a-z0-9_.-]*\/[a-z0-9][a-z0-9_.-]*$/i;

export const plainComposerJson: Plain = (text) => {
  const found = parseObject(text);
  return found === null ? null : written(pick(found, COMPOSER_FIELDS));
};

/** Archives alone: what comes from a repository is checked out by a program that the lock file chooses. */
export const plainComposerLock: Plain = (text) => {
  const found = parseObject(text);
  if (found === null) return null;
  const packages = ["packages", "packages-dev"].map((field) => plainComposerPackages(found[field]));
  const [runtime, dev] = packages;
  if (!runtime || !dev) return null;
  return written({ ...found, packages: runtime, "packages-dev": dev });
};

function plainComposerPackages(list: unknown): unknown[] | null {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return null;
  const plain: unknown[] = [];
  for (const one of list) {
    if (!isObject(one) || typeof one.name !== "string" || !COMPOSER_PACKAGE.test(one.name)) return null;
    const { source: _source, "target-dir": _target, ...rest } = one;
    const isArchive = isObject(rest.dist) && (rest.dist.type === "zip" || rest.dist.type === "tar");
    if (!isArchive && rest.type !== "metapackage") return null;
    plain.push(rest);
  }
  return plain;
}

export const asItIs: Plain = (text) => text;

const GIT_ADDRESS = /^(?:git[+:@]|(?:ssh|github|gitlab|bitbucket|gist|exec):)/i;
const GIT_ANYWHERE = /\bgit\+|\bgit:\/|\bgit@|\b(?:ssh|github|gitlab|bitbucket|gist|exec):|\btype: ?git\b/i;
const ARCHIVE = /^https?:\/\/[^#]*\.(?:tgz|tar\.gz)$/i;

function isFromRegistry(spec: string): boolean {
  if (GIT_ADDRESS.test(spec)) return false;
  if (/^https?:/i.test(spec)) return ARCHIVE.test(spec);
  // `owner/name` is short for a repository on GitHub.
  return /^[a-z]+:/i.test(spec) || !spec.includes("/");
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** null: it is too deep to be written. */
function written(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

function parseObject(text: string): Fields | null {
  try {
    const found: unknown = JSON.parse(text);
    return isObject(found) ? found : null;
  } catch {
    return null;
  }
}

function pick(from: Fields, names: readonly string[]): Record<string, unknown> {
  const picked = table<unknown>();
  for (const name of names) if (Object.hasOwn(from, name)) picked[name] = from[name];
  return picked;
}

/** Every text that is a value, however deep; without recursion, since depth is the writer's choice. */
function stringsIn(value: unknown): string[] {
  return walk(value).strings;
}

function keysIn(value: unknown): string[] {
  return walk(value).keys;
}

function walk(value: unknown): { strings: string[]; keys: string[] } {
  const strings: string[] = [];
  const keys: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") strings.push(next);
    else if (Array.isArray(next)) for (const inner of next) open.push(inner);
    else if (isObject(next)) {
      for (const [key, inner] of Object.entries(next)) {
        keys.push(key);
        open.push(inner);
      }
    }
  }
  return { strings, keys };
}
