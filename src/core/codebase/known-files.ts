import { table } from "../table.ts";

/** What the mere presence of a file tells. */
export type FactKind =
  | "build"
  | "manager"
  | "ci"
  | "runner"
  | "formatter"
  | "linter"
  | "types"
  | "hooks"
  | "workspace";
export type Fact = { readonly kind: FactKind; readonly name: string };

/** By kind, then by what it is called: names of files, without the ending when that may vary. All lower-case. */
const FILES: Readonly<Record<FactKind, Readonly<Record<string, readonly string[]>>>> = {
  build: {
    Make: ["makefile", "gnumakefile"],
    just: ["justfile"],
    Task: ["taskfile"],
    CMake: ["cmakelists.txt"],
    Meson: ["meson.build"],
    Bazel: ["build.bazel", "workspace.bazel", "module.bazel"],
    Gradle: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
    Maven: ["pom.xml"],
    sbt: ["build.sbt"],
    Leiningen: ["project.clj"],
    Rake: ["rakefile"],
    Mix: ["mix.exs"],
    Dune: ["dune-project"],
    Nix: ["flake.nix"],
    Docker: ["dockerfile", "compose", "docker-compose"],
    TypeScript: ["tsconfig"],
    Vite: ["vite.config"],
    webpack: ["webpack.config"],
    Rollup: ["rollup.config"],
    tsup: ["tsup.config"],
    Babel: ["babel.config", ".babelrc"],
    "Next.js": ["next.config"],
    Nuxt: ["nuxt.config"],
    Angular: ["angular"],
    Cargo: ["cargo.toml"],
    "Go modules": ["go.mod"],
    setuptools: ["setup.py", "setup.cfg"],
    SwiftPM: ["package.swift"],
  },
  manager: {
    npm: ["package-lock.json", "npm-shrinkwrap.json"],
    Yarn: ["yarn.lock"],
    pnpm: ["pnpm-lock.yaml"],
    Bun: ["bun.lockb", "bun.lock"],
    Deno: ["deno.lock"],
    Poetry: ["poetry.lock"],
    uv: ["uv.lock"],
    Pipenv: ["pipfile.lock"],
    PDM: ["pdm.lock"],
    Cargo: ["cargo.lock"],
    "Go modules": ["go.sum"],
    Bundler: ["gemfile.lock"],
    Composer: ["composer.lock"],
    Hex: ["mix.lock"],
    pub: ["pubspec.lock"],
    SwiftPM: ["package.resolved"],
    CocoaPods: ["podfile.lock"],
    Gradle: ["gradle.lockfile"],
    NuGet: ["packages.lock.json"],
    Nix: ["flake.lock"],
  },
  ci: {
    "GitLab CI": [".gitlab-ci"],
    Jenkins: ["jenkinsfile"],
    "Azure Pipelines": ["azure-pipelines"],
    "Travis CI": [".travis"],
    Drone: [".drone"],
    Woodpecker: [".woodpecker"],
    "Bitbucket Pipelines": ["bitbucket-pipelines"],
    AppVeyor: ["appveyor", ".appveyor"],
    "Cirrus CI": [".cirrus"],
  },
  runner: {
    Vitest: ["vitest.config", "vitest.workspace"],
    Jest: ["jest.config"],
    Mocha: [".mocharc"],
    Playwright: ["playwright.config"],
    Cypress: ["cypress.config", "cypress"],
    Karma: ["karma.conf"],
    pytest: ["pytest.ini", "conftest.py"],
    tox: ["tox.ini"],
    nox: ["noxfile.py"],
    RSpec: [".rspec"],
    PHPUnit: ["phpunit.xml", "phpunit.xml.dist"],
  },
  formatter: {
    Biome: ["biome"],
    Prettier: [".prettierrc", "prettier.config"],
    dprint: ["dprint"],
    EditorConfig: [".editorconfig"],
    rustfmt: ["rustfmt", ".rustfmt"],
    "clang-format": [".clang-format"],
    scalafmt: [".scalafmt.conf"],
    ocamlformat: [".ocamlformat"],
    "mix format": [".formatter.exs"],
    Ruff: ["ruff", ".ruff"],
  },
  linter: {
    Biome: ["biome"],
    ESLint: ["eslint.config", ".eslintrc"],
    oxlint: [".oxlintrc"],
    Stylelint: [".stylelintrc", "stylelint.config"],
    Ruff: ["ruff", ".ruff"],
    Flake8: [".flake8"],
    Pylint: [".pylintrc", "pylintrc"],
    Clippy: ["clippy", ".clippy"],
    "golangci-lint": [".golangci"],
    RuboCop: [".rubocop"],
    Checkstyle: ["checkstyle.xml"],
    detekt: ["detekt"],
    SwiftLint: [".swiftlint"],
    PHPStan: ["phpstan.neon", "phpstan.neon.dist"],
    "PHP-CS-Fixer": [".php-cs-fixer.php", ".php-cs-fixer.dist.php"],
    Credo: [".credo.exs"],
    "clang-tidy": [".clang-tidy"],
    ShellCheck: [".shellcheckrc"],
    markdownlint: [".markdownlint", ".markdownlint-cli2"],
    hadolint: [".hadolint"],
  },
  types: {
    TypeScript: ["tsconfig"],
    mypy: ["mypy.ini", ".mypy.ini"],
    Pyright: ["pyrightconfig"],
    Flow: [".flowconfig"],
    Sorbet: ["sorbet"],
  },
  hooks: {
    "pre-commit": [".pre-commit-config"],
    Lefthook: ["lefthook", ".lefthook"],
    "lint-staged": [".lintstagedrc", "lint-staged.config"],
    commitlint: ["commitlint.config", ".commitlintrc"],
    Changesets: [],
    Husky: [],
  },
  workspace: {
    "pnpm workspace": ["pnpm-workspace"],
    Lerna: ["lerna"],
    Nx: ["nx"],
    Turborepo: ["turbo"],
    Rush: ["rush"],
    "Go workspace": ["go.work"],
  },
};

const BY_NAME: ReadonlyMap<string, readonly Fact[]> = collect();
/** Endings that configuration comes with; others, as in `turbo.png`, make it another file. */
const ENDINGS = new Set("json jsonc json5 yaml yml toml js cjs mjs ts cts mts".split(" "));
const BY_FOLDER: readonly (readonly [prefix: string, fact: Fact])[] = [
  [".github/workflows/", { kind: "ci", name: "GitHub Actions" }],
  [".circleci/", { kind: "ci", name: "CircleCI" }],
  [".buildkite/", { kind: "ci", name: "Buildkite" }],
  [".woodpecker/", { kind: "ci", name: "Woodpecker" }],
  [".husky/", { kind: "hooks", name: "Husky" }],
  [".changeset/", { kind: "hooks", name: "Changesets" }],
];

function collect(): Map<string, Fact[]> {
  const found = new Map<string, Fact[]>();
  for (const [kind, names] of Object.entries(FILES)) {
    for (const [name, files] of Object.entries(names)) {
      for (const file of files)
        found.set(file, [...(found.get(file) ?? []), { kind: kind as FactKind, name }]);
    }
  }
  return found;
}

/** Both lower-case; the folder ends with a slash, or is empty at the root. */
export function factsOf(folder: string, name: string): readonly Fact[] {
  const dot = name.lastIndexOf(".");
  const byName =
    BY_NAME.get(name) ?? (ENDINGS.has(name.slice(dot + 1)) ? BY_NAME.get(name.slice(0, dot)) : undefined);
  if (byName) return byName;
  if (!folder.startsWith(".")) return [];
  const byFolder = BY_FOLDER.find(([prefix]) => folder.startsWith(prefix));
  return byFolder ? [byFolder[1]] : [];
}

/** Which lock files pin what a manifest names; one of them beside it, or above it in a workspace, will do. */
export const LOCKS: Readonly<Record<string, readonly string[]>> = table({
  "package.json": [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lockb",
    "bun.lock",
  ],
  "pyproject.toml": ["poetry.lock", "uv.lock", "pdm.lock"],
  pipfile: ["pipfile.lock"],
  "cargo.toml": ["cargo.lock"],
  "go.mod": ["go.sum"],
  gemfile: ["gemfile.lock"],
  "composer.json": ["composer.lock"],
});

const MANIFESTS = new Set([
  ...Object.keys(LOCKS),
  "requirements.txt",
  "setup.py",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "pubspec.yaml",
  "mix.exs",
  "package.swift",
]);

const PROJECTS = new Set(["csproj", "fsproj", "vbproj"]);

/** Whether a file of this lower-case name says what a package is made of. */
export function isManifest(name: string): boolean {
  return MANIFESTS.has(name) || PROJECTS.has(name.slice(name.lastIndexOf(".") + 1));
}

const DOCUMENTS = new Set([
  "readme",
  "contributing",
  "architecture",
  "agents",
  "claude",
  "gemini",
  "codeowners",
  "security",
]);

/** Whether people, or agents, are told here how to work: at the root, or where forges look for such files. */
export function isDocument(folder: string, name: string): boolean {
  if (folder !== "" && folder !== ".github/" && folder !== "docs/" && folder !== "doc/") return false;
  return DOCUMENTS.has(name.replace(/\.(?:md|mdx|rst|txt|adoc)$/, ""));
}
