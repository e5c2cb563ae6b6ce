import { describe, expect, it } from "vitest";
import { ruleOfName } from "../../../../src/core/verify/gate/gate-files.ts";
import { toolsIn } from "../../../../src/core/verify/gate/lay-json.ts";

const json = (value: object): string => JSON.stringify(value);

/** What a file becomes; `as it is` when the commit changed nothing of the gate in it. */
function laid(
  path: string,
  base: string | null,
  commit: string | null,
  tools: readonly string[] = [],
): unknown {
  const rule = ruleOfName(path);
  if (rule === null || rule === "whole") return rule;
  const text = rule(base, commit, new Set(tools));
  return text === commit ? "as it is" : path.endsWith(".json") && text !== null ? JSON.parse(text) : text;
}

const REGISTRY = "https://registry.npmjs.org";
const RUN = {
  version: "1.0.0",
  resolved: `${REGISTRY}/minirun/-/minirun-1.0.0.tgz`,
  bin: { minirun: "run.js" },
};
const LOCK = { lockfileVersion: 3, packages: { "": { name: "app" }, "node_modules/minirun": RUN } };
const withEntries = (entries: object): object => ({ ...LOCK, packages: { ...LOCK.packages, ...entries } });

describe("of a lock file of npm", () => {
  it("new packages and other versions are the commit's", () => {
    const left = { version: "2.0.0", resolved: `${REGISTRY}/left/-/left-2.0.0.tgz`, bin: { left: "l.js" } };
    const next = { ...RUN, version: "1.1.0", resolved: `${REGISTRY}/minirun/-/minirun-1.1.0.tgz` };
    const own = { "node_modules/core": { resolved: "packages/core", link: true }, "packages/core": {} };
    for (const entries of [{ "node_modules/left": left }, { "node_modules/minirun": next }, own])
      expect(laid("package-lock.json", json(LOCK), json(withEntries(entries)))).toBe("as it is");
    expect(laid("package-lock.json", null, json(LOCK))).toBe("as it is");
  });

  it.each([
    { resolved: "fake", link: true },
    { ...RUN, resolved: "file:fake.tgz" },
    { ...RUN, resolved: "https://example.org/minirun-1.0.0.tgz" },
    { ...RUN, resolved: "git+ssh://git@github.com/evil/minirun.git#1" },
  ])("a package that the base has does not become $resolved", (entry) => {
    expect(
      laid("package-lock.json", json(LOCK), json(withEntries({ "node_modules/minirun": entry }))),
    ).toEqual(LOCK);
    const old = (minirun: object) => json({ dependencies: { minirun } });
    expect(laid("package-lock.json", old(RUN), old(entry))).toEqual({ dependencies: { minirun: RUN } });
  });

  it("no other package brings a program of a name that the base has", () => {
    const fake = { fake: { version: "1.0.0", bin: { minirun: "run.js" } } };
    expect(laid("package-lock.json", json(LOCK), json(withEntries(fake)))).toEqual(LOCK);
    const deeper = { "node_modules/x/node_modules/minirun": RUN };
    expect(laid("package-lock.json", json(LOCK), json(withEntries(deeper)))).toBe("as it is");
  });

  it("a first one that links folders, and one that can't be read, is the base's", () => {
    const linked = withEntries({ "node_modules/minirun": { resolved: "fake", link: true } });
    expect(laid("package-lock.json", null, json(linked))).toBeNull();
    expect(laid("package-lock.json", json(LOCK), '{"packages":[]}')).toEqual(LOCK);
    expect(laid("package-lock.json", json(LOCK), "{")).toEqual(LOCK);
  });
});

const PNPM =
  "importers:\n  .:\n    devDependencies:\n      minirun:\n        specifier: ^1.0.0\n        version: 1.0.0\n";
const YARN = `"minirun@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "minirun@npm:1.0.0"\n`;
const POETRY =
  '[[package]]\nname = "pytest"\nfiles = [\n    {file = "pytest-8.whl", hash = "sha256:a"},\n]\n';

describe("of other lock files", () => {
  it.each([
    ["pnpm-lock.yaml", PNPM, PNPM.replace("version: 1.0.0", "version: 1.1.0")],
    [
      "pnpm-lock.yaml",
      PNPM,
      `${PNPM}      core:\n        specifier: workspace:*\n        version: link:../core\n`,
    ],
    [
      "yarn.lock",
      YARN,
      `${YARN}\n"core@workspace:packages/core":\n  resolution: "core@workspace:packages/core"\n`,
    ],
    [
      "yarn.lock",
      "",
      'left@^1.0.0:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/left.tgz#a"\n',
    ],
    [
      "poetry.lock",
      POETRY,
      `${POETRY}\n[[package]]\nname = "x"\nfiles = [\n    {file = "x-1.tar.gz", hash = "a"},\n]\n`,
    ],
    [
      "Gemfile.lock",
      "GEM\n  remote: https://rubygems.org/\n",
      "GEM\n  remote: https://rubygems.org/\n    rake (13)\n",
    ],
    ["uv.lock", null, 'source = { registry = "https://pypi.org/simple" }\n'],
  ])("%s may hold further packages", (path, base, commit) => {
    expect(laid(path, base, commit)).toBe("as it is");
  });

  it.each([
    ["pnpm-lock.yaml", PNPM, PNPM.replace("version: 1.0.0", "version: link:fake")],
    ["yarn.lock", YARN, YARN.replace("minirun@npm:1.0.0", "minirun@workspace:fake")],
    [
      "yarn.lock",
      YARN,
      YARN.replaceAll('"minirun@npm:^1.0.0"', '"minirun@npm:^1.0.0, minirun@workspace:fake"').replace(
        "@npm:1.0.0",
        "@workspace:fake",
      ),
    ],
    ["yarn.lock", "", 'minirun@^1.0.0:\n  version "1.0.0"\n  resolved "https://example.org/minirun.tgz"\n'],
    ["poetry.lock", POETRY, `${POETRY}\n[package.source]\ntype = "directory"\nurl = "fake"\n`],
    ["Gemfile.lock", "GEM\n", "PATH\n  remote: fake\n  specs:\n    minitest (5)\nGEM\n"],
    ["uv.lock", 'source = { registry = "https://pypi.org/simple" }\n', 'source = { directory = "fake" }\n'],
    ["Cargo.lock", "", 'source = "git+https://github.com/evil/x#1"\n'],
    ["mix.lock", "", '  "x": {:git, "https://github.com/evil/x", "1", []},\n'],
  ])("%s is the base's when a package comes from elsewhere", (path, base, commit) => {
    expect(laid(path, base, commit)).toBe(base);
  });
});

describe("of manifests", () => {
  it.each([
    ["go.mod", "module a\n", "module a\nrequire example.org/b v1.0.0\n"],
    ["Gemfile", "source 'https://rubygems.org'\n", "source 'https://rubygems.org'\ngem 'rake', '~> 13.0'\n"],
    ["requirements.txt", "pytest==8.0\n", "pytest==8.1\nleft>=1,<2 ; python_version > '3.8'\n# more\n"],
    ["build.sbt", 'name := "a"\n', 'name := "a"\nlibraryDependencies += "org.x" %% "y" % "1.0" % Test\n'],
    [
      "A.csproj",
      "<Project>\n</Project>\n",
      '<Project>\n  <PackageReference Include="X" Version="1.0" />\n</Project>\n',
    ],
    ["meson.build", "test('a', exe)\n", "test('a', exe)\nlibrary('x', 'y.c')\n"],
    [
      "BUILD.bazel",
      'cc_test(name = "a_test")\n',
      'cc_library(name = "x", srcs = ["y.c"])\ncc_test(name = "a_test")\n',
    ],
    ["deno.json", '{"imports":{"a":"jsr:@std/a@1"}}', '{"imports":{"a":"jsr:@std/a@^2.0","b":"npm:b"}}'],
    [
      "pyproject.toml",
      '[project]\ndependencies = ["pytest"]\n',
      '[project]\ndependencies = ["pytest>8", "left @ file:left"]\n',
    ],
  ])("%s may name what the project needs", (path, base, commit) => {
    expect(laid(path, base, commit)).toBe("as it is");
  });

  it.each([
    ["go.mod", "module a\n", "module a\nreplace github.com/stretchr/testify => ./fake\n"],
    ["Gemfile", "gem 'minitest'\n", "gem 'minitest', path: 'fake'\n"],
    ["requirements.txt", "pytest==8.0\n", "-e ./fake\n"],
    ["requirements-dev.txt", "pytest==8.0\n", "pytest @ file:fake\n"],
    ["build.sbt", 'name := "a"\n', 'name := "a"\nTest / test := {}\n'],
    ["A.csproj", "<Project>\n</Project>\n", "<Project>\n<Target Name='VSTest' />\n</Project>\n"],
    ["meson.build", "test('a', exe)\n", "library('x', 'y.c')\n"],
    ["BUILD.bazel", 'cc_test(name = "a_test")\n', 'cc_test(name = "a_test", tags = ["manual"])\n'],
    ["pubspec.yaml", "name: a\n", "name: a\ndependency_overrides:\n  test:\n    path: fake\n"],
    [
      "pyproject.toml",
      '[dependency-groups]\ndev = ["pytest"]\n',
      '[dependency-groups]\ndev = ["pytest"]\n[tool.uv.sources]\npytest = { path = "fake" }\n',
    ],
    [
      "Cargo.toml",
      '[dev-dependencies]\nproptest = "1"\n',
      '[dev-dependencies]\nproptest = { path = "fake" }\n',
    ],
    ["Cargo.toml", '[dev-dependencies]\nproptest = "1"\n', '[dev-dependencies.proptest]\npath = "fake"\n'],
  ])("%s is the base's when a tool comes to mean something else", (path, base, commit) => {
    expect(laid(path, base, commit)).toBe(base);
  });

  it.each([
    ["package.json", { overrides: { minirun: "file:fake" } }],
    ["package.json", { resolutions: { minirun: "file:fake" } }],
    ["package.json", { pnpm: { overrides: { minirun: "link:fake" } } }],
    ["deno.json", { imports: { "jsr:@std/assert": "./fake.ts" } }],
    ["deno.json", { imports: { "./lib.ts": "./fake.ts" } }],
    ["deno.json", { scopes: { "./": { a: "./fake.ts" } } }],
    ["composer.json", { repositories: [{ type: "path", url: "fake" }] }],
  ])("%s does not get %j", (path, change) => {
    expect(laid(path, json({ name: "a" }), json({ name: "a", ...change, version: "2" }))).toMatchObject({
      name: "a",
      version: "2",
    });
    expect(json(laid(path, json({ name: "a" }), json({ name: "a", ...change })) as object)).not.toContain(
      "fake",
    );
  });

  it("an import of Deno's that the base has stays what it is", () => {
    const base = { imports: { assert: "jsr:@std/assert@1" } };
    expect(laid("deno.json", json(base), json({ imports: { assert: "./fake.ts" } }))).toEqual(base);
  });

  it("a package does not take the name of a tool, or of its program", () => {
    const tools = [
      ...toolsIn("package.json", json({ devDependencies: { minirun: "^1.0.0" } })),
      ...toolsIn("package-lock.json", json(withEntries({ "node_modules/ts": { bin: { tsc: "tsc.js" } } }))),
    ];
    expect(tools).toEqual(["minirun", "minirun", "tsc"]);
    expect(laid("fake/package.json", null, json({ name: "minirun" }), tools)).toBeNull();
    expect(laid("fake/package.json", null, json({ name: "x", bin: { tsc: "a", x: "b" } }), tools)).toEqual({
      name: "x",
      bin: { x: "b" },
    });
    expect(laid("a/package.json", json({ name: "a" }), json({ name: "minirun" }), tools)).toEqual({
      name: "a",
    });
    expect(laid("core/package.json", null, json({ name: "core", bin: { core: "a" } }), tools)).toBe(
      "as it is",
    );
  });
});

describe("texts that are made to be slow", () => {
  const MANY = 60_000;
  it.each([
    ["requirements.txt", `a${" ".repeat(MANY)}!${"!=".repeat(MANY)}`],
    ["Gemfile", `gem ${" ".repeat(MANY)}'`],
    ["pnpm-lock.yaml", `${" ".repeat(MANY)}file${" ".repeat(MANY)}`.repeat(2)],
    ["yarn.lock", "\na".repeat(MANY / 3)],
    [
      "package-lock.json",
      json({
        packages: Object.fromEntries(
          Array.from({ length: MANY / 5 }, (_, at) => [`p${at}`, { bin: { a: "b" } }]),
        ),
      }),
    ],
    ["pyproject.toml", `[project]\n${"a".repeat(MANY * 4)}\n`],
    ["go.mod", `${"replace ".repeat(MANY)}`],
  ])("are read in no time: %s", (path, text) => {
    const started = performance.now();
    laid(path, json(LOCK), text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
