/** What the names of the folders around a file tell about it. */
export type FolderTraits = {
  /** Of the folder that holds others' code, or -1. */
  readonly vendoredAt: number;
  /** Code that stands there to be looked at or tried on: it says nothing about how this project is built. */
  readonly aside: boolean;
  readonly tests: boolean;
  readonly generated: boolean;
};

const VENDORED = words("vendor third_party third-party node_modules bower_components pods .yarn .venv");
const ASIDE = words(
  "fixture fixtures __fixtures__ testdata test-data example examples sample samples template templates snapshots",
);
const TESTS = words("test tests __test__ __tests__ spec specs e2e integration-tests androidtest");
const GENERATED = words("generated __generated__");

/** `folder` is lower-case and ends with a slash, or is empty at the root. */
export function traitsOf(folder: string): FolderTraits {
  const traits = { vendoredAt: -1, aside: false, tests: false, generated: false };
  for (let start = 0, slash = folder.indexOf("/"); slash !== -1; slash = folder.indexOf("/", start)) {
    const name = folder.slice(start, slash);
    start = slash + 1;
    if (VENDORED.has(name) && traits.vendoredAt === -1) traits.vendoredAt = slash;
    else if (ASIDE.has(name)) traits.aside = true;
    else if (TESTS.has(name)) traits.tests = true;
    else if (GENERATED.has(name)) traits.generated = true;
  }
  return traits;
}

/** Whether a manifest in such a folder is one of this project's own. */
export function isOwn({ vendoredAt, aside, tests }: FolderTraits): boolean {
  return vendoredAt === -1 && !aside && !tests;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
