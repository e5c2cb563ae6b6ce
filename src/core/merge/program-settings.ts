import { foldName, isShortNameOf } from "../paths/fold-path.ts";
import { composeYaml } from "../plan/compose-yaml.ts";
import { readValues } from "../plan/yaml-values.ts";
import { npmrcEntries } from "./npmrc-entries.ts";

/**
 * Settings of package managers that name a program or code to load. `npx loom` reads them from the repository that it is
 * started in, before anything of Loom runs: `script-shell=./x.sh` in a merged `.npmrc` is a program of the agent on the
 * person's machine (T29). The other settings of these files, such as a registry, are work that stages have to do.
 */

/** `setting`: null when the file can't be read for certain. */
export type ProgramSetting = { readonly setting: string | null };

const UNCERTAIN: ProgramSetting = { setting: null };

/** In characters. Settings that people write have a hundredth of it; what is longer is not read, and so not certain. */
export const MOST_SETTINGS = 64 * 1024;

type Format = {
  /** As `foldName` leaves them. */
  readonly files: readonly string[];
  find(before: string | null, after: string): ProgramSetting | null;
};

/** `package`, `call` and `yes` decide what `npx` runs; a cache or a folder of modules holds programs of earlier runs. */
const NPM = [
  "browser",
  "cache",
  "call",
  "devdir",
  "dist-url",
  "disturl",
  "editor",
  "git",
  "global-bin-dir",
  "global-dir",
  "global-pnpmfile",
  "globalconfig",
  "init-module",
  "make",
  "modules-dir",
  "node-gyp",
  "node-options",
  "nodedir",
  "npm-path",
  "onload-script",
  "package",
  "pnpmfile",
  "prefix",
  "python",
  "script-shell",
  "shell",
  "token-helper",
  "userconfig",
  "viewer",
  "virtual-store-dir",
  "yarn-path",
  "yes",
];
const PNPM = [
  "config-dependencies",
  "global-bin-dir",
  "global-dir",
  "global-pnpmfile",
  "modules-dir",
  "node-options",
  "npm-path",
  "pnpmfile",
  "script-shell",
  "store-dir",
  "token-helper",
  "virtual-store-dir",
];
const YARN = ["cache-folder", "global-folder", "inject-environment-files", "plugins", "yarn-path"];
const YARN_1 = ["modules-folder", "script-shell", "prefix", "use-yarnrc", "cwd", ...YARN];
const BUN = ["dir", "global-bin-dir", "global-dir", "plugins", "preload", "shell"];

const FORMATS: readonly Format[] = [
  { files: [".npmrc"], find: (before, after) => inNpmrc(before ?? "", after) },
  { files: [".yarnrc"], find: (_, after) => inText(YARN_1, after) },
  { files: [".yarnrc.yml", ".yarnrc.yaml"], find: (before, after) => inYaml(YARN, before, after) },
  {
    files: ["pnpm-workspace.yaml", "pnpm-workspace.yml"],
    find: (before, after) => inYaml(PNPM, before, after),
  },
  { files: ["bunfig.toml", ".bunfig.toml"], find: (_, after) => inText(BUN, after) },
];

export function holdsProgramSettings(path: string): boolean {
  return formatOf(path) !== undefined;
}

/** The first setting of a file that a change adds or gives another value, and that names a program or code. */
export function newProgramSetting(path: string, before: string | null, after: string): ProgramSetting | null {
  const format = formatOf(path);
  if (format === undefined || before === after) return null;
  return Math.max(before?.length ?? 0, after.length) > MOST_SETTINGS ? UNCERTAIN : format.find(before, after);
}

function formatOf(path: string): Format | undefined {
  const name = foldName(path.slice(path.lastIndexOf("/") + 1));
  return FORMATS.find(({ files }) =>
    files.some((file) => file === name || (name.includes("~") && isShortNameOf(name, file))),
  );
}

/** `Script_Shell`, `scriptShell` and `init.module` reach programs as `script-shell` and `init-module`. */
function asNamed(names: readonly string[], key: string): string | undefined {
  const squeezed = squeeze(key);
  return names.find((name) => squeeze(name) === squeezed);
}

function squeeze(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function inNpmrc(before: string, after: string): ProgramSetting | null {
  const known = new Set(npmrcEntries(before).map((entry) => JSON.stringify(entry)));
  for (const entry of npmrcEntries(after)) {
    if (known.has(JSON.stringify(entry))) continue;
    // Of a setting for one registry, `//host/:tokenHelper`, the end is its name.
    const isScoped = /^(?:\/\/|@)/.test(entry.key);
    const key = isScoped ? entry.key.slice(entry.key.lastIndexOf(":") + 1) : entry.key;
    // npm puts the environment into names as well, and what that holds is not known here.
    if (key.includes("${")) return UNCERTAIN;
    const setting = asNamed(NPM, key);
    if (setting !== undefined) return { setting };
  }
  return null;
}

/**
 * Looked at twice: by its values, since a line added to a list does not name the list, and by the words of its new lines,
 * since package managers have parsers of their own and read more than YAML.
 */
function inYaml(names: readonly string[], before: string | null, after: string): ProgramSetting | null {
  const known = new Set(before?.split("\n"));
  const added = after.split("\n").filter((line) => !known.has(line));
  const named = inText(names, added.join("\n"));
  if (named !== null) return named;
  const [older, newer] = [readYaml(before ?? ""), readYaml(after)];
  if (newer === null) return UNCERTAIN;
  for (const [key, value] of Object.entries(newer)) {
    const setting = asNamed(names, key);
    if (setting !== undefined && JSON.stringify(older?.[key]) !== JSON.stringify(value)) return { setting };
  }
  return null;
}

/** null: no file of settings, or none that is read in one way only. */
function readYaml(text: string): Readonly<Record<string, unknown>> | null {
  const { contents, faults } = composeYaml(text.endsWith("\n") ? text : `${text}\n`);
  if (faults.length > 0) return null;
  const { value, faults: unclear } = readValues(contents);
  if (unclear.length > 0) return null;
  const settings = value ?? {};
  return typeof settings === "object" && !Array.isArray(settings)
    ? (settings as Record<string, unknown>)
    : null;
}

/** By its words, wherever they stand: such a setting may go on over lines that don't name it. */
function inText(names: readonly string[], text: string): ProgramSetting | null {
  // A name can be spelled in escapes.
  if (text.includes("\\")) return UNCERTAIN;
  for (const [word] of text.matchAll(/[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*/g)) {
    const setting = asNamed(names, word);
    if (setting !== undefined) return { setting };
  }
  return null;
}
