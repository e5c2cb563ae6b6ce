import { ciCommands } from "./ci-commands.ts";
import type { CodebaseMap, Counted, Libraries, Outline, Package } from "./codebase-map.ts";
import { findConcerns } from "./find-concerns.ts";
import type { FactKind } from "./known-files.ts";
import { labelsOf } from "./known-libraries.ts";
import type { Manifest } from "./manifest.ts";
import { offeredCommands } from "./offered-commands.ts";
import { readManifest } from "./read-manifest.ts";
import { shallowest } from "./shallowest.ts";
import { type Survey, surveyPaths } from "./survey-paths.ts";

const MOST_LANGUAGES = 12;
const MOST_FOLDERS = 8;
const MOST_OUTLINED = 16;
const MOST_BELOW = 6;
const MOST_PACKAGES = 24;
const MOST_ENTRY_POINTS = 12;
const MOST_LIBRARIES = 30;
const MOST_RUNTIMES = 8;

/**
 * A map from the paths of a commit and what stands in `filesWorthReading`. Content that is missing leaves its facts out;
 * content that is broken becomes a concern.
 */
export function mapCodebase(paths: readonly string[], contents: ReadonlyMap<string, string>): CodebaseMap {
  const survey = surveyPaths(paths);
  const manifests = readAll(contents);
  const libraries = [...manifests.values()].flatMap((one) => [...one.libraries, ...one.tools]);
  const named = (kind: FactKind): string[] => [...(survey.facts.get(kind)?.keys() ?? [])];
  const languages = most(survey.languages, MOST_LANGUAGES);
  return {
    signals: {
      files: survey.files,
      folders: survey.folders,
      depth: survey.depth,
      languages,
      tests: {
        files: survey.testFiles,
        inFolders: survey.testsInFolders,
        runners: join(named("runner"), labelsOf(libraries, "runner"), ownRunners(survey)),
      },
      buildTools: join(named("build"), named("workspace")),
      packageManagers: named("manager").sort(),
      ci: [...(survey.facts.get("ci") ?? [])].map(([name, files]) =>
        files > 1 ? `${name} (${files} files)` : name,
      ),
      packages: packagesOf(survey, manifests),
      largestFolders: most(survey.direct, MOST_FOLDERS),
    },
    architecture: {
      outline: outlineOf(survey),
      entryPoints: shallowest(survey.entryPoints, MOST_ENTRY_POINTS),
    },
    stack: {
      languages: languages.map(({ name }) => name),
      frameworks: labelsOf(libraries, "framework"),
      libraries: librariesOf(manifests),
      runtimes: join([...manifests.values()].flatMap(({ runtime }) => runtime ?? [])).slice(0, MOST_RUNTIMES),
    },
    conventions: {
      formatters: join(named("formatter"), labelsOf(libraries, "formatter")),
      linters: join(named("linter"), labelsOf(libraries, "linter")),
      typeCheckers: join(named("types"), labelsOf(libraries, "types")),
      moduleSystems: join([...manifests.values()].flatMap(({ moduleSystem }) => moduleSystem ?? [])),
      hooks: named("hooks").sort(),
      commands: offeredCommands(survey, contents, manifests),
      ciCommands: ciCommands(contents),
      documents: shallowest(survey.documents, MOST_ENTRY_POINTS),
    },
    concerns: findConcerns(survey, contents, manifests),
  };
}

function readAll(contents: ReadonlyMap<string, string>): Map<string, Manifest> {
  const manifests = new Map<string, Manifest>();
  for (const [path, text] of contents) {
    const read = readManifest(path, text);
    if (read) manifests.set(path, read);
  }
  return manifests;
}

/** Languages that bring what runs their tests. */
function ownRunners({ testLanguages, facts }: Survey): string[] {
  const has = (tool: string): boolean => facts.get("build")?.has(tool) ?? false;
  return [
    ...(testLanguages.has("Go") ? ["go test"] : []),
    ...(has("Cargo") ? ["cargo test"] : []),
    ...(testLanguages.has("Elixir") && has("Mix") ? ["ExUnit"] : []),
  ];
}

function packagesOf(
  { manifests: paths }: Survey,
  manifests: ReadonlyMap<string, Manifest>,
): CodebaseMap["signals"]["packages"] {
  const first = shallowest(paths, MOST_PACKAGES).map((path): Package => {
    const cut = path.lastIndexOf("/");
    return {
      folder: path.slice(0, Math.max(0, cut)),
      manifest: path.slice(cut + 1),
      name: manifests.get(path)?.name ?? null,
    };
  });
  return { count: paths.length, first };
}

function outlineOf({ below }: Survey): Outline[] {
  const tops = new Map([...below].filter(([folder]) => !folder.includes("/")));
  const chosen = most(tops, MOST_OUTLINED);
  const inside = new Map(chosen.map(({ name }) => [name, new Map<string, number>()]));
  for (const [folder, files] of below) {
    const cut = folder.indexOf("/");
    if (cut !== -1) inside.get(folder.slice(0, cut))?.set(folder.slice(cut + 1), files);
  }
  return chosen.map((top) => ({ ...top, folders: most(inside.get(top.name) ?? new Map(), MOST_BELOW) }));
}

function librariesOf(manifests: ReadonlyMap<string, Manifest>): Libraries[] {
  const found = new Map<string, Set<string>>();
  for (const { ecosystem, libraries } of manifests.values()) {
    const names = found.get(ecosystem) ?? new Set();
    for (const name of libraries) names.add(name);
    found.set(ecosystem, names);
  }
  return [...found]
    .filter(([, names]) => names.size > 0)
    .map(([ecosystem, names]) => ({
      ecosystem,
      count: names.size,
      names: [...names].slice(0, MOST_LIBRARIES),
    }));
}

function most(counts: ReadonlyMap<string, number>, count: number): Counted[] {
  return [...counts]
    .sort(([one, files], [other, others]) => others - files || (one < other ? -1 : 1))
    .slice(0, count)
    .map(([name, files]) => ({ name, files }));
}

function join(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort();
}
