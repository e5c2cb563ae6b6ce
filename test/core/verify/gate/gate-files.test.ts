import { describe, expect, it } from "vitest";
import { ruleOfName } from "../../../../src/core/verify/gate/gate-files.ts";
import { isTestFile } from "../../../../src/core/verify/gate/is-test-file.ts";

/** What a file becomes; `as it is` when the commit changed nothing of the gate in it. */
function laid(path: string, base: string | null, commit: string | null): unknown {
  const rule = ruleOfName(path);
  if (rule === null || rule === "whole") return rule;
  const text = rule(base, commit);
  return text === commit ? "as it is" : path.endsWith(".json") && text !== null ? JSON.parse(text) : text;
}

describe("files that define a gate", () => {
  it.each([
    ...[".npmrc", "packages/a/.npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml"],
    ...["Makefile", "makefile", "GNUmakefile", "sub/rules.mk", "justfile", "Taskfile.yml", "Rakefile"],
    ...["tox.ini", "pytest.ini", "conftest.py", "src/app/conftest.py", "noxfile.py", "sitecustomize.py"],
    ...["pytest.py", "pytest/__init__.py", "unittest.py", "_pytest/main.py"],
    ...[
      "jest.config.ts",
      "vitest.config.mts",
      "vite.config.js",
      ".mocharc.yml",
      "ava.config.js",
      "karma.conf.js",
    ],
    ...["playwright.config.ts", "cypress.config.js", "tsconfig.json", "tsconfig.test.json", ".eslintrc"],
    ...["eslint.config.js", "biome.json", "biome.jsonc", ".nycrc", "setupTests.ts"],
    ...[
      ".cargo/config.toml",
      "rust-toolchain",
      "gradlew",
      "gradle/wrapper/gradle-wrapper.jar",
      ".mvn/jvm.config",
    ],
    ...[
      "mvnw",
      "phpunit.xml.dist",
      ".rspec",
      "Directory.Build.targets",
      "nx.json",
      ".yarn/releases/yarn.cjs",
    ],
    ...["go.work", "setup.py", "binding.gyp", "patches/jest+29.0.0.patch", ".bazelrc", "angular.json"],
    ...[".golangci.yml", "dart_test.yaml", "Makefile.am", "sub/Makefile.in", "configure", "build.rs"],
    ...["helper-1.0.dist-info/entry_points.txt", "src/app.egg-info/entry_points.txt", "evil.pth"],
    ...[
      "__mocks__/fs.js",
      "src/__mocks__/lib.ts",
      "test/setup.ts",
      "tests/support/setup.js",
      "jest-setup.js",
    ],
    ...["test/test_helper.exs", "spec/spec_helper.rb", "lib/minitest.rb", "lib/Test/More.pm"],
    ...["src/test/java/org/junit/Assert.java", "src/test/resources/META-INF/services/org.junit.x"],
  ])("%s is one of them", (path) => {
    expect(ruleOfName(path)).toBe("whole");
  });

  it.each([
    "src/index.ts",
    "README.md",
    "go.sum",
    "src/patches.ts",
    "docs/configure.md",
    "lib/testing.rb",
    "src/make.ts",
    "config.json",
    "npmrc",
  ])("%s is none of them", (path) => {
    expect([ruleOfName(path), isTestFile(path)]).toEqual([null, false]);
  });

  it.each([
    ...["test/a.js", "src/tests/util.ts", "src/__tests__/a.tsx", "spec/a_spec.rb", "a.test.ts", "a.spec.mjs"],
    ...["a_test.go", "test_a.py", "pkg/tests.py", "test.js", "src/a-test.js", "AdderTest.java", "AdderIT.kt"],
    ...[
      "App.Tests/Adder.cs",
      "__snapshots__/a.snap",
      "testdata/big.bin",
      "e2e/login.ts",
      "a.cy.js",
      "a.bats",
    ],
  ])("%s is a test", (path) => {
    expect(isTestFile(path)).toBe(true);
  });

  it.each([
    "contest.js",
    "latest.json",
    "src/manifest.ts",
    "attest.go",
    "src/protest/a.ts",
    "openapi-spec.yaml",
  ])("%s is no test", (path) => {
    expect(isTestFile(path)).toBe(false);
  });
});

const json = (value: object): string => JSON.stringify(value);

describe("of a package.json", () => {
  const BASE = { name: "a", scripts: { test: "vitest run" }, devDependencies: { vitest: "^3.0.0" } };

  it("dependencies, versions and further packages are the commit's", () => {
    for (const change of [
      { ...BASE, version: "2.0.0", dependencies: { left: "1.0.0" } },
      { ...BASE, devDependencies: { vitest: "^4.0.0", tool: "file:tools/tool" } },
      { ...BASE, exports: "./index.js", type: "module" },
    ])
      expect(laid("package.json", json(BASE), json(change))).toBe("as it is");
    expect(
      laid("package.json", json({ workspaces: ["a"] }), json({ workspaces: ["a", "b"], dependencies: {} })),
    ).toBe("as it is");
  });

  it("scripts and settings of test tools are the base's", () => {
    const change = {
      ...BASE,
      scripts: { test: "true", posttest: "true" },
      jest: { testMatch: [] },
      version: "2",
    };
    expect(laid("package.json", json(BASE), json(change))).toEqual({ ...BASE, version: "2" });
    expect(laid("package.json", null, json(change))).toEqual({
      name: "a",
      version: "2",
      devDependencies: BASE.devDependencies,
    });
    expect(laid("package.json", json(BASE), null)).toEqual(BASE);
    expect(laid("package.json", json(BASE), "{")).toEqual(BASE);
  });

  it("a tool that comes to mean a folder of the commit is the base's", () => {
    for (const spec of ["file:fake", "link:fake", "npm:evil@1.0.0", "./fake", "https://example.org/a.tgz"])
      expect(laid("package.json", json(BASE), json({ ...BASE, devDependencies: { vitest: spec } }))).toEqual(
        BASE,
      );
  });

  it("packages that are left out come back", () => {
    const base = { workspaces: { packages: ["packages/*"] } };
    for (const workspaces of [undefined, [], ["packages/a"], ["packages/*", "!packages/b"]])
      expect(laid("package.json", json(base), json({ workspaces }))).toEqual(base);
  });

  it("names that every object answers to are no settings", () => {
    const text = '{"scripts":{"test":"a"},"constructor":1,"__proto__":{"scripts":{}}}';
    expect(laid("package.json", '{"scripts":{"test":"a"}}', text)).toBe("as it is");
  });
});

describe("of a file in sections", () => {
  const PYTHON = '[project]\nname = "a"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';

  it("what a package needs is the commit's", () => {
    const change = PYTHON.replace("dependencies = []", 'dependencies = [\n  "left",\n]');
    expect(laid("pyproject.toml", PYTHON, change)).toBe("as it is");
    const cargo = '[package]\nname = "a"\n\n[dependencies]\n';
    expect(laid("Cargo.toml", cargo, `${cargo}left = "1"\n\n[dev-dependencies]\nx = "1"\n`)).toBe("as it is");
  });

  it.each([
    ["in its section", PYTHON.replace("-q", "--co")],
    ["in another section of the tool", `${PYTHON}\n[tool.coverage.run]\nomit = ["*"]\n`],
    [
      "under a quoted name",
      `${PYTHON.replace("[tool.pytest.ini_options]", '["tool".pytest . "ini_options"]')}x = 1\n`,
    ],
    ["without a section", `tool.pytest.ini_options.addopts = "--co"\n${PYTHON.slice(0, 36)}`],
    ["behind a text that looks like a section", `${PYTHON}[tool.pytest.x]\ny = """\n[project]\n"""\nz = 1\n`],
    ["as a plugin", PYTHON.replace("[tool.", '[project.entry-points.pytest11]\nx = "evil"\n\n[tool.')],
    [
      "as a plugin in one line",
      PYTHON.replace("dependencies", "entry-points.pytest11.x='evil'\ndependencies"),
    ],
    ["in a text that does not end", `${PYTHON}\n[project.urls]\nx = """\n`],
  ])("settings of test tools are the base's when they are changed %s", (_how, change) => {
    expect(laid("pyproject.toml", PYTHON, change)).toContain('[tool.pytest.ini_options]\naddopts = "-q"');
    expect(laid("pyproject.toml", PYTHON, change)).not.toMatch(/--co|omit|evil|z = 1|x = 1/);
  });

  it("keeps what is needed beside settings that are put back", () => {
    const change = PYTHON.replace("[]", '["left"]').replace("-q", "--co");
    expect(laid("pyproject.toml", PYTHON, change)).toBe(
      '[tool.pytest.ini_options]\naddopts = "-q"\n\n[project]\nname = "a"\ndependencies = ["left"]\n',
    );
    expect(laid("pyproject.toml", null, change)).toBe('[project]\nname = "a"\ndependencies = ["left"]\n');
    expect(
      laid("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = b\n[tool:pytest]\naddopts = --co\n"),
    ).toBe("[metadata]\nname = b\n");
    expect(laid("Cargo.toml", '[package]\nname = "a"\n', '[package]\nname = "a"\nautotests = false\n')).toBe(
      '[package]\nname = "a"\n',
    );
  });
});

describe("of other manifests", () => {
  it.each([
    ["pom.xml", "<project></project>", "<project><dependency><a/></dependency></project>"],
    ["build.gradle", "plugins { }\n", 'plugins { }\n  testImplementation("junit:junit:4")\n'],
    ["mix.exs", "  [\n  ]\n", '  [\n    {:jason, "~> 1.4"}\n  ]\n'],
    ["CMakeLists.txt", "add_test(a b)\n", "add_library(x y.c)\nadd_test(a b)\n"],
    ["deno.json", '{"tasks":{"test":"deno test"}}', '{"tasks":{"test":"deno test"},"imports":{"a":"b"}}'],
    ["composer.json", '{"scripts":{"test":"phpunit"}}', '{"scripts":{"test":"phpunit"},"require":{"a":"1"}}'],
    ["a_test.go", null, "func TestAdd(t *testing.T) {}\n"],
  ])("%s may name what the project needs", (path, base, commit) => {
    expect(laid(path, base, commit)).toBe("as it is");
  });

  it.each([
    ["pom.xml", "<project></project>", "<project><skipTests>true</skipTests></project>"],
    ["build.gradle", "plugins { }\n", "plugins { }\ntest { enabled = false }\n"],
    ["build.gradle", "plugins { }\n", 'plugins { }\nimplementation("a"); test { enabled = false }\n'],
    ["mix.exs", "  [\n  ]\n", '  [\n    test: "run true"\n  ]\n'],
    ["CMakeLists.txt", "add_test(a b)\n", "add_library(x y.c)\n"],
    ["a_test.go", null, "package a\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"],
  ])("%s is the base's when it says more", (path, base, commit) => {
    expect(laid(path, base, commit)).toBe(base);
  });
});

describe("texts that are made to be slow", () => {
  const MANY = 60_000;
  it.each([
    ["pom.xml", "<dependency>".repeat(MANY)],
    ["build.gradle", `${" ".repeat(MANY)}${"implementation".repeat(MANY)}\n`.repeat(2)],
    ["mix.exs", `${"  {:a, \n".repeat(MANY)}`],
    ["pyproject.toml", `${'x = """\n[[["\n'.repeat(MANY)}`],
    ["Cargo.toml", `${"[".repeat(MANY)}\n${"[a]\n".repeat(MANY)}`],
    ["package.json", json({ workspaces: Array.from({ length: MANY }, (_, at) => `p${at}`) })],
    ["CMakeLists.txt", `${"include ".repeat(MANY)}`],
  ])("are read in no time: %s", (path, text) => {
    const started = performance.now();
    laid(path, json({ workspaces: ["a"] }), text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
