import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, normalise, type Project } from "../scenario/project.ts";

const STAGES = [
  { id: "first", retries: 0 },
  { id: "second", dependencies: ["first"], retries: 0 },
];

/** The same project for somebody who has misspelled a field of an agent of their own. */
function withBrokenAgent(project: Project): Pick<Project, "ask" | "loom"> {
  const config = join(project.notes, "config");
  mkdirSync(join(config, "agents"), { recursive: true });
  writeFileSync(join(config, "agents/mine.md"), "---\nnmae: mine\n---\nDo it.\n");
  return project.with({ env: { LOOM_CONFIG: config } });
}

describe("an agent's file that can't be used", () => {
  it("keeps nobody from ending a run, archiving and forgetting it", async () => {
    const project = makeProject({ stages: STAGES, agent: "exit 1" });
    expect((await project.ask("run", "PLAN.md")).code).toBe(1);
    const broken = withBrokenAgent(project);
    for (const args of [["status"], ["cancel", "plan"], ["archive", "plan"], ["clean", "plan"]]) {
      const { code, stderr } = await broken.ask(...args);
      expect([args, code, stderr]).toEqual([args, 0, ""]);
    }
  });

  it("stops whatever would start agents, before anything is written down", async () => {
    const project = makeProject({ stages: STAGES, agent: "exit 1" });
    expect((await project.ask("run", "PLAN.md")).code).toBe(1);
    const before = (await project.ask("status", "plan", "--json")).stdout;
    const broken = withBrokenAgent(project);
    for (const args of [
      ["run", "PLAN.md"],
      ["resume"],
      ["retry", "plan", "first"],
      ["skip", "plan", "first"],
    ]) {
      const { code, stderr } = await broken.ask(...args);
      expect([args, code]).toEqual([args, 1]);
      expect(normalise(stderr, project)).toContain("The agent /tmp/x/config/agents/mine.md can't be used.");
    }
    expect((await project.ask("status", "plan", "--json")).stdout).toBe(before);
  });

  it("is no matter to a run that another process drives", async () => {
    const project = makeProject({
      stages: STAGES,
      agent: 'echo \'{"type":"activity","text":"at work"}\'; sleep 600',
    });
    const first = project.start("run", "PLAN.md", "--json");
    await first.line((line) => line.type === "activity" && line.text === "at work");
    const broken = withBrokenAgent(project);
    const skipped = await broken.ask("skip", "plan", "second");
    expect(skipped).toMatchObject({ code: 0, stderr: "" });
    expect(await broken.ask("cancel", "plan")).toMatchObject({ code: 0, stderr: "" });
    await first.finished;
  });
});
