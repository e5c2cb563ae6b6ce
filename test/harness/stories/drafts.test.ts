import { afterEach, describe, expect, it } from "vitest";
import type { Errand } from "../../../src/core/errand/errand.ts";
import type { AgentCliId } from "../../setup/agent-clis.ts";
import { agentEnvironment, MODEL_KEY, taskOf, whenAsked, whenTold } from "../../support/agent-world.ts";
import { MISTAKES, PLANS_BY_TASK, SOUND } from "../../support/drafts.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { type ModelServer, startModelServer } from "../../support/model-server/start-model-server.ts";
import { errandOf } from "../../support/planning-talk.ts";

/** The same drafts as with the scripted agent, said by a model to CLIs that are quick to start. */

let world: GitHubWorld | null = null;
let model: ModelServer | null = null;
afterEach(async () => {
  await world?.end();
  await model?.close();
  world = null;
  model = null;
});

const wishFor = (task: string): string => `The task is ${task}.`;

async function aWorld(harness: AgentCliId, drafts: Readonly<Record<string, string>>): Promise<GitHubWorld> {
  model = await startModelServer({
    script: [],
    rules: [
      ...whenAsked("Loom could not take this", [{ say: SOUND }, { say: SOUND }]),
      whenTold(["## Your last draft"], [{ say: SOUND }]),
      ...Object.entries(drafts).map(([task, draft]) => whenTold([wishFor(task)], [{ say: draft }])),
    ],
    keys: [MODEL_KEY],
  });
  world = await aGitHubWorld({
    config: { version: 1, protected_paths: ["infra"], agents: { disabled: ["tester", "refactor"] } },
    env: agentEnvironment(harness, model.url),
  });
  return world;
}

async function planned(one: GitHubWorld, task: string): Promise<Errand> {
  const issue = one.issue({ title: task, body: wishFor(task) });
  one.comment(issue, "/loom run");
  return errandOf(one, issue);
}

describe("drafts of a real agent", () => {
  it("become plans, whatever the task is: claude", async () => {
    const { "tests only": _byTester, ...tasks } = PLANS_BY_TASK;
    const one = await aWorld("claude", tasks);
    for (const task of Object.keys(tasks)) {
      const { outcome, drafts } = await planned(one, task);
      expect([task, outcome?.kind, drafts.map(({ problems }) => problems)]).toEqual([task, "planned", [[]]]);
    }
  });

  it("go back when they do not hold, as a numbered list in the same conversation: codex", async () => {
    const one = await aWorld("codex", MISTAKES);
    for (const mistake of Object.keys(MISTAKES)) {
      const { outcome, drafts } = await planned(one, mistake);
      const [first, second, ...more] = drafts;
      expect([mistake, outcome?.kind, second?.problems, more]).toEqual([mistake, "planned", [], []]);
      const list = (first?.problems ?? []).map((problem, index) => `${index + 1}. ${problem}`).join("\n");
      const again = model
        ?.requests()
        .findLast((request) => request.news.includes(list) && taskOf(request).includes(wishFor(mistake)));
      expect([mistake, list !== "", again && again.turns > 0]).toEqual([mistake, true, true]);
    }
  });
});
