import { afterEach, expect, it } from "vitest";
import { repoId } from "../../src/core/ids.ts";
import type { Host } from "../../src/engine/github/host.ts";
import type { Job, JobQueue } from "../../src/ports/job-queue.ts";
import { startHostedWorker } from "../../workers/start-hosted-worker.ts";
import { aGitHubWorld, type GitHubWorld } from "../support/github-world.ts";
import { send, taskWhen } from "../support/task-talk.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

it("brings work back to where it may run when all slots are taken", async () => {
  world = await aGitHubWorld({ config: { version: 1, harness: "scripted", runs_on: "gpu" } });
  const { id } = send(world, world.issue(), "ask", "Is it so?");
  await taskWhen(world, id, () => true, "that it is asked for");
  const { host } = world.loom.hosted;
  const sent: unknown[] = [];
  let handle = async (_job: Job): Promise<void> => {};
  const queue: JobQueue = {
    ...host.queue,
    enqueue: async (job, options) => void sent.push([job, options]),
    process(handler) {
      handle = (job) => handler(job, new AbortController().signal);
    },
  };
  const full: Host = {
    ...host,
    queue,
    slots: 1,
    repository: async () => ({ ...(await world.engine()), queue }),
  };
  await host.leases.acquire(`slot/${world.installation.id}/0`);
  startHostedWorker(full, { maxStages: 1, labels: ["gpu"] }).stop();
  // It comes once the labels are announced.
  await world.until(() => sent.length > 0, "the first sweep");
  sent.length = 0;
  const repo = repoId(world.repository.id);
  const task: Job = { kind: "task", repo, task: id };
  await handle(task);
  await handle({ kind: "stage", repo, run: "r-1", stage: "a", attempt: 1 });
  expect(sent).toEqual([
    [task, { delayMs: 2_000, label: "gpu" }],
    [{ kind: "advance", repo, run: "r-1" }, { delayMs: 2_000 }],
  ]);
});
