import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEEP_ERRANDS_MS } from "../../../src/core/errand/is-forgettable.ts";
import { forgetOldErrands } from "../../../src/engine/errand/forget-errands.ts";
import { openLocal } from "../../../src/wiring/local.ts";
import { errandProject } from "../errand-project.ts";

it("forgets what ended or was left a month ago when the next agent is sent", async () => {
  const project = errandProject({ answer: [{ answer: "So." }] });
  expect((await project.ask("ask", "What is it?")).code).toBe(0);
  const env = { ...project.scripted, HOME: project.notes, LOOM_SANDBOX: "off" };
  const local = await openLocal({ cwd: project.root, env, feed: () => {}, runsAgents: false });
  const kept = (): string[] =>
    readdirSync(join(project.root, ".git/loom/errands")).filter((name) => name.startsWith("ask-"));
  try {
    const [id = ""] = kept();
    const { engine } = local;
    const { events } = await engine.errandStore.load(id);
    // As Ctrl-C leaves it.
    const left = events.filter(({ type }) => type === "errand-created" || type === "errand-claimed");
    await engine.errandStore.append("ask-left", 0, left);
    await forgetOldErrands({ ...engine, now: () => Date.now() + KEEP_ERRANDS_MS - 60_000 });
    expect(kept().sort()).toEqual([id, "ask-left"].sort());
    await forgetOldErrands({ ...engine, now: () => Date.now() + KEEP_ERRANDS_MS + 60_000 });
    expect(kept()).toEqual([]);
    expect(await engine.errandStore.list()).toEqual([]);
  } finally {
    await local.close();
  }
});
