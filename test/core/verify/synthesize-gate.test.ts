import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderGateScript, synthesizeGate } from "../../../src/core/verify/synthesize-gate.ts";

function gateOf(project: Record<string, string>) {
  return synthesizeGate(Object.keys(project), (path) => project[path] ?? null);
}

function manifest(parts: object): string {
  return JSON.stringify({ name: "x", ...parts });
}

describe("synthesizeGate", () => {
  it("runs the test script of an npm project and installs first when there is something to install", () => {
    const test = { scripts: { test: "vitest run" } };
    const needs = { ...test, devDependencies: { vitest: "4" } };
    const commands = [
      gateOf({ "package.json": manifest(test) }),
      gateOf({ "package.json": manifest(needs), "package-lock.json": "{}" }),
      gateOf({ "package.json": manifest(needs) }),
      gateOf({ "package.json": manifest(needs), "pnpm-lock.yaml": "" }),
      gateOf({ "package.json": manifest(needs), "yarn.lock": "" }),
      gateOf({ "package.json": manifest(needs), "yarn.lock": "", ".yarnrc.yml": "" }),
      gateOf({ "package.json": manifest(needs), "bun.lock": "" }),
      gateOf({ "package.json": manifest({ ...needs, packageManager: "pnpm@9.1.0" }) }),
      gateOf({ "package.json": manifest({ scripts: { build: "tsc" } }) }),
    ].flatMap((gate) => gate.commands);
    expect(commands).toMatchInlineSnapshot(`
      [
        "npm test",
        "npm ci --no-audit --no-fund && npm test",
        "npm install --no-audit --no-fund --no-package-lock && npm test",
        "pnpm install --frozen-lockfile && pnpm test",
        "yarn install --frozen-lockfile && yarn test",
        "yarn install --immutable && yarn test",
        "bun install --frozen-lockfile && bun run test",
        "pnpm install && pnpm test",
        "npm run build",
      ]
    `);
  });

  it("does not take npm's placeholder for a test", () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' };
    expect(gateOf({ "package.json": manifest({ scripts }) }).commands).toEqual([]);
  });

  it("is not thrown by a manifest that is broken or oddly shaped", () => {
    for (const text of ["", "{", "[]", "null", '{"scripts": 3}', '{"scripts": {"test": 1}}'])
      expect(gateOf({ "package.json": text }).commands).toEqual([]);
  });

  it("knows the usual tools by their files", () => {
    const projects: Record<string, string>[] = [
      { "Cargo.toml": "" },
      { "go.mod": "" },
      { "pytest.ini": "" },
      { "pyproject.toml": "[tool.pytest.ini_options]\n" },
      { "tests/unit/test_a.py": "" },
      { "deno.json": "{}" },
      { "deno.jsonc": '{ "tasks": { "test": "deno test" } }' },
      { "mix.exs": "" },
      { Gemfile: "", "spec/a_spec.rb": "" },
      { Gemfile: "", Rakefile: "", "test/a_test.rb": "" },
      { "pom.xml": "" },
      { "pom.xml": "", mvnw: "" },
      { "build.gradle.kts": "", gradlew: "" },
      { "App.sln": "" },
      { "Package.swift": "" },
      { "CMakeLists.txt": "project(x)\nenable_testing()\n" },
      { Makefile: "all:\n\ttrue\ncheck: all\n\t./check\ntest:\n\t./test\n" },
      { Makefile: "test ::\n\t./test\n" },
    ];
    expect(
      projects.map((project) => {
        const { commands, why } = gateOf(project);
        return commands.map((command, index) => `${command}  # ${why[index]}`).join(" | ");
      }),
    ).toMatchInlineSnapshot(`
      [
        "cargo test  # There is a \`Cargo.toml\`.",
        "go build ./... && go test ./...  # There is a \`go.mod\`.",
        "python3 -m pytest -q  # There is a \`pytest.ini\`.",
        "python3 -m pytest -q  # \`pyproject.toml\` configures pytest.",
        "python3 -m pytest -q  # There are Python tests.",
        "deno test --allow-all  # There is a \`deno.json\`.",
        "deno task test  # \`deno.jsonc\` has a test task.",
        "mix test  # There is a \`mix.exs\`.",
        "bundle exec rspec  # There are specs for RSpec.",
        "bundle exec rake test  # There is a \`Rakefile\` and a folder of tests.",
        "mvn -q -B test  # There is a \`pom.xml\`.",
        "./mvnw -q -B test  # There is a \`pom.xml\`.",
        "./gradlew test  # There is a Gradle build.",
        "dotnet test  # There is a .NET solution.",
        "swift test  # There is a \`Package.swift\`.",
        "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure  # \`CMakeLists.txt\` declares tests.",
        "make check  # \`Makefile\` has the target \`check\`.",
        "make test  # \`Makefile\` has the target \`test\`.",
      ]
    `);
  });

  it("asks every ecosystem that is there, and the Makefile only when no other is", () => {
    expect(gateOf({ "Cargo.toml": "", "go.mod": "", Makefile: "test:\n\tcargo test\n" }).commands).toEqual([
      "cargo test",
      "go build ./... && go test ./...",
    ]);
  });

  it("is empty when nothing is known, and looks at the root only", () => {
    const nothing = [
      {},
      { "README.md": "test: it" },
      { "packages/a/package.json": manifest({ scripts: { test: "x" } }) },
      { Makefile: "test := 1\nall:\n" },
      { "CMakeLists.txt": "project(x)" },
      { "pyproject.toml": "[project]\nname = 'x'\n" },
      { Gemfile: "" },
    ];
    for (const project of nothing) expect(gateOf(project as Record<string, string>).commands).toEqual([]);
  });
});

describe("renderGateScript", () => {
  it("is a script that a person can read", () => {
    expect(renderGateScript(["npm ci && npm test", "cargo test"])).toMatchInlineSnapshot(`
      "#!/bin/sh
      # What every stage of this run had to pass, one command after the other, from the root of the project.
      set -e
      cd "$(git rev-parse --show-toplevel)"
      export WORKTREE="$PWD" PROJECT_ROOT="$PWD" STAGE_ID=by-hand CI=true

      (
      npm ci && npm test
      ) || exit

      (
      cargo test
      ) || exit
      "
    `);
    expect(renderGateScript([])).toMatchInlineSnapshot(`
      "#!/bin/sh
      # What every stage of this run had to pass, one command after the other, from the root of the project.
      set -e
      cd "$(git rev-parse --show-toplevel)"
      echo "This run had no gate."
      "
    `);
  });

  it("stops at the first command that fails, also inside an and-list, and at the root of the project", () => {
    const folder = mkdtempSync(join(tmpdir(), "loom-gate-"));
    try {
      execFileSync("git", ["init", "-q", folder]);
      const run = (commands: string[]) => {
        try {
          return `0 ${execFileSync("sh", ["-c", renderGateScript(commands)], { cwd: folder, encoding: "utf8" })}`;
        } catch (error) {
          const { status, stdout } = error as { status: number; stdout: string };
          return `${status} ${stdout}`;
        }
      };
      expect(run(["echo one", "pwd"])).toBe(`0 one\n${folder}\n`);
      expect(run(["echo one", "(exit 7) && echo two", "echo three"])).toBe("7 one\n");
      expect(run([])).toBe("0 This run had no gate.\n");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
