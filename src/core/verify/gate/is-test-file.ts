/** Folders that hold tests and what tests compare with. */
const FOLDERS = new Set([
  "test",
  "tests",
  "__test__",
  "__tests__",
  "spec",
  "specs",
  "__specs__",
  "e2e",
  "cypress",
  "testdata",
  "test-data",
  "test_data",
  "__snapshots__",
  "__fixtures__",
  "__mocks__",
  "golden",
]);

/** Names in small letters: `a.test.ts`, `a_test.go`, `test_a.py`, `a-spec.rb`, `test.js`, and what only tests have. */
const NAMES =
  /^(?:(?:.+[._-])?(?:tests?|specs?|e2e|cy)(?:\.(?!(?:md|ya?ml|txt|html?|pdf)$)[^/]*)?|tests?[_-].+\..+|.+\.(?:bats|feature|snap|t|phpt))$/;

/** `OrderServiceTest.java`, `OrderIT.kt`, `OrdersTests.cs`. */
const CLASSES = /(?:Tests?|TestCase|Spec|Specs|IT)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|swift|php)$/;

/** Whether a path is one of a test by custom. Projects keep their tests under many names; these are what tools look for. */
export function isTestFile(path: string): boolean {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  return (
    NAMES.test(name.toLowerCase()) ||
    CLASSES.test(name) ||
    parts.some((part) => FOLDERS.has(part.toLowerCase()) || /\.tests?$/i.test(part))
  );
}
