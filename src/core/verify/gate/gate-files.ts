import { GATE_NAMES, isGatePlace } from "./gate-names.ts";
import { type Lay, unlessOnly } from "./lay.ts";
import { layComposer, layDeno, layPackage } from "./lay-json.ts";
import { LOCKS, layLock, layNpmLock } from "./lay-lock.ts";
import { laySections } from "./lay-sections.ts";

/** `whole`: the file as the base has it, or none; else what becomes of it is worked out from both texts. */
export type GateRule = "whole" | Lay;

/** One dependency on one line, and nothing that could do more than name it. */
const GRADLE_DEPENDENCY =
  /^[ \t]*\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[pP]rocessor|kapt|ksp)[ (][ \t]*(?:platform\()?(?:project\()?(?:libs\.[\w.]+|"[\w.:@+/-]*"|'[\w.:@+/-]*')[) \t\r]*$/gm;
/** The following each for one line, its ends trimmed. */
const GEM = /^gem[ (]+(["'])[\w.-]+\1(?:, *(["'])[\w ~>=<.-]*\2)*(?:, *require: *\w+)?\)?$/;
const REQUIREMENT =
  /^(?:[\w.-]+(?:\[[\w., -]*\])? *(?:[=<>!~]=?=? *[\w.*+-]+[ ,]*)*(?:;[^@/]*)?(?:--hash=[\w:]+ ?)*\\?|--hash=[\w:]+ ?\\?|#.*)$/;
const SBT_DEPENDENCY =
  /^(?:libraryDependencies *\+= *)?"[\w.-]+" *%{1,3} *"[\w.-]+" *% *"[\w.+-]+"(?: *% *\w+)?,?$/;
const PROJECT_ITEM =
  /^<(?:PackageReference|ProjectReference|Compile|None|Content|EmbeddedResource) Include="[^"]*"(?: Version="[\w.*-]*")? *\/>$/;
const MIX_DEPENDENCY = /^[ \t]*\{:\w+,[\w "'~>=<.:,[\]-]*\},?[ \t\r]*$/gm;

/**
 * The files by which a project says what its gate does (T37): one table, whose patterns are those of `GATE_NAMES`.
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
  [unlessOnly(linesAbout(/test|check|exclude|subdir|env|suite/i)), ["meson.build"]],
  [
    unlessOnly(linesAbout(/test|size|tags|args|env|flaky|manual|load\s*\(/i)),
    ["build", "build.bazel", "module.bazel"],
  ],
  // What a module comes from; which version of it is needed is no part of the gate.
  [unlessOnly(linesAbout(/=>|^\s*(?:replace|exclude|tool|toolchain)\b/)), ["go.mod"]],
  [unlessOnly(withoutLines(GEM)), ["gemfile", "gems.rb", "*.gemspec"]],
  [unlessOnly(withoutLines(REQUIREMENT)), ["requirements*.txt", "*-requirements.txt", "constraints*.txt"]],
  [unlessOnly(withoutLines(SBT_DEPENDENCY)), ["build.sbt"]],
  [unlessOnly(withoutLines(PROJECT_ITEM)), ["*.csproj", "*.fsproj", "*.vbproj"]],
  [unlessOnly(linesAbout(/\b(?:path|git|hosted|url|sdk)\s*:|overrides/)), ["pubspec.yaml"]],
  [layNpmLock, ["package-lock.json", "npm-shrinkwrap.json"]],
  [layLock, LOCKS],
  ["whole", GATE_NAMES],
];

/** Of test runners, whether the base has them or not: where it does, they are its runner. */
const RUNNERS = /^(?:pytest|_pytest|pluggy|iniconfig|unittest|doctest|coverage)(?:\.py|\/.+)$/;

const NAMES = FILES.map(([rule, names]) => ({
  rule,
  pattern: new RegExp(`^(?:${names.map(asPattern).join("|")})$`),
}));

export function ruleOfName(path: string): GateRule | null {
  const small = path.toLowerCase();
  const name = small.slice(small.lastIndexOf("/") + 1);
  const found = NAMES.find(({ pattern }) => pattern.test(name));
  if (found) return found.rule;
  if (RUNNERS.test(small) || isGatePlace(small)) return "whole";
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

/** A line that is longer than anybody writes stays: what a pattern takes for it can grow with its square. */
const LONGEST_LINE = 500;

function withoutLines(pattern: RegExp): (text: string) => string {
  return (text) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && (line.length > LONGEST_LINE || !pattern.test(line)))
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
