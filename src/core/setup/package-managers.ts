import {
  asItIs,
  type Plain,
  plainComposerJson,
  plainComposerLock,
  plainLockText,
  plainPackageJson,
  plainPackageLock,
} from "./plain-manifest.ts";
import { plainRequirements, requirementsOfProject } from "./plain-requirements.ts";

/**
 * How each package manager downloads without running anything of the tree: the files that it needs, which of them an agent
 * may have written, and its own command for it. Managers whose manifests are programs (Gemfile, setup.py, build.gradle,
 * mix.exs) are not here: to read what they need is to run them.
 */
export type PackageManager = {
  readonly name: string;
  /** By the name of the file, as the commit has them, made plain. */
  readonly manifests: readonly (readonly [name: RegExp, plain: Plain])[];
  /** Those of them that pin versions; the manager is run in the folder of the nearest one. */
  readonly lock: RegExp;
  /** false: without a lock file it does nothing. */
  readonly worksUnlocked: boolean;
  /** By path from the folder of a manifest. They can name programs, so they come from the base. */
  readonly settings: RegExp | null;
  /** Files that have to be there and may be empty. */
  readonly stubs: RegExp | null;
  /** A lock file of this name that is none of this manager's. */
  readonly takesLock?: (text: string) => boolean;
  /** From the first on, until one succeeds; `{file}` is each of the manifests in turn. */
  readonly tries: readonly (readonly [string, ...string[]])[];
};

const PACKAGE_JSON = [/^package\.json$/, plainPackageJson] as const;
const isBerry = (lock: string): boolean => /^__metadata:/m.test(lock);
const NPM = ["--ignore-scripts", "--no-audit", "--no-fund"] as const;

export const PACKAGE_MANAGERS: readonly PackageManager[] = [
  {
    name: "npm",
    manifests: [PACKAGE_JSON, [/^(?:package-lock|npm-shrinkwrap)\.json$/, plainPackageLock]],
    lock: /^(?:package-lock|npm-shrinkwrap)\.json$/,
    worksUnlocked: true,
    settings: /^\.npmrc$/,
    stubs: null,
    tries: [
      ["npm", "ci", ...NPM],
      ["npm", "install", ...NPM],
    ],
  },
  {
    name: "pnpm",
    manifests: [PACKAGE_JSON, [/^pnpm-lock\.yaml$/, plainLockText]],
    lock: /^pnpm-lock\.yaml$/,
    worksUnlocked: false,
    settings: /^(?:\.npmrc|pnpm-workspace\.yaml)$/,
    stubs: null,
    tries: [["pnpm", "fetch", "--ignore-scripts", "--ignore-pnpmfile"]],
  },
  {
    name: "yarn",
    manifests: [PACKAGE_JSON, [/^yarn\.lock$/, plainLockText]],
    lock: /^yarn\.lock$/,
    worksUnlocked: false,
    settings: /^(?:\.npmrc|\.yarnrc|\.yarn\/releases\/[^/]+)$/,
    stubs: null,
    takesLock: (text) => !isBerry(text),
    tries: [["yarn", "install", "--ignore-scripts", "--frozen-lockfile", "--non-interactive"]],
  },
  {
    name: "yarn",
    manifests: [PACKAGE_JSON, [/^yarn\.lock$/, plainLockText]],
    lock: /^yarn\.lock$/,
    worksUnlocked: false,
    settings: /^(?:\.yarnrc\.yml|\.yarn\/(?:releases|plugins)\/.+)$/,
    stubs: null,
    takesLock: isBerry,
    tries: [["yarn", "install", "--immutable", "--mode=skip-build"]],
  },
  {
    name: "cargo",
    manifests: [
      [/^Cargo\.toml$/, asItIs],
      [/^Cargo\.lock$/, asItIs],
    ],
    lock: /^Cargo\.lock$/,
    worksUnlocked: true,
    settings: /^(?:\.cargo\/config(?:\.toml)?|rust-toolchain(?:\.toml)?)$/,
    // A manifest without a target is refused, and targets are found by the names of files.
    stubs: /\.rs$/,
    tries: [
      ["cargo", "fetch", "--locked"],
      ["cargo", "fetch"],
    ],
  },
  {
    name: "go",
    manifests: [
      [/^go\.(?:mod|work)$/, asItIs],
      [/^go\.(?:work\.)?sum$/, asItIs],
    ],
    lock: /^go\.(?:mod|work)$/,
    worksUnlocked: false,
    settings: null,
    stubs: null,
    tries: [["go", "mod", "download"]],
  },
  {
    name: "pip",
    manifests: [
      [/^[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/, plainRequirements],
      [/^pyproject\.toml$/, requirementsOfProject],
      // Read as requirements and never run: what builds a project that does not say so.
      [/^setup\.py$/, () => requirementsOfProject("")],
    ],
    lock: /^[\w.-]*requirements[\w.-]*\.(?:txt|in)$|^pyproject\.toml$/,
    worksUnlocked: false,
    settings: null,
    stubs: null,
    tries: [["python3", "-I", "-m", "pip", "download", "--only-binary=:all:", "-r", "{file}"]],
  },
  {
    name: "composer",
    manifests: [
      [/^composer\.json$/, plainComposerJson],
      [/^composer\.lock$/, plainComposerLock],
    ],
    lock: /^composer\.lock$/,
    worksUnlocked: false,
    settings: null,
    stubs: null,
    tries: [
      [
        "composer",
        "install",
        "--no-scripts",
        "--no-plugins",
        "--no-autoloader",
        "--prefer-dist",
        "--no-interaction",
        "--no-progress",
        "--ignore-platform-reqs",
      ],
    ],
  },
];

/** Of managers that nothing is downloaded for; people are told that they were changed. */
const OTHER_MANIFESTS =
  /^(?:Gemfile(?:\.lock)?|[\w.-]+\.gemspec|setup\.cfg|Pipfile(?:\.lock)?|poetry\.lock|uv\.lock|pdm\.lock|pom\.xml|build\.gradle(?:\.kts)?|gradle\.lockfile|mix\.(?:exs|lock)|bun\.lockb?|deno\.(?:json|lock)|packages\.lock\.json|[\w.-]+\.csproj|pubspec\.(?:yaml|lock)|Podfile(?:\.lock)?|Package\.(?:swift|resolved))$/;

/** Whether a file says what a project depends on. */
export function isManifest(path: string): boolean {
  const name = nameOf(path);
  return (
    !isInstalled(path) &&
    (OTHER_MANIFESTS.test(name) ||
      PACKAGE_MANAGERS.some(({ manifests }) => manifests.some(([pattern]) => pattern.test(name))))
  );
}

/** What belongs to a package that lies in the tree is none of the project's manifests. */
export function isInstalled(path: string): boolean {
  return /(?:^|\/)(?:node_modules|vendor|target|\.venv)\//.test(path);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `""` for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
