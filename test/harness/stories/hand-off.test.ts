import { describe, expect, it } from "vitest";
import { leftovers, NOTHING_LEFT, normalise } from "../../scenario/project.ts";
import { ASKED, anAgentProject, forStage, lastWords, TOLD, whenAsked } from "../../support/agent-world.ts";
import { ending, type Line } from "../../support/loom-cli.ts";
import type { SeenRequest } from "../../support/model-server/seen-request.ts";
import type { Step } from "../../support/model-server/step.ts";

/** Above 65 % of what the CLI takes for the model's window, and below what would make it shorten the conversation. */
const NEARLY_FULL: Partial<Record<SeenRequest["protocol"], number>> = {
  anthropic: 700_000,
  responses: 200_000,
};

/** A session that does half of the work, has no room left then, and hears nothing more from its model. */
const HALF: readonly Step[] = [
  { say: "I begin.", tools: [{ write: { path: "half.txt", text: "one\n" } }] },
  ({ protocol }) => ({
    say: "I look around.",
    tools: [{ shell: "ls" }],
    usage: { input: NEARLY_FULL[protocol] ?? 0, output: 10 },
  }),
  { hang: true },
];

const DOCUMENT = `---
version: 2
session_id: "made-up"
stage_id: "made-up"
context_percent: 3
completed_tasks:
  - description: "The first half is written"
    files: ["half.txt"]
key_decisions:
  - decision: "Plain text"
    rationale: "JSON was too much"
remaining:
  - "Write the other half"
---

The moon file is the tricky one.
`;

const OTHER_HALF: readonly Step[] = [
  { tools: [{ write: { path: "other.txt", text: "two\n" } }] },
  { say: lastWords("Both halves are there.") },
];

/** Everything that a stage's hand-offs said, in their order. */
function handOffs(lines: readonly Line[], stage: string): Line[] {
  return lines.filter((line) => line.type === "handed-off" && line.stage === stage);
}

describe("a session that runs out of context", () => {
  // That each CLI is heard when it is nearly full, and can be gone on with then, is shown in `sessions/ending.test.ts`.
  it("is asked for a hand-off document, and the next one starts from it", async () => {
    const project = await anAgentProject({
      harness: "codex",
      stages: [{ id: "long", acceptance: ["test -f half.txt", "test -f other.txt"] }],
      script: HALF,
      rules: [
        ...whenAsked(ASKED.handOff, () => ({ say: DOCUMENT })),
        forStage("long", OTHER_HALF, TOLD.handOff),
      ],
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.stderr).toBe("");
    // It is still the first attempt: to run out of room is no failure.
    expect(ending(result)).toMatchObject({ status: "completed", stages: { long: { attempts: 1 } } });
    const sessions = result.lines.filter((line) => line.type === "session-ended");
    expect(sessions.map(({ state }) => state)).toEqual(["context-exhausted", "completed", "completed"]);
    const [handOff] = handOffs(result.lines, "long");
    expect(handOff).toMatchObject({ by: "agent", session: sessions[0]?.session });
    // What it says about itself counts for nothing; what it says about the work is all there.
    expect(handOff?.document).toContain(`session_id: ${handOff?.session}`);
    expect(handOff?.document).not.toContain("made-up");
    const [, second] = project.prompts();
    expect(second).toContain("The session before you wrote this, for you:");
    expect(second).toContain("Write the other half");
    expect(second).toContain("The moon file is the tricky one.");
    expect(second).toContain("+++ b/half.txt");
    const asked = project.model.requests().find(({ news }) => news.includes(ASKED.handOff));
    // In the same conversation, so that it knows what it did.
    expect(asked?.turns).toBeGreaterThanOrEqual(2);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("is handed on by Loom where the agent can't be asked, and fails loudly when it never fits", async () => {
    const overflow = { error: { status: 400, type: "context" } } as const;
    const look: Step = { tools: [{ shell: "ls -a" }] };
    const write = (stage: string): Step => ({ tools: [{ write: { path: `${stage}.txt`, text: "x\n" } }] });
    const done: Step = { say: lastWords("Done.") };
    const project = await anAgentProject({
      stages: ["unheard", "overflown", "endless", "giant"].map((id) => ({ id })),
      env: { LOOM_MAX_CONCURRENT: "2" },
      rules: [
        ...whenAsked(ASKED.handOff, [{ error: { status: 400, message: "the conversation is broken" } }]),
        forStage("unheard", [write("unheard"), done], TOLD.handOff),
        forStage("unheard", HALF),
        forStage("overflown", [write("overflown"), done], TOLD.handOff),
        forStage("overflown", [{ say: "I look around.", ...look }, overflow]),
        forStage("endless", [write("endless"), overflow]),
        forStage("giant", [overflow]),
      ],
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 1, stderr: "" });
    expect(ending(result).stages).toMatchObject({
      unheard: { state: "completed", attempts: 1 },
      overflown: { state: "completed", attempts: 1 },
      endless: { state: "blocked", attempts: 1 },
      giant: { state: "blocked", attempts: 1 },
    });
    expect(handOffs(result.lines, "unheard").map(({ by }) => by)).toEqual(["loom"]);
    const [written] = handOffs(result.lines, "overflown");
    expect(
      normalise(String(written?.document)).replaceAll(String(written?.session), "<session>"),
    ).toMatchInlineSnapshot(`
      "---
      version: 2
      session_id: <session>
      stage_id: overflown
      context_percent: 100
      written_by: loom
      completed_tasks: []
      key_decisions: []
      remaining:
        - Compare what is in the work tree with the stage, then finish it.
      ---

      Loom wrote this: the session before could not be asked for it. It is what the session did, not what it thought.

      Its steps:

      \`\`\`text
      said: I look around.
      ran: Bash ls -a
      \`\`\`

      Its last words:

      \`\`\`text
      I look around.
      \`\`\`
      "
    `);
    const told = project
      .prompts()
      .find((text) => text.includes("## Your stage: overflown\n") && text.includes(TOLD.handOff));
    expect(told).toContain("Loom wrote this from what the session before you did:");

    expect(handOffs(result.lines, "endless")).toHaveLength(5);
    const blocked = result.lines.filter((line) => line.type === "stage-blocked");
    expect(blocked.map(({ stage, failure }) => [stage, failure]).sort()).toMatchInlineSnapshot(`
      [
        [
          "endless",
          {
            "evidence": "Prompt is too long",
            "kind": "context-overflow",
            "message": "The stage used up 65 % of the model's context 6 times and is not done. Split it into smaller stages.",
          },
        ],
        [
          "giant",
          {
            "evidence": "Prompt is too long",
            "kind": "context-overflow",
            "message": "The stage does not fit into the model's context. Split it into smaller stages.",
          },
        ],
      ]
    `);
    // What it had done is not lost to whoever splits the stage.
    expect(result.lines.some((line) => line.type === "work-kept" && line.stage === "endless")).toBe(true);
    const { stdout } = await project.ask("status", "plan");
    expect(normalise(stdout, project)).toMatchInlineSnapshot(`
      "plan-<hash>  into main with claude  blocked <span>
      ━━━━━━━━━━━━━━━───────────────  50%  2/4 done · 2 blocked

         lvl  stage      state                merged   elapsed  now
      ✓    1  unheard    merged               <sha> <span>
      ✓    1  overflown  merged               <sha> <span>
      ✗    1  endless    blocked <span>  The stage used up 65 % of the model's context 6 times and is …
      ✗    1  giant      blocked <span>  The stage does not fit into the model's context. Split it int…

        endless: The stage used up 65 % of the model's context 6 times and is not done. Split it into smaller stages.
          Split the stage in the plan and run that, or let a model with a larger context do it.
          \`loom logs plan-<hash> endless\` shows how far it came.
        giant: The stage does not fit into the model's context. Split it into smaller stages.
          Split the stage in the plan and run that, or let a model with a larger context do it.
          \`loom logs plan-<hash> giant\` shows how far it came.
      "
    `);
  });
});
