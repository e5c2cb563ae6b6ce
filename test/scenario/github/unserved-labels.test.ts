import { afterEach, describe, expect, it } from "vitest";
import { announceLabels } from "../../../src/engine/github/show/unserved-labels.ts";
import { ask, offered, panelOf, settled, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const NOBODY = "No worker serves the label `gpu`; start one with `LOOM_LABELS=gpu` (see README).";
const sweep = async (): Promise<void> => {
  await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
  await settled(world);
};
/** As if the sweep had first noticed it at the beginning of time. */
const letTimePass = async (id: string): Promise<void> => {
  const { cache } = await world.engine();
  await world.until(() => cache.get(`unserved/${id}`), "a note of the sweep");
  await cache.set(`unserved/${id}`, JSON.stringify({ gpu: 0 }));
  await sweep();
};

describe("a label that no worker serves", () => {
  it("is told on the panel of the run, once for all stages, until a worker comes", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const gpu = (id: string) => ({ ...writesFile(id), runs_on: "GPU" });
    const { issue, plan, run } = await offered(world, [gpu("one"), gpu("two")]);
    await ask(world, plan.number, "/loom approve");
    await world.run(({ stages }) => stages.get("one")?.state.kind === "queued");
    await sweep();
    expect(panelOf(world, issue)).not.toContain("No worker serves");
    await letTimePass(run.id);
    await world.until(() => panelOf(world, issue)?.includes(NOBODY), "a word on the panel");
    expect(panelOf(world, issue)?.split(NOBODY)).toHaveLength(2);
    expect(await ask(world, issue, "/loom status")).toContain(NOBODY);
    await announceLabels(world.loom.hosted.host, ["gpu"]);
    await sweep();
    await world.until(() => !panelOf(world, issue)?.includes("No worker serves"), "the word is gone");
  });

  it("is told where an agent was asked for, until a worker comes", async () => {
    world = await aGitHubWorld({ config: { version: 1, runs_on: "gpu" } });
    const issue = world.issue({ body: "Words should be counted." });
    world.comment(issue, "/loom ask Where are words counted?");
    const said = () => world.said(issue).join("\n");
    await world.until(() => said().includes("is at work"), "somebody is sent for");
    const id = await world.until(async () => (await (await world.engine()).taskStore.list())[0], "the task");
    await sweep();
    expect(said()).not.toContain("No worker serves");
    await letTimePass(id);
    await world.until(() => said().includes(NOBODY), "a word in the thread");
    expect(world.said(issue)).toHaveLength(1);
    await announceLabels(world.loom.hosted.host, ["gpu"]);
    await sweep();
    await world.until(() => !said().includes("No worker serves"), "the word is gone");
    expect(world.said(issue)).toHaveLength(1);
  });
});
