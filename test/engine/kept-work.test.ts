import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import { stageOf } from "../../src/core/run/run.ts";
import { saveWork } from "../../src/engine/attempt/save-work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { aRun } from "../support/a-run.ts";
import { makeBench, makeRepo } from "../support/git-repo.ts";
import { read, withStages } from "../support/read-plans.ts";

const STAGES = `
- id: one
  name: One
  sandbox: { filesystem: { deny_read: [conf/prod/secret.txt] } }
`;

/** What is kept of what a session makes of its tree. */
async function keep(act: (tree: string) => void): Promise<Record<string, string> | null> {
  const { plan } = read(withStages(STAGES));
  if (!plan) throw new Error("the plan does not load");
  const { workspace, repo } = await makeBench(
    makeRepo({ "a.txt": "a\n", "conf/prod/secret.txt": "hunter2\n", "conf/prod/open.txt": "open\n" }),
  );
  const run = { ...aRun([{ id: "one" }]).run, plan };
  const base = repo.sha("HEAD");
  const tree = await workspace.open(base);
  act(tree.path);
  const engine = { workspaceFor: () => workspace, patterns: createPatterns() } as unknown as Engine;
  const stage = plan.stages[0] ?? stageOf(run, "one").plan;
  const commit = await saveWork(engine, { run, plan: stage, attempt: 1, tree, base });
  if (commit === null) return null;
  const files = await workspace.listFiles(commit);
  const texts = files.map(async (path) => [path, (await workspace.readFile(commit, path, 1000)) ?? ""]);
  return Object.fromEntries(await Promise.all(texts));
}

it("work in progress is kept without hidden files that were moved, and with them where they were", async () => {
  const kept = await keep((tree) => {
    renameSync(join(tree, "conf"), join(tree, "conf2"));
    writeFileSync(join(tree, "one.txt"), "ok\n");
  });
  expect(kept).toEqual({
    "a.txt": "a\n",
    "conf/prod/secret.txt": "hunter2\n",
    "conf2/prod/open.txt": "open\n",
    "one.txt": "ok\n",
  });
});

it("work in progress is kept without what stands in the place of a hidden file", async () => {
  const kept = await keep((tree) => {
    rmSync(join(tree, "conf"), { recursive: true });
    writeFileSync(join(tree, "conf"), "in the way\n");
    writeFileSync(join(tree, "one.txt"), "ok\n");
  });
  expect(kept).toEqual({ "a.txt": "a\n", "conf/prod/secret.txt": "hunter2\n", "one.txt": "ok\n" });
});

it("work that only moved what is hidden is no work", async () => {
  expect(
    await keep((tree) => renameSync(join(tree, "conf/prod/secret.txt"), join(tree, "conf/prod/mine.txt"))),
  ).toBeNull();
});
