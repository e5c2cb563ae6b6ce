import { foldName } from "../paths/fold-path.ts";
import { flagOf, isProtectedPath } from "../paths/protected-paths.ts";

/**
 * What a change newly puts at the root under a name that begins with a dot, and that no table here knows. Tools read such
 * names by themselves, and there is a new tool every week (T38, T45); a file manager does not even show them.
 */
export function unknownDotNames(changed: Iterable<string>, base: Iterable<string>): string[] {
  const suspects = new Set<string>();
  for (const path of changed) {
    if (!path.startsWith(".") || flagOf(path) !== null || isProtectedPath(path)) continue;
    const name = rootOf(path);
    if (!HARMLESS.test(foldName(name))) suspects.add(name);
  }
  if (suspects.size > 0) for (const path of base) suspects.delete(rootOf(path));
  return [...suspects].sort();
}

function rootOf(path: string): string {
  return path.split("/", 1)[0] ?? "";
}

/** What says how code looks, what is left out, or which version of a language is meant. */
const HARMLESS = new RegExp(
  `^\\.(?:${[
    "[a-z]+ignore",
    "[a-z]+-version",
    "babelrc.*",
    "browserslistrc",
    "c8rc.*",
    "changeset",
    "clang-format",
    "clang-tidy",
    "commitlintrc.*",
    "coveragerc",
    "cspell.*",
    "editorconfig",
    "env\\..*",
    "eslintrc.*",
    "flake8",
    "git-blame-ignore-revs",
    // Looked into line by line; see `hidden-diff.ts`.
    "gitattributes",
    "gitkeep",
    "golangci\\..*",
    "hadolint\\..*",
    "ignore",
    "jshintrc",
    "keep",
    "mailmap",
    "markdownlint.*",
    "mocharc.*",
    "nvmrc",
    "nycrc.*",
    "oxlintrc.*",
    "prettierrc.*",
    "pylintrc",
    "remarkrc.*",
    "rspec",
    "rubocop.*",
    "rustfmt\\.toml",
    "shellcheckrc",
    "size-limit.*",
    "storybook",
    "stylelintrc.*",
    "swcrc",
    "well-known",
    "yamllint.*",
  ].join("|")})$`,
  "s",
);
