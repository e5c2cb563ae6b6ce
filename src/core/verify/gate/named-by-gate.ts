import { sourceLanguage } from "../source-language.ts";
import { commandsIn, holdsCommands } from "./commands-in.ts";
import { filesOfCommand, type NamedFile } from "./files-of-command.ts";
import { type NamedFiles, namedFiles } from "./gate-definition.ts";
import { importsOf } from "./imports-of.ts";
import { isTestFile } from "./is-test-file.ts";
import { throughLinks } from "./resolve-path.ts";
import { importFolders } from "./shadows-module.ts";
import { couldBeUnderTest, isBeside, isShellScript } from "./under-test.ts";
import { wordsOfCommand } from "./words-of-command.ts";

/** The tree that a gate is taken from. */
export type GateBase = {
  readonly files: ReadonlySet<string>;
  readonly links: ReadonlyMap<string, string>;
  readonly read: (path: string) => Promise<string | null>;
  /** Never throws; a pattern that is none matches nothing. */
  readonly globOf: (pattern: string) => (path: string) => boolean;
};

export type GateCommand = {
  readonly command: string;
  /** Where it is run, from the root. */
  readonly folder: string;
  /** One of the stage's own: a program that it starts may be what the stage is to change. */
  readonly isOwn: boolean;
};

/** More than these no gate runs through; what is beyond is not followed. */
const MOST_FOLLOWED = 100;

/**
 * From the commands of the gate through the base's manifests, scripts and links, as far as they name each other.
 *
 * Two kinds come of it. What a command runs or compares with is the gate's. What it only mentions, and what its scripts
 * load, is a helper, unless it could be the very code that the gate is there to prove. What a program finds while it runs
 * is not followed: paths that are put together, and what lies beside code under its own, ordinary name.
 */
export async function namedByGate(
  base: GateBase,
  commands: readonly GateCommand[],
  changed: readonly string[],
): Promise<NamedFiles> {
  const found: NamedFile[] = [];
  const helpers = new Set<string>();
  const queue: string[] = [];
  const isProject = (folder: string): boolean =>
    [...base.files].some((path) => placeOf(path).folder === folder && holdsCommands(placeOf(path).name));

  const follow = (path: string): void => {
    for (const one of throughLinks(path, base.links)) if (base.files.has(one)) queue.push(one);
  };
  const help = (path: string): void => {
    helpers.add(path);
    queue.push(path);
  };
  const takeShell = (text: string, folder: string, isOwn: boolean): void => {
    for (const one of filesOfCommand(text, folder)) {
      if (isOwn && !one.isShell && couldBeUnderTest(one.path)) continue;
      // A script that the base lacks is no way around its gate, but for a stage it may well be the work.
      const kind = isOwn && one.kind === "script" ? "data" : one.kind;
      for (const path of throughLinks(one.path, base.links)) found.push({ ...one, kind, path });
      if (!one.isGlob) follow(one.path);
    }
    for (const { path, isGlob } of wordsOfCommand(text, folder))
      for (const one of throughLinks(path, base.links)) {
        if (base.links.has(one)) found.push(linkOnTheWay(one));
        for (const file of isGlob ? matching(base, one) : base.files.has(one) ? [one] : [])
          if (!couldBeUnderTest(file)) help(file);
      }
  };

  for (const { command, folder, isOwn } of commands) takeShell(command, folder, isOwn);
  for (const path of manifestsAbove(changed, base.files)) {
    const { folder, name } = placeOf(path);
    for (const command of commandsIn(name, (await base.read(path)) ?? "")) takeShell(command, folder, false);
  }
  const seen = new Set<string>();
  // Grows while it is read.
  for (const path of queue) {
    if (seen.has(path) || seen.size >= MOST_FOLLOWED) continue;
    seen.add(path);
    const isShell = isShellScript(path) || found.some((one) => one.isShell && one.path === path);
    if (!isShell && sourceLanguage(path) === null) continue;
    const text = (await base.read(path)) ?? "";
    if (isShell) takeShell(text, placeOf(path).folder, false);
    else
      for (const one of importsOf(path, text, base.files))
        if (!couldBeUnderTest(one) || (!isTestFile(path) && isBeside(path, one, isProject))) help(one);
  }
  found.push(...linkedTests(base.links));
  return namedFiles(found, base.globOf, { helpers, importFolders: importFolders(base.files) });
}

function linkOnTheWay(path: string): NamedFile {
  return { path, kind: "script", isGlob: false, isShell: false };
}

/** Tests that lie elsewhere, and are found through a link of a test's name. */
function linkedTests(links: ReadonlyMap<string, string>): NamedFile[] {
  return [...links.keys()]
    .filter((link) => isTestFile(link) || isTestFile(`${link}/a`))
    .flatMap((link) => throughLinks(link, links))
    .flatMap((path) => [
      { path, kind: "data", isGlob: false, isShell: false } as const,
      { path, kind: "folder", isGlob: false, isShell: false } as const,
    ]);
}

function matching({ files, globOf }: GateBase, pattern: string): string[] {
  const matches = globOf(pattern);
  return [...files].filter(matches);
}

/** In the folders above what was changed: only commands that are run there can name it without saying where they go. */
function manifestsAbove(paths: readonly string[], files: ReadonlySet<string>): string[] {
  const folders = new Set(["."]);
  for (const path of paths) {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) folders.add(parts.slice(0, depth).join("/"));
  }
  return [...files].filter((path) => {
    const { folder, name } = placeOf(path);
    return folders.has(folder) && holdsCommands(name);
  });
}

export function placeOf(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { folder: slash === -1 ? "." : path.slice(0, slash), name: path.slice(slash + 1) };
}
