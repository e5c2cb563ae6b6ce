import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { normalise } from "../../scenario/project.ts";
import type { AgentCliId } from "../../setup/agent-clis.ts";
import {
  agentEnvironment,
  allTextIn,
  forStage,
  lastWords,
  MODEL_KEY,
  taskOf,
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

const FIRST: readonly Step[] = [
  {
    say: "I look whether there is a library for it.",
    tools: [{ shell: "curl -sS --max-time 5 http://example.test/library" }],
  },
  { tools: [{ write: { path: "count.sh", text: "wc -w\n" } }], usage: { input: 4_321, output: 77 } },
  {
    say: lastWords(
      "I wrote `count.sh`; there is no library.",
      "`sh count.sh` reads standard input and prints the words",
    ),
  },
];

const SECOND: readonly Step[] = [
  { tools: [{ write: { path: "HELP.md", text: "Pipe a text into `sh count.sh`.\n" } }] },
  { say: lastWords("I described it.") },
];

const STAGES = [
  {
    id: "count",
    name: "Count words",
    description: "Write a script that counts words.",
    acceptance: ["test 2 -eq $(echo a b | sh count.sh)"],
  },
  {
    id: "help",
    name: "Describe the counter",
    description: "Say how it is used.",
    dependencies: ["count"],
    acceptance: ["grep -q count.sh HELP.md"],
  },
];

describe("an issue on GitHub, worked on by a real agent", () => {
  it.each<AgentCliId>(["claude", "codex", "gemini", "opencode"])(
    "becomes merged code, and people see what the agent said, used and was refused: %s",
    async (harness) => {
      model = await startModelServer({
        script: [],
        rules: [forStage("count", FIRST), forStage("help", SECOND)],
        keys: [MODEL_KEY],
      });
      world = await aGitHubWorld({
        config: { version: 1, merge: { mode: "auto" } },
        env: agentEnvironment(harness, model.url),
      });
      const issue = world.issue({ title: "Count words", body: planDocument(STAGES) });
      world.comment(issue, "/loom run");
      const plan = await world.planPull();
      world.label(plan.number, "loom: approve");
      const run = await world.run(({ status }) => status !== "running", "the end of the run");
      expect([...run.stages.values()].map(({ state, attempts }) => [state.kind, attempts])).toEqual([
        ["completed", 1],
        ["completed", 1],
      ]);
      expect(await world.file("count.sh")).toBe("wc -w\n");
      expect(await world.file("HELP.md")).toContain("Pipe a text");
      const pull = await world.stagePull("count");
      expect(pull.pull?.merged).toBe(true);

      const check = await world.until(
        () =>
          world?.repository.checkRuns.find(
            ({ name, summary, text }) =>
              name === "loom / count" && summary?.includes("It is merged.") && text?.includes("### Used"),
          ),
        "the stage's check run",
      );
      const [shown, used] = (check.text ?? "").split("### Used\n\n");
      expect(normalise(`${check.title}\n\n${check.summary}\n${shown}`)).toMatchInlineSnapshot(`
        "The one check passed, merged

        \`count\` Count words, attempt 1 of run \`issue-1-daab2b1b\`. The plan is #2.

        It is merged.

        The one check passed.
        ✓ acceptance: \`test 2 -eq $(echo a b | sh count.sh)\` — passed (exit 0, <span>)

        ### Hosts that were refused

        The sandbox let nothing through to these. If the work needs one, name it in the plan's \`sandbox.network\`; what is not public only Loom's operator can open. A request that follows the model's host was not sent to the model, and stays closed.

        - \`example.test\`

        ### What the agent says

        It proves nothing; the checks do.

        \`\`\`text
        I wrote \`count.sh\`; there is no library.
        \`\`\`

        "
      `);
      expect(used).toMatch(new RegExp(`^- ${harness}/\\S+: 6321 tokens in, 177 out`));

      // What the first stage leaves for others reaches the agent of the second.
      const told = model
        .requests()
        .map(taskOf)
        .find((text) => text.includes("## Your stage: help\n"));
      expect(told).toContain("`sh count.sh` reads standard input and prints the words");

      const { issues, checkRuns } = world.repository;
      const seen = JSON.stringify([[...issues.values()], checkRuns]);
      expect(seen).not.toContain(MODEL_KEY);
      await world.stopLoom();
      expect(allTextIn(join(world.folder, "data"))).not.toContain(MODEL_KEY);
      expect(processesWith(world.folder)).toEqual([]);
    },
  );
});
