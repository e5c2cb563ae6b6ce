import { describe, expect, it } from "vitest";
import {
  plainComposerJson,
  plainComposerLock,
  plainLockText,
  plainPackageJson,
  plainPackageLock,
} from "../../../src/core/setup/plain-manifest.ts";

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

describe("plainPackageJson", () => {
  it("keeps what names dependencies, and nothing that names a program or holds anything else", () => {
    const written = {
      name: "app",
      workspaces: ["packages/*"],
      dependencies: { a: "^1.0.0", b: "npm:@x/c@2", d: "workspace:*", e: "https://example.com/e.tgz" },
      overrides: { a: "1.0.1" },
      scripts: { preinstall: "node leak.cjs" },
      packageManager: "pnpm@https://example.com/x.tgz",
      pnpm: { executionEnv: { nodeVersion: "1.0.0" }, configDependencies: { x: "1" } },
      devEngines: { packageManager: { name: "x" } },
      publishConfig: { registry: "https://example.com" },
      config: { source: "all of the code" },
    };
    expect(parse(plainPackageJson(JSON.stringify(written), null))).toEqual({
      name: "app",
      workspaces: ["packages/*"],
      dependencies: written.dependencies,
      overrides: { a: "1.0.1" },
    });
  });

  it("takes the package manager from the base", () => {
    const text = JSON.stringify({ name: "app", packageManager: "yarn@9.9.9" });
    expect(parse(plainPackageJson(text, '{"packageManager":"yarn@4.1.0"}'))).toEqual({
      name: "app",
      packageManager: "yarn@4.1.0",
    });
  });

  it.each([
    "git+https://example.com/a.git",
    "git://example.com/a",
    "git@github.com:a/b.git",
    "GitHub:a/b",
    "a/b",
    "a/b#main",
    "https://github.com/a/b",
    "https://example.com/a.git",
    "exec:./generate.js",
    "ssh://example.com/a",
  ])("can't be plain with the dependency %s", (spec) => {
    expect(plainPackageJson(JSON.stringify({ dependencies: { a: spec } }), null)).toBeNull();
    expect(plainPackageJson(JSON.stringify({ overrides: { b: { a: spec } } }), null)).toBeNull();
  });

  it.each(["", "[]", "null", "{", '"x"', "<<<<<<< ours"])("can't be plain when it is %j", (text) => {
    expect(plainPackageJson(text, null)).toBeNull();
    expect(plainPackageLock(text, null)).toBeNull();
    expect(plainComposerLock(text, null)).toBeNull();
  });
});

describe("plainPackageLock", () => {
  it("takes packages of registries", () => {
    const lock = {
      packages: { "": {}, "node_modules/a": { resolved: "https://registry.npmjs.org/a/-/a-1.0.0.tgz" } },
    };
    expect(parse(plainPackageLock(JSON.stringify(lock), null))).toEqual(lock);
  });

  it.each([
    [{ packages: { "../../home": {} } }],
    [{ packages: { "/etc": {} } }],
    [{ packages: { "node_modules/a": { resolved: "git+ssh://git@github.com/a/b.git" } } }],
    [{ dependencies: { a: { version: "github:a/b" } } }],
  ])("refuses %j", (lock) => {
    expect(plainPackageLock(JSON.stringify(lock), null)).toBeNull();
  });

  it("sees through escapes and does not fall over depth", () => {
    expect(plainPackageLock('{"packages":{"a":{"resolved":"g\\u0069t+https://x/y"}}}', null)).toBeNull();
    const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
    expect(() => plainPackageLock(deep, null)).not.toThrow();
  });
});

describe("plainLockText", () => {
  it.each([
    ['resolved "git+https://example.com/a.git#abc"', false],
    ["resolution: {type: git, repo: x}", false],
    ['resolution: "a@git@github.com:a/b.git#commit=1"', false],
    ['resolution: "a@exec:./x.js"', false],
    ['resolved "https://registry.yarnpkg.com/digit/-/digit-1.0.0.tgz"', true],
    ['"typescript@patch:typescript@^5#~builtin<compat/typescript>"', true],
  ])("%s", (text, isPlain) => {
    expect(plainLockText(text, null)).toBe(isPlain ? text : null);
  });
});

describe("composer's files", () => {
  it("lose scripts, repositories, settings and sources", () => {
    expect(
      parse(
        plainComposerJson(
          '{"require":{"a/b":"1"},"scripts":{},"repositories":[],"config":{"vendor-dir":"../x"}}',
          null,
        ),
      ),
    ).toEqual({ require: { "a/b": "1" } });
    const lock = {
      packages: [
        {
          name: "a/b",
          source: { type: "git" },
          "target-dir": "../..",
          dist: { type: "zip", url: "https://x/y" },
        },
      ],
    };
    expect(parse(plainComposerLock(JSON.stringify(lock), null))).toEqual({
      packages: [{ name: "a/b", dist: { type: "zip", url: "https://x/y" } }],
      "packages-dev": [],
    });
  });

  it.each([
    [{ packages: [{ name: "a/b", source: { type: "git" } }] }],
    [{ packages: [{ name: "a/b", dist: { type: "path", url: "../.." } }] }],
    [{ packages: [{ name: "../b", dist: { type: "zip" } }] }],
    [{ packages: {} }],
  ])("can't be plain: %j", (lock) => {
    expect(plainComposerLock(JSON.stringify(lock), null)).toBeNull();
  });
});
