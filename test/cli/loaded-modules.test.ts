import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../scenario/project.ts";
import { assertBelow, type Loaded, MODULES_HOOK, readLoaded } from "../support/loaded-modules.ts";

/** What one command of the build has loaded by the time it ends. */
async function loadedBy(project: Project, ...args: string[]): Promise<Loaded> {
  const list = join(project.notes, "modules");
  rmSync(list, { force: true });
  const { code, stderr } = await project
    .with({ env: { NODE_OPTIONS: `--import=${MODULES_HOOK}`, LOADED_MODULES: list } })
    .loom(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return readLoaded(list);
}

/**
 * Start-up costs what is opened and compiled. These are ceilings without a clock: whoever meets one has made a command load what it
 * does not need, or raises it and says why. Probot, BullMQ, ioredis and Octokit are the App's alone.
 */
describe("what a command loads", () => {
  const project = (): Project => makeProject({ stages: [{ id: "one", acceptance: ["test -f one.txt"] }] });

  it("is next to nothing for the version", async () => {
    const loaded = await loadedBy(project(), "--version");
    expect(loaded.packages).toEqual([]);
    assertBelow(loaded, { files: 8, modules: 20, kilobytes: 25 });
  });

  it("is what reading takes, to check a plan", async () => {
    const loaded = await loadedBy(project(), "plan", "check", "PLAN.md");
    // The engine of patterns comes with the first pattern.
    expect(loaded.packages).toEqual([...GIT, ...READING].filter((name) => name !== "re2js").sort());
    assertBelow(loaded, { files: 23, modules: 410, kilobytes: 1050 });
  });

  it("is nothing of the App, to run a plan and to look at it", async () => {
    const here = project();
    for (const args of [["run", "PLAN.md"], ["status"]]) {
      const loaded = await loadedBy(here, ...args);
      expect(loaded.packages).toEqual([...GIT, ...READING, ...WIDTH].sort());
      assertBelow(loaded, { files: 31, modules: 1060, kilobytes: 2800 });
    }
  });
});

const GIT = [
  ...["simple-git", "@simple-git/args-pathspec", "@simple-git/argv-parser", "debug", "ms"],
  ...["@kwsites/file-exists", "@kwsites/promise-deferred"],
];
const READING = ["commander", "re2js", "yaml", "zod"];
const WIDTH = ["ansi-regex", "get-east-asian-width", "string-width", "strip-ansi"];
