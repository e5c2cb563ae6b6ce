import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEEP_TASKS_MS } from "../../../src/core/task/is-forgettable.ts";
import { forgetOldTasks } from "../../../src/engine/task/forget-tasks.ts";
import { openLocal } from "../../../src/wiring/local.ts";
import { taskProject } from "../task-project.ts";

it("forgets what ended or was left a month ago when the next agent is sent", async () => {
  const project = taskProject({ answer: [{ answer: "So." }] });
  expect((await project.ask("ask", "What is it?")).code).toBe(0);
  const env = { ...project.scripted, HOME: project.notes, LOOM_SANDBOX: "off" };
  const local = await openLocal({ cwd: project.root, env, feed: () => {}, runsAgents: false });
  const kept = (): string[] =>
    readdirSync(join(project.root, ".git/loom/tasks")).filter((name) => name.startsWith("ask-"));
  try {
    const [id = ""] = kept();
    const { engine } = local;
    const { events } = await engine.taskStore.load(id);
    // As Ctrl-C leaves it.
    const left = events.filter(({ type }) => type === "task-created" || type === "task-claimed");
    await engine.taskStore.append("ask-left", 0, left);
    await forgetOldTasks({ ...engine, now: () => Date.now() + KEEP_TASKS_MS - 60_000 });
    expect(kept().sort()).toEqual([id, "ask-left"].sort());
    await forgetOldTasks({ ...engine, now: () => Date.now() + KEEP_TASKS_MS + 60_000 });
    expect(kept()).toEqual([]);
    expect(await engine.taskStore.list()).toEqual([]);
  } finally {
    await local.close();
  }
});
