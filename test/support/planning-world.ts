import { afterAll, beforeAll } from "vitest";
import { aGitHubWorld, type GitHubWorld } from "./github-world.ts";
import { answers, draftStage, planAnswer } from "./planning-talk.ts";

export const SCRIPTED = { version: 1, harness: "scripted" };
export const COUNT = planAnswer([draftStage("count")]);

/** One world for all tests of a block: each has an issue of its own. */
export function sharedWorld(options: Parameters<typeof aGitHubWorld>[0] = {}): () => GitHubWorld {
  let world: GitHubWorld | null = null;
  beforeAll(async () => {
    world = await aGitHubWorld({ config: SCRIPTED, tasks: { begin: answers(COUNT) }, ...options });
  });
  afterAll(() => world?.end());
  return () => {
    if (!world) throw new Error("there is no world yet");
    return world;
  };
}
