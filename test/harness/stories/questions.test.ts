import { describe, expect, it } from "vitest";
import { leftovers, NOTHING_LEFT, normalise } from "../../scenario/project.ts";
import { anAgentProject, forStage, lastWords, TOLD } from "../../support/agent-world.ts";
import { ending } from "../../support/loom-cli.ts";
import type { Step } from "../../support/model-server/step.ts";

const done: Step = { say: lastWords("Done.") };

/** An agent that tries to write by redirection, and falls back to its tool when that is denied. */
const redirects = (stage: string): readonly Step[] => [
  { tools: [{ shell: `echo by-shell > ${stage}.txt` }] },
  ({ toolResults }) =>
    toolResults.some(({ text }) => text.includes("Loom did not run"))
      ? [{ tools: [{ write: { path: `${stage}.txt`, text: "by-tool\n" } }] }, done]
      : done,
];

describe("an agent that needs a person", () => {
  it("waits for the answer, whether it asks itself or its command does, and goes on with it", async () => {
    const project = await anAgentProject({
      stages: [
        { id: "pick" },
        { id: "allowed" },
        { id: "refused" },
        { id: "allowed-codex", harness: "codex" },
      ],
      rules: [
        forStage(
          "pick",
          [{ tools: [{ write: { path: "pick.txt", text: "blue\n" } }] }, done],
          TOLD.answers,
          "Answer: The blue one",
        ),
        forStage("pick", [
          { say: "I begin.", tools: [{ write: { path: "half.txt", text: "half\n" } }] },
          { say: "I can't know that.\n\n## Question\n\nThe blue one or the red one?" },
        ]),
        ...["allowed", "refused", "allowed-codex"].map((stage) => forStage(stage, redirects(stage))),
      ],
    });
    const asked = await project.loom("run", "PLAN.md");
    expect(asked).toMatchObject({ code: 1, stderr: "" });
    expect(normalise(asked.stdout.slice(asked.stdout.indexOf("\n\n")), project)).toMatchInlineSnapshot(`
      "

      Run plan-<hash> waits for your answer: 0 of 4 stages merged into main so far.

      Waiting for your answer
        pick asks: The blue one or the red one?
          Answer with \`loom answer plan-<hash> pick "…"\`.
        allowed asks: May the agent run \`echo by-shell > allowed.txt\`? Redirection can overwrite a file without a word. Answer yes to allow it, or say what to do instead.
          Answer with \`loom answer plan-<hash> allowed "…"\`.
        refused asks: May the agent run \`echo by-shell > refused.txt\`? Redirection can overwrite a file without a word. Answer yes to allow it, or say what to do instead.
          Answer with \`loom answer plan-<hash> refused "…"\`.
        allowed-codex asks: May the agent run \`echo by-shell > allowed-codex.txt\`? Redirection can overwrite a file without a word. Answer yes to allow it, or say what to do instead.
          Answer with \`loom answer plan-<hash> allowed-codex "…"\`.

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);

    const yes = await project.ask("answer", "plan", "allowed", "yes", "--json");
    const no = await project.ask("answer", "plan", "refused", "Use your own tool for that", "--json");
    const codex = await project.ask("answer", "plan", "allowed-codex", "Yes, go on.", "--json");
    const blue = await project.loom("answer", "plan", "pick", "The blue one", "--json");
    expect([yes, no, codex, blue].map(({ stderr }) => stderr).join("")).toBe("");
    expect(ending(blue)).toMatchObject({
      status: "completed",
      stages: {
        // Waiting for a person is no failure.
        pick: { state: "completed", attempts: 1 },
        allowed: { state: "completed", attempts: 1 },
        refused: { state: "completed", attempts: 1 },
        "allowed-codex": { state: "completed", attempts: 1 },
      },
    });
    expect(project.read("pick.txt")).toBe("blue\n");
    expect(project.read("half.txt")).toBe("half\n");
    expect(project.read("allowed.txt")).toBe("by-shell\n");
    expect(project.read("allowed-codex.txt")).toBe("by-shell\n");
    expect(project.read("refused.txt")).toBe("by-tool\n");
    const told = project.turns().flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    expect(told.find((text) => text.includes("A person was asked"))).toContain("Use your own tool for that");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});
