/**
 * Files that define a gate as a whole, by what tools call them (T37). `*` stands for any run of characters, names are in
 * small letters, and a name counts wherever it stands, since tools look in every folder of a project.
 */
export const GATE_NAMES: readonly string[] = [
  // Package managers: which shell runs scripts, what is linked where.
  "package.y*ml package.json5 .pnp.* .npmrc .yarnrc .yarnrc.y*ml .pnpmfile.* pnpm-workspace.y*ml bunfig.toml",
  ".tool-versions mise.toml .mise.toml .nvmrc .node-version bun.lockb binding.gyp *.gypi",
  // Programs that run tasks.
  "makefile makefile.* gnumakefile *.mk justfile .justfile *.just taskfile.y*ml taskfile.dist.y*ml rakefile",
  "rakefile.rb *.rake gulpfile.* gruntfile.* turbo.json nx.json project.json lerna.json rush.json magefile.go",
  "build.xml angular.json wireit.json compose.y*ml docker-compose*.y*ml .env.test*",
  // Python: settings, and what an interpreter loads before any test.
  "noxfile.py tox.ini tox.toml pytest.ini .pytest.ini pytest.toml .pytest.toml conftest.py sitecustomize.py",
  "usercustomize.py *.pth *.egg-link .coveragerc mypy.ini .mypy.ini ruff.toml .ruff.toml .flake8 .pylintrc",
  "hatch.toml setup.py pyvenv.cfg pyrightconfig.json",
  // JavaScript and TypeScript.
  "jest.config.* jest.setup.* jest-setup.* jest.preset.* setuptests.* setup-tests.* setupjest.* globalsetup.*",
  "global-setup.* globalteardown.* global-teardown.* test-setup.* test.setup.* vitest.config.* vitest.workspace.*",
  "vitest.setup.* vitest-setup.* vite.config.* .mocharc* mocha.opts ava.config.* .taprc karma.conf.* jasmine.json",
  "jasmine.*js .jasmine.* playwright.config.* cypress.config.* cypress.json wdio.conf.* nightwatch.conf.*",
  "web-test-runner.config.* .nycrc* nyc.config.* .c8rc* tsconfig*.json jsconfig.json .eslintrc* .eslintignore",
  "eslint.config.* biome.json* .prettierrc* .prettierignore prettier.config.* .stylelintrc* stylelint.config.*",
  "babel.config.* .babelrc* .swcrc import_map.json import-map.json",
  // Rust, Go, the JVM, .NET, Ruby, PHP, Elixir, Dart, C, Bazel.
  "rust-toolchain rust-toolchain.toml clippy.toml .clippy.toml nextest.toml build.rs go.work .golangci.*",
  "gradlew gradlew.bat gradle.properties settings.gradle settings.gradle.kts mvnw mvnw.cmd testng.xml",
  "junit-platform.properties *.sln *.slnx directory.build.* directory.packages.props *.runsettings global.json",
  "nuget.config .rspec .rspec-local .rubocop.y*ml spec_helper.rb rails_helper.rb test_helper.rb test_helper.exs",
  "phpunit.xml* phpunit.dist.xml pest.php phpstan.neon* dart_test.y*ml pubspec_overrides.y*ml ctest*.cmake",
  "configure configure.ac configure.in meson.options meson_options.txt .bazelrc .bazelversion .bazelignore",
  "workspace workspace.bazel workspace.bzlmod *.bzl",
].flatMap((names) => names.split(" "));

/** Folders of which every file counts: settings, patches of what is installed, and what a runner loads without being told. */
const FOLDERS = [
  ...[".cargo", ".mvn", ".yarn", "gradle/wrapper", "gradle/init.d", "buildsrc", "patches", ".patches"],
  ...["__mocks__", "meta-inf/services"],
];

/** Plugins that an installed package registers, wherever on the path a folder of this kind lies. */
const INSTALLED = /\.(?:dist|egg)-info$/;

/** `test/setup.ts`, `spec/support/env.rb`: settings of a runner name them, or a pattern there finds them. */
const SET_UP =
  /(?:^|\/)(?:__)?(?:tests?|specs?|e2e|cypress)(?:__)?\/(?:.+\/)?(?:setup|teardown|bootstrap)\.\w+$/;

/** Where compilers and interpreters of other languages than Python look first for what tests are written with. */
const SHADOWS =
  /^(?:(?:.+\/)?(?:lib|test|spec)\/(?:minitest|rspec|test\/unit|test\/(?:more|simple|builder|most))(?:\.(?:rb|pm)|\/.+)|(?:.+\/)?src\/(?:.+\/)?(?:org\/(?:junit|testng|assertj|hamcrest|mockito|scalatest)|io\/kotest)\/.+)$/;

/** The path in small letters. */
export function isGatePlace(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  return (
    FOLDERS.some((folder) => `/${path}`.includes(`/${folder}/`)) ||
    folders.some((folder) => INSTALLED.test(folder)) ||
    SET_UP.test(path) ||
    SHADOWS.test(path)
  );
}
