import { type FolderTraits, isOwn, traitsOf } from "./folder-traits.ts";
import { type FactKind, factsOf, isDocument, isManifest, LOCKS } from "./known-files.ts";
import { languageOf } from "./languages.ts";

/** What paths alone tell. Folders are written without a slash at the end; the root is the empty text. */
export type Survey = {
  files: number;
  folders: number;
  depth: number;
  codeFiles: number;
  testFiles: number;
  testsInFolders: number;
  generated: number;
  hasSubmodules: boolean;
  readonly languages: Map<string, number>;
  readonly testLanguages: Set<string>;
  /** By kind and name: in how many files it was seen. */
  readonly facts: ReadonlyMap<FactKind, Map<string, number>>;
  readonly manifests: string[];
  readonly locks: string[];
  readonly documents: string[];
  readonly entryPoints: string[];
  readonly envFiles: string[];
  /** Files directly in each folder. */
  readonly direct: Map<string, number>;
  /** Files in or below folders of the first and of the second level. */
  readonly below: Map<string, number>;
  /** Folders of others' code, and the files in them. */
  readonly vendored: Map<string, number>;
};

type Folder = FolderTraits & { readonly path: string; readonly lower: string; files: number };

const TEST_NAME = /[._-](?:test|tests|spec|specs|e2e)\.[a-z]{1,6}$|^test_.*\.py$/;
/** Of languages that name classes after files; looked for in the name as it is written. */
const TEST_CLASS = /(?:Test|Tests|TestCase|IT|Spec)\.(?:java|kt|scala|groovy|cs|php|swift)$/;
const GENERATED =
  /\.(?:min|bundle)\.(?:js|css)$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.py$|\.g\.dart$|\.(?:generated|gen|designer)\.[a-z]{1,5}$/;
const ENTRY_NAME =
  /^(?:main|index|server|app|cli|lib|__main__|manage|wsgi|asgi|program|[a-z]{0,40}application)\.[a-z]{1,6}$/;
const ENTRY_FOLDER =
  /^(?:(?:packages|apps|services|crates)\/[^/]{1,60}\/)?(?:(?:src|app|lib|bin|server|backend|frontend)\/|cmd\/[^/]{1,60}\/)?$/;
const LOCK_NAMES = new Set(Object.values(LOCKS).flat());
const KINDS: readonly FactKind[] = [
  "build",
  "manager",
  "ci",
  "runner",
  "formatter",
  "linter",
  "types",
  "hooks",
  "workspace",
];

/** Looks at each path once, and at each folder once. */
export function surveyPaths(paths: readonly string[]): Survey {
  const survey: Survey = {
    files: paths.length,
    folders: 0,
    depth: 0,
    codeFiles: 0,
    testFiles: 0,
    testsInFolders: 0,
    generated: 0,
    hasSubmodules: false,
    languages: new Map(),
    testLanguages: new Set(),
    facts: new Map(KINDS.map((kind) => [kind, new Map()])),
    manifests: [],
    locks: [],
    documents: [],
    entryPoints: [],
    envFiles: [],
    direct: new Map(),
    below: new Map(),
    vendored: new Map(),
  };
  const folders = new Map<string, Folder>();
  for (const path of paths) {
    const cut = path.lastIndexOf("/") + 1;
    const folder = folderAt(folders, path.slice(0, cut));
    folder.files += 1;
    if (folder.vendoredAt === -1) countFile(survey, path, path.slice(cut), folder);
  }
  countFolders(survey, folders);
  return survey;
}

function folderAt(folders: Map<string, Folder>, path: string): Folder {
  const known = folders.get(path);
  if (known) return known;
  const lower = path.toLowerCase();
  const folder = { ...traitsOf(lower), path, lower, files: 0 };
  folders.set(path, folder);
  return folder;
}

/** Sorted, all folders below another one follow each other, so that each is met first exactly once. */
function countFolders(survey: Survey, folders: ReadonlyMap<string, Folder>): void {
  let before = "";
  for (const path of [...folders.keys()].sort()) {
    const { files, vendoredAt } = folders.get(path) as Folder;
    const same = sharedLength(path, before);
    let depth = 0;
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      depth += 1;
      if (slash >= same) survey.folders += 1;
      if (depth <= 2) add(survey.below, path.slice(0, slash), files);
    }
    survey.depth = Math.max(survey.depth, depth);
    if (vendoredAt === -1) add(survey.direct, path.slice(0, -1), files);
    else add(survey.vendored, path.slice(0, vendoredAt), files);
    before = path;
  }
}

function sharedLength(one: string, other: string): number {
  const shortest = Math.min(one.length, other.length);
  let same = 0;
  while (same < shortest && one.charCodeAt(same) === other.charCodeAt(same)) same += 1;
  return same;
}

function countFile(survey: Survey, path: string, written: string, folder: Folder): void {
  const name = written.toLowerCase();
  const language = languageOf(name);
  if (language !== null) countCode(survey, path, written, name, language, folder);
  if (isDocument(folder.lower, name)) survey.documents.push(path);
  if (name.startsWith(".env") && isEnvFile(name)) survey.envFiles.push(path);
  if (path === ".gitmodules") survey.hasSubmodules = true;
  if (folder.aside) return;
  for (const fact of factsOf(folder.lower, name)) add(survey.facts.get(fact.kind), fact.name, 1);
  // What lies among tests belongs to what is tested on.
  if (!isOwn(folder)) return;
  if (LOCK_NAMES.has(name)) survey.locks.push(path);
  if (isManifest(name)) survey.manifests.push(path);
}

function countCode(
  survey: Survey,
  path: string,
  written: string,
  name: string,
  language: string,
  { aside, tests, generated, lower }: Folder,
): void {
  survey.codeFiles += 1;
  add(survey.languages, language, 1);
  if (generated || GENERATED.test(name)) survey.generated += 1;
  if (aside) return;
  if (tests || TEST_NAME.test(name) || TEST_CLASS.test(written)) {
    survey.testFiles += 1;
    survey.testLanguages.add(language);
    if (tests) survey.testsInFolders += 1;
  } else if (ENTRY_NAME.test(name) && (ENTRY_FOLDER.test(lower) || name.includes("application.")))
    survey.entryPoints.push(path);
}

function isEnvFile(name: string): boolean {
  return name === ".env" || (name.startsWith(".env.") && !/example|sample|template|dist/.test(name));
}

function add(counts: Map<string, number> | undefined, name: string, count: number): void {
  counts?.set(name, (counts.get(name) ?? 0) + count);
}
