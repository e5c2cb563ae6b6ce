import { type Lay, unlessOnly } from "./lay.ts";
import { layComposer, layDeno, layPackage } from "./lay-json.ts";
import { laySections } from "./lay-sections.ts";

/** `whole`: the file as the base has it, or none; else what becomes of it is worked out from both texts. */
export type GateRule = "whole" | Lay;

/** One dependency on one line, and nothing that could do more than name it. */
const GRADLE_DEPENDENCY =
  /^[ \t]*\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[pP]rocessor|kapt|ksp)[ (][ \t]*(?:platform\()?(?:project\()?(?:libs\.[\w.]+|"[\w.:@+/-]*"|'[\w.:@+/-]*')[) \t\r]*$/gm;
const MIX_DEPENDENCY = /^[ \t]*\{:\w+,[\w "'~>=<.:,[\]-]*\},?[ \t\r]*$/gm;

/**
 * The files by which a project says what its gate does (T37): one table. `*` stands for any run of characters, names
 * are in small letters, and a name counts wherever it stands, since tools look in every folder of a project.
 *
 * Manifests also say what a project needs, and a stage that needs more is no attack: of those only the part counts that a
 * test tool reads. Where that part can't be told from the rest, as in a Makefile, the whole file counts.
 */
const FILES: readonly (readonly [GateRule, readonly string[]])[] = [
  [layPackage, ["package.json"]],
  [layComposer, ["composer.json"]],
  [layDeno, ["deno.json", "deno.jsonc"]],
  [
    laySections(
      /^(?:project(?:\.(?:optional-dependencies|urls))?|build-system|dependency-groups|tool\.uv(?:\..+)?|tool\.poetry(?:\.(?:dependencies|dev-dependencies|extras|source|group\..+))?|tool\.pdm\.dev-dependencies)$/,
      "toml",
    ),
    ["pyproject.toml"],
  ],
  [
    laySections(
      /^(?:.+\.)?(?:dev-|build-)?dependencies(?:\..+)?$|^features$|^package\.metadata(?:\..+)?$/,
      "toml",
    ),
    ["cargo.toml"],
  ],
  [laySections(/^(?:metadata|options(?:\.extras_require)?)$/, "ini"), ["setup.cfg"]],
  [unlessOnly(without(GRADLE_DEPENDENCY)), ["build.gradle", "build.gradle.kts"]],
  [unlessOnly(withoutDependencies), ["pom.xml"]],
  [unlessOnly(without(MIX_DEPENDENCY)), ["mix.exs"]],
  // Both list sources as well; only the lines that speak of tests tell whether tests were touched.
  [unlessOnly(linesAbout(/test|check|exclude|include\s*\(/i)), ["cmakelists.txt", "package.swift"]],
  [
    "whole",
    [
      // Package managers: which shell runs scripts, what is linked where.
      "package.y*ml",
      "package.json5",
      ".pnp.*",
      ".npmrc",
      ".yarnrc",
      ".yarnrc.y*ml",
      ".pnpmfile.*",
      "pnpm-workspace.y*ml",
      "bunfig.toml",
      ".tool-versions",
      "mise.toml",
      ".mise.toml",
      ".nvmrc",
      ".node-version",
      // Programs that run tasks.
      "makefile",
      "gnumakefile",
      "*.mk",
      "justfile",
      ".justfile",
      "*.just",
      "taskfile.y*ml",
      "taskfile.dist.y*ml",
      "rakefile",
      "rakefile.rb",
      "*.rake",
      "gulpfile.*",
      "gruntfile.*",
      "turbo.json",
      "nx.json",
      "project.json",
      "lerna.json",
      "rush.json",
      "magefile.go",
      "build.xml",
      // Python.
      "noxfile.py",
      "tox.ini",
      "tox.toml",
      "pytest.ini",
      ".pytest.ini",
      "pytest.toml",
      ".pytest.toml",
      "conftest.py",
      "sitecustomize.py",
      "usercustomize.py",
      ".coveragerc",
      "mypy.ini",
      ".mypy.ini",
      "ruff.toml",
      ".ruff.toml",
      ".flake8",
      ".pylintrc",
      "hatch.toml",
      // JavaScript and TypeScript.
      "jest.config.*",
      "jest.setup.*",
      "jest.preset.*",
      "setuptests.*",
      "vitest.config.*",
      "vitest.workspace.*",
      "vitest.setup.*",
      "vite.config.*",
      ".mocharc*",
      "mocha.opts",
      "ava.config.*",
      ".taprc",
      "karma.conf.*",
      "jasmine.json",
      "jasmine.*js",
      ".jasmine.*",
      "playwright.config.*",
      "cypress.config.*",
      "cypress.json",
      "wdio.conf.*",
      "nightwatch.conf.*",
      "web-test-runner.config.*",
      ".nycrc*",
      "nyc.config.*",
      ".c8rc*",
      "tsconfig*.json",
      "jsconfig.json",
      ".eslintrc*",
      ".eslintignore",
      "eslint.config.*",
      "biome.json*",
      ".prettierrc*",
      ".prettierignore",
      "prettier.config.*",
      ".stylelintrc*",
      "stylelint.config.*",
      "babel.config.*",
      ".babelrc*",
      ".swcrc",
      // Rust, the JVM, .NET, Ruby, PHP, Elixir, C.
      "rust-toolchain",
      "rust-toolchain.toml",
      "clippy.toml",
      ".clippy.toml",
      "nextest.toml",
      "gradlew",
      "gradlew.bat",
      "gradle.properties",
      "settings.gradle",
      "settings.gradle.kts",
      "mvnw",
      "mvnw.cmd",
      "testng.xml",
      "junit-platform.properties",
      "*.sln",
      "*.slnx",
      "directory.build.*",
      "*.runsettings",
      "global.json",
      "nuget.config",
      ".rspec",
      ".rspec-local",
      ".rubocop.y*ml",
      "phpunit.xml*",
      "phpunit.dist.xml",
      "pest.php",
      "phpstan.neon*",
      "ctest*.cmake",
    ],
  ],
];

/** Folders of which every file counts. */
const FOLDERS = [".cargo", ".mvn", ".yarn", "gradle/wrapper", "gradle/init.d", "buildsrc"];

/** Where Python looks before it looks at what is installed, for names that every test run imports. */
const SHADOWS = /^(?:pytest|_pytest|pluggy|iniconfig|unittest|doctest|coverage)(?:\.py|\/.+)$/;

const NAMES = FILES.map(([rule, names]) => ({
  rule,
  pattern: new RegExp(`^(?:${names.map(asPattern).join("|")})$`),
}));

export function ruleOfName(path: string): GateRule | null {
  const small = path.toLowerCase();
  const name = small.slice(small.lastIndexOf("/") + 1);
  const found = NAMES.find(({ pattern }) => pattern.test(name));
  if (found) return found.rule;
  if (SHADOWS.test(small) || FOLDERS.some((folder) => `/${small}`.includes(`/${folder}/`))) return "whole";
  return name.endsWith("_test.go") ? withoutMain : null;
}

/** A new test stays, but for one that decides in Go what becomes of all the others of its package. */
const withoutMain: Lay = (base, commit) =>
  base === null && commit !== null && !/\bfunc\s+TestMain\b/.test(commit) ? commit : base;

function without(pattern: RegExp): (text: string) => string {
  return (text) =>
    text
      .replaceAll(pattern, "")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .join("\n");
}

/** By hand: a pattern would look for the end of each beginning anew. */
function withoutDependencies(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<dependency>", at);
    const end = start === -1 ? -1 : text.indexOf("</dependency>", start);
    if (end === -1) return (kept + text.slice(at)).replaceAll(/\s+/g, " ");
    kept += text.slice(at, start);
    at = end + "</dependency>".length;
  }
}

function asPattern(name: string): string {
  return name.replaceAll(/[.()+]/g, "\\$&").replaceAll("*", ".*");
}

function linesAbout(what: RegExp): (text: string) => string {
  return (text) =>
    text
      .split("\n")
      .filter((line) => what.test(line))
      .join("\n");
}
