import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Need, PROJECTS, type Project, type ProjectName } from "../projects.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** How code under `test/` uses what a project may lack. */
const SIGNS: readonly (readonly [Need, RegExp])[] = [
  ["build", /["'`][./]*dist\/[\w/]+\.js/],
  ["app-key", /\binject\("appKey"\)/],
  [
    "bubblewrap",
    /\bensureProgram\("bwrap"|\bexecFileSync\("bwrap"|\bLOOM_SANDBOX: "(?:auto|bubblewrap)"|(?<!function )\bstartDemo\(/,
  ],
  ["redis", /(?<!function )\bstartRedis\(/],
  ["openssl", /(?<!function )\bmakeCertificate\(|\bensureProgram\("openssl"/],
  ["strace", /\bensureProgram\("strace"/],
  ["browser", /(?<!function )\bopenBrowser\(/],
  ["agent-clis", /(?<!function )\bensureAgentClis\(\)/],
];

const files = readdirSync(join(ROOT, "test"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .sort();

const projects = (Object.entries<Project>(PROJECTS) as [ProjectName, Project][]).map(([name, project]) => ({
  name,
  project,
  globs: project.files.map((glob) => ({ glob, matches: picomatch(glob) })),
}));

function projectOf(file: string): ProjectName | undefined {
  return projects.find(({ globs }) => globs.some(({ matches }) => matches(file)))?.name;
}

/** The test and all of `test/` that it loads. */
function loadedBy(file: string, loaded = new Map<string, string>()): ReadonlyMap<string, string> {
  if (loaded.has(file) || !existsSync(join(ROOT, file))) return loaded;
  const text = readFileSync(join(ROOT, file), "utf8");
  loaded.set(file, text);
  for (const [, target = ""] of text.matchAll(
    /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s*)?"(\.[^"]+)"/gm,
  )) {
    const path = relative(ROOT, resolve(ROOT, dirname(file), target));
    if (path.startsWith("test/") && !path.startsWith("test/setup/")) loadedBy(path, loaded);
  }
  return loaded;
}

describe("the projects", () => {
  it("have every test, each in one of them, and no name that leads nowhere", () => {
    expect(files.filter((file) => projectOf(file) === undefined)).toEqual([]);
    const globs = projects.flatMap((one) => one.globs);
    expect(
      globs.filter(({ matches }) => !files.some((file) => matches(file))).map(({ glob }) => glob),
    ).toEqual([]);
    const used = new Set(files.map(projectOf));
    expect(projects.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it("provide what their tests use", () => {
    const missing = files.flatMap((file) => {
      const { needs }: Project = PROJECTS[projectOf(file) ?? "local"];
      return [...loadedBy(file)].flatMap(([source, text]) =>
        SIGNS.filter(([need, sign]) => !needs.includes(need) && sign.test(text)).map(
          ([need]) => `${file} uses ${need}${source === file ? "" : `, in ${source}`}`,
        ),
      );
    });
    expect(missing).toEqual([]);
  });

  it("are all run by CI, every shard of them", () => {
    const { jobs } = parse(readFileSync(join(ROOT, ".github/workflows/ci.yml"), "utf8"));
    const parts: { project: string; shard: string }[] = jobs.tests.strategy.matrix.part;
    expect(new Set(parts.map(({ project }) => project))).toEqual(new Set(projects.map(({ name }) => name)));
    for (const { project } of parts) {
      const shards = parts.filter((one) => one.project === project).map(({ shard }) => shard);
      expect([project, shards]).toEqual([project, shards.map((_, n) => `${n + 1}/${shards.length}`)]);
    }
  });

  it("have a set-up for each need, of which npm test has those that install nothing", () => {
    const needs = new Set(projects.flatMap(({ project }) => project.needs));
    const setUps = readdirSync(join(ROOT, "test/setup/needs")).map((file) => file.replace(".ts", ""));
    expect(setUps.sort()).toEqual([...needs].sort());
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const ofTest = Array.from(scripts.test.matchAll(/--project (\S+)/g), ([, name]) => name as ProjectName);
    expect(ofTest).toEqual(["unit", "local", "alone", "github-core"]);
    const theirs = new Set(ofTest.flatMap((name): readonly Need[] => PROJECTS[name].needs));
    expect([...theirs].sort()).toEqual(["app-key", "build", "system"]);
  });
});
