import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../scenario/project.ts";
import { tempFolder } from "../support/git-repo.ts";

const STAGES = [
  { id: "one", acceptance: ["test -f one.txt"] },
  { id: "two", dependencies: ["one"] },
];

describe("LOOM_PROFILE", () => {
  it("writes down what the steps of a run took and started, and a CPU profile", async () => {
    const folder = join(tempFolder(), "profiles");
    const project = makeProject({ stages: STAGES, env: { LOOM_PROFILE: folder } });
    const { code, stderr } = await project.loom("run", "PLAN.md");
    expect(code).toBe(0);
    const [name = ""] = readdirSync(folder);
    expect(stderr).toContain(`The profile is in ${join(folder, name)}: steps.txt, and loom.cpuprofile`);

    const rows = readFileSync(join(folder, name, "steps.txt"), "utf8").split("\n");
    const row = (step: string): string | undefined => rows.find((line) => line.startsWith(`${step} `));
    expect(row("agent")).toMatch(/^agent +2 +\S+ +\S+ +[1-9]/);
    expect(row("prove")).toMatch(/git /);
    expect(row("commit")).toMatch(/^commit +2 /);
    expect(rows.join("\n")).not.toContain("one.txt");

    const profile = JSON.parse(readFileSync(join(folder, name, "loom.cpuprofile"), "utf8"));
    expect(profile.nodes.length).toBeGreaterThan(100);
    expect(profile.samples.length).toBe(profile.timeDeltas.length);
  });

  it("does not make a run fail that it can't be written for", async () => {
    const file = join(tempFolder(), "a-file");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "");
    const project = makeProject({ stages: STAGES, env: { LOOM_PROFILE: file } });
    const { code, stderr } = await project.loom("run", "PLAN.md");
    expect(code).toBe(0);
    expect(stderr).toContain("The profile could not be written: ");
  });

  it("is not there when it is off", async () => {
    const project = makeProject({ stages: STAGES, env: { LOOM_PROFILE: "0" } });
    expect(await project.loom("run", "PLAN.md")).toMatchObject({ code: 0, stderr: "" });
  });
});
