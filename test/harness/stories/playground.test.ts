import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { normalise } from "../../scenario/project.ts";
import {
  agentEnvironment,
  allTextIn,
  forStage,
  lastWords,
  MODEL_KEY,
  taskTextOf,
} from "../../support/agent-world.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";
import { processesWith } from "../../support/loom-cli.ts";
import { type ModelServer, startModelServer } from "../../support/model-server/start-model-server.ts";
import type { Step } from "../../support/model-server/step.ts";

let world: GitHubWorld | null = null;
let model: ModelServer | null = null;
afterEach(async () => {
  await world?.end();
  await model?.close();
  world = null;
  model = null;
});

const CLIS = ["claude", "codex", "gemini", "opencode"] as const;

/** Each works on what the one before it has left. */
const STAGES = CLIS.map((cli, at) => ({
  id: `by-${cli}`,
  name: `Count words by ${cli}`,
  description: "Write a script that counts words.",
  harness: cli,
  dependencies: at === 0 ? [] : [`by-${CLIS[at - 1]}`],
  acceptance: [`test 2 -eq $(echo a b | sh by-${cli}.sh)`],
}));

const leaves = (cli: string): string => `\`sh by-${cli}.sh\` reads standard input and prints the words`;

const work = (cli: string): readonly Step[] => [
  {
    say: "I look whether there is a library for it.",
    tools: [{ shell: "curl -sS --max-time 5 http://example.test/library" }],
  },
  { tools: [{ write: { path: `by-${cli}.sh`, text: "wc -w\n" } }], usage: { input: 4_321, output: 77 } },
  { say: lastWords(`I wrote \`by-${cli}.sh\`; there is no library.`, leaves(cli)) },
];

describe("an issue on GitHub, worked on by real agents", () => {
  it("becomes merged code, and people see what each agent said, used and was refused", async () => {
    model = await startModelServer({
      script: [],
      rules: CLIS.map((cli) => forStage(`by-${cli}`, work(cli))),
      keys: [MODEL_KEY],
    });
    world = await aGitHubWorld({
      config: { version: 1, merge: { mode: "auto" } },
      env: agentEnvironment("claude", model.url),
    });
    const issue = world.issue({ title: "Count words", body: planDocument(STAGES) });
    world.comment(issue, "/loom run");
    const plan = await world.planPull();
    world.label(plan.number, "loom: approve");
    const run = await world.run(({ status }) => status !== "running", "the end of the run");
    expect([...run.stages.values()].map(({ state, attempts }) => [state.kind, attempts])).toEqual(
      CLIS.map(() => ["completed", 1]),
    );
    for (const cli of CLIS) {
      expect(await world.file(`by-${cli}.sh`)).toBe("wc -w\n");
      expect((await world.stagePull(`by-${cli}`)).pull?.merged).toBe(true);
      const check = await world.until(
        () =>
          world?.repository.checkRuns.find(
            ({ name, summary, text }) =>
              name === `loom / by-${cli}` && summary?.includes("It is merged.") && text?.includes("### Used"),
          ),
        "the stage's check run",
      );
      const [shown, used] = (check.text ?? "").split("### Used\n\n");
      const neutral = `${check.title}\n\n${check.summary}\n${shown}`.replaceAll(cli, "<cli>");
      expect(normalise(neutral), cli).toMatchInlineSnapshot(`
        "The one check passed, merged

        \`by-<cli>\` Count words by <cli>, attempt 1 of run \`issue-1-0405197f\`. The plan is #2.

        It is merged.

        The one check passed.
        ✓ acceptance: \`test 2 -eq $(echo a b | sh by-<cli>.sh)\` — passed (exit 0, <span>)

        ### Hosts that were refused

        The sandbox let nothing through to these. If the work needs one, name it in the plan's \`sandbox.network\`; what is not public only Loom's operator can open. A request that follows the model's host was not sent to the model, and stays closed.

        - \`example.test\`

        ### What the agent says

        It proves nothing; the checks do.

        \`\`\`text
        I wrote \`by-<cli>.sh\`; there is no library.
        \`\`\`

        "
      `);
      expect(used).toMatch(new RegExp(`^- ${cli}/\\S+: 6321 tokens in, 177 out`));
    }

    // What a stage leaves for others reaches the agent of the next.
    const told = model.requests().map(taskTextOf);
    for (const [at, cli] of CLIS.entries()) {
      const next = CLIS[at + 1];
      if (next !== undefined)
        expect(told.find((text) => text.includes(`## Your stage: by-${next}\n`))).toContain(leaves(cli));
    }

    const { issues, checkRuns } = world.repository;
    const seen = JSON.stringify([[...issues.values()], checkRuns]);
    expect(seen).not.toContain(MODEL_KEY);
    await world.stopLoom();
    expect(allTextIn(join(world.folder, "data"))).not.toContain(MODEL_KEY);
    expect(processesWith(world.folder)).toEqual([]);
  });
});
