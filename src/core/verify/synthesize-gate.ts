import type { GateCommand, Project } from "./gate-command.ts";
import { npmGate } from "./synthesize-npm-gate.ts";

export type Gate = {
  /** Each is complete in itself, installing included, so that it can be repeated on any other commit. */
  readonly commands: string[];
  /** For each command, the sentence that says where it comes from. */
  readonly why: string[];
};

/**
 * The project's own tests, guessed from what lies at its root; nothing when nothing is known. It is made once, from the
 * base, before any agent could have a say in it.
 *
 * One command per ecosystem. A Makefile only speaks when no other tool does, since its targets usually call those.
 */
export function synthesizeGate(files: readonly string[], read: (path: string) => string | null): Gate {
  const names = new Set(files);
  const project: Project = {
    has: (path) => names.has(path),
    some: (pattern) => files.some((path) => pattern.test(path)),
    read: (path) => (names.has(path) ? (read(path) ?? "") : ""),
  };
  const found = TOOLS.flatMap((tool) => tool(project) ?? []);
  const gate = found.length > 0 ? found : [makeGate(project) ?? []].flat();
  return { commands: gate.map((one) => one.command), why: gate.map((one) => one.why) };
}

const TOOLS: readonly ((project: Project) => GateCommand | null)[] = [
  npmGate,
  (project) =>
    project.has("Cargo.toml") ? { command: "cargo test", why: "There is a `Cargo.toml`." } : null,
  (project) =>
    project.has("go.mod")
      ? { command: "go build ./... && go test ./...", why: "There is a `go.mod`." }
      : null,
  pytestGate,
  denoGate,
  (project) => (project.has("mix.exs") ? { command: "mix test", why: "There is a `mix.exs`." } : null),
  rubyGate,
  (project) =>
    project.has("pom.xml")
      ? { command: `${project.has("mvnw") ? "./mvnw" : "mvn"} -q -B test`, why: "There is a `pom.xml`." }
      : null,
  (project) =>
    project.some(/^build\.gradle(?:\.kts)?$/)
      ? {
          command: `${project.has("gradlew") ? "./gradlew" : "gradle"} test`,
          why: "There is a Gradle build.",
        }
      : null,
  (project) =>
    project.some(/^[^/]+\.(?:slnx?|csproj|fsproj)$/)
      ? { command: "dotnet test", why: "There is a .NET solution." }
      : null,
  (project) =>
    project.has("Package.swift") ? { command: "swift test", why: "There is a `Package.swift`." } : null,
  cmakeGate,
];

function pytestGate({ has, some, read }: Project): GateCommand | null {
  const command = "python3 -m pytest -q";
  if (has("pytest.ini")) return { command, why: "There is a `pytest.ini`." };
  if (/^\[tool\.pytest\b/m.test(read("pyproject.toml")))
    return { command, why: "`pyproject.toml` configures pytest." };
  if (/^\[tool:pytest\]/m.test(read("setup.cfg"))) return { command, why: "`setup.cfg` configures pytest." };
  if (/^\[pytest\]/m.test(read("tox.ini"))) return { command, why: "`tox.ini` configures pytest." };
  return some(/^(?:tests?\/(?:.+\/)?)?(?:conftest|test_[^/]+|[^/]+_test)\.py$/)
    ? { command, why: "There are Python tests." }
    : null;
}

function denoGate({ has, read }: Project): GateCommand | null {
  const file = ["deno.json", "deno.jsonc"].find(has);
  if (!file) return null;
  // Piece by piece: looked for in one go, each `"tasks"` would be followed to the end of the file.
  const [, ...tasks] = read(file).split(/"tasks"\s*:\s*\{/);
  return tasks.some((text) => /"test"\s*:/.test(text.split("}", 1)[0] ?? ""))
    ? { command: "deno task test", why: `\`${file}\` has a test task.` }
    : { command: "deno test --allow-all", why: `There is a \`${file}\`.` };
}

function rubyGate({ has, some }: Project): GateCommand | null {
  if (!has("Gemfile")) return null;
  if (some(/^spec\/.+_spec\.rb$/)) return { command: "bundle exec rspec", why: "There are specs for RSpec." };
  return has("Rakefile") && some(/^test\/.+\.rb$/)
    ? { command: "bundle exec rake test", why: "There is a `Rakefile` and a folder of tests." }
    : null;
}

function cmakeGate({ read }: Project): GateCommand | null {
  return /^[^\S\r\n\u2028\u2029]*(?:enable_testing|add_test|include\s*\(\s*CTest)\b/im.test(
    read("CMakeLists.txt"),
  )
    ? {
        command: "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        why: "`CMakeLists.txt` declares tests.",
      }
    : null;
}

function makeGate({ has, read }: Project): GateCommand | null {
  const file = ["GNUmakefile", "makefile", "Makefile"].find(has);
  const text = file ? read(file) : "";
  const target = ["check", "test"].find((name) => new RegExp(`^${name}[ \\t]*::?(?!=)`, "m").test(text));
  return file && target
    ? { command: `make ${target}`, why: `\`${file}\` has the target \`${target}\`.` }
    : null;
}

/** The gate as a script that a person can run; kept with the run's record. */
export function renderGateScript(commands: readonly string[]): string {
  const head = [
    "#!/bin/sh",
    "# What every stage of this run had to pass, one command after the other, from the root of the project.",
    "set -e",
    'cd "$(git rev-parse --show-toplevel)"',
  ];
  if (commands.length === 0) return [...head, 'echo "This run had no gate."', ""].join("\n");
  const variables = ['WORKTREE="$PWD"', 'PROJECT_ROOT="$PWD"', "STAGE_ID=by-hand", "CI=true"];
  // Under `set -e` alone a failing `a` in `a && b` would not stop the script.
  const steps = commands.flatMap((command) => ["", "(", command, ") || exit"]);
  return [...head, `export ${variables.join(" ")}`, ...steps, ""].join("\n");
}
