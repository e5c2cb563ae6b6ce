import { code } from "../markdown/escape-markdown.ts";
import { counted } from "../text/durations.ts";
import { andMore } from "../text/list-some.ts";
import { LOCKS } from "./known-files.ts";
import type { Manifest } from "./manifest.ts";
import { shallowest } from "./shallowest.ts";
import type { Survey } from "./survey-paths.ts";

const CROWDED = 300;
const MOST_NAMED = 4;
const MOST_AROUND = 20;
/** Of one language; two of them beside each other don't know of each other's lock file. */
const RIVALS: readonly (readonly string[])[] = [
  ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock"],
  ["poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock"],
];

/** What somebody who plans work here should know of; facts, in sentences. */
export function findConcerns(
  survey: Survey,
  contents: ReadonlyMap<string, string>,
  manifests: ReadonlyMap<string, Manifest>,
): string[] {
  const concerns: string[] = [];
  const say = (sentence: string | null): void => {
    if (sentence !== null) concerns.push(sentence);
  };
  if (survey.files === 0) return ["There are no files."];
  if (survey.codeFiles > 0 && survey.testFiles === 0) say("No tests were found.");
  if (survey.facts.get("ci")?.size === 0) say("No configuration of a CI service was found.");
  if (!survey.documents.some((path) => /^readme/i.test(path))) say("There is no README at the root.");
  for (const [path, { broken }] of manifests) say(broken && `${code(path)} ${broken}.`);
  say(about("without a lock file beside or above it", "Manifest", withoutLock(survey, manifests)));
  say(about("with lock files of several package managers", "Folder", withRivals(survey)));
  say(about(`with more than ${CROWDED} files directly in it`, "Folder", crowded(survey)));
  const vendored = [...survey.vendored.values()].reduce((sum, files) => sum + files, 0);
  if (vendored > 0) {
    const folders = shallowest([...survey.vendored.keys()], MOST_NAMED).map((folder) => code(folder));
    say(
      `${counted(vendored, "file")} of others' code in ${andMore(folders, survey.vendored.size - folders.length)}, left out of the counts of languages and tests.`,
    );
  }
  if (survey.generated > 0) say(`${counted(survey.generated, "file")} that programs write, by their names.`);
  say(about("that may hold secrets", "File", survey.envFiles));
  if (survey.hasSubmodules) say("There are submodules; their files are not part of this map.");
  if (/\bfilter=lfs\b/.test(contents.get(".gitattributes") ?? "")) say("Some files are kept with Git LFS.");
  return concerns;
}

function about(what: string, noun: string, paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const names = shallowest(paths, MOST_NAMED).map((path) => (path === "" ? "the root" : code(path)));
  return `${noun}${paths.length === 1 ? "" : "s"} ${what}: ${andMore(names, paths.length - names.length)}.`;
}

/** Of those that were read and name something to be pinned. */
function withoutLock({ locks }: Survey, manifests: ReadonlyMap<string, Manifest>): string[] {
  const there = new Set(locks.map((path) => path.toLowerCase()));
  return [...manifests].flatMap(([path, { libraries, tools }]) => {
    const [folder, name] = splitPath(path.toLowerCase());
    const wanted = LOCKS[name];
    if (!wanted || libraries.length + tools.length === 0) return [];
    return foldersFrom(folder).some((one) => wanted.some((lock) => there.has(one + lock))) ? [] : [path];
  });
}

function withRivals({ locks }: Survey): string[] {
  const folders = new Map<string, Set<string>>();
  for (const path of locks) {
    const [folder, name] = splitPath(path);
    const names = folders.get(folder) ?? new Set();
    folders.set(folder, names.add(name.toLowerCase()));
  }
  return [...folders]
    .filter(([, names]) => RIVALS.some((rivals) => rivals.filter((one) => names.has(one)).length > 1))
    .map(([folder]) => folder.slice(0, -1));
}

function crowded({ direct }: Survey): string[] {
  return [...direct].filter(([, files]) => files > CROWDED).map(([folder]) => folder);
}

/** The folder with its slash, and the name. */
function splitPath(path: string): [folder: string, name: string] {
  const cut = path.lastIndexOf("/") + 1;
  return [path.slice(0, cut), path.slice(cut)];
}

/** This folder and those around it, each with its slash; no workspace is deeper. */
function foldersFrom(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; at !== "" && folders.length < MOST_AROUND; ) {
    at = at.slice(0, at.lastIndexOf("/", at.length - 2) + 1);
    folders.push(at);
  }
  return folders;
}
