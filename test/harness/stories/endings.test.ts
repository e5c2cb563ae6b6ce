import { describe, expect, it } from "vitest";
import { leftovers, NOTHING_LEFT, normalise } from "../../scenario/project.ts";
import { ASKED, anAgentProject, forStage, lastWords, TOLD, whenAsked } from "../../support/agent-world.ts";
import { ending, type Finished, type Line } from "../../support/loom-cli.ts";
import type { Step } from "../../support/model-server/step.ts";
import { planText } from "../../support/plan-text.ts";

const done: Step = { say: lastWords("Done.") };
const write = (path: string, text = "x\n"): Step => ({ tools: [{ write: { path, text } }] });

/** Whoever starts an agent here would run this, if the agent were to read it. */
const HOOK = JSON.stringify({
  hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch hooked.txt" }] }] },
});
const PLANTED = ".claude/settings.json";

const events = ({ lines }: Finished, type: string, stage: string): Line[] =>
  lines.filter((line) => line.type === type && line.stage === stage);

describe("a session that ends in its own way", () => {
  it("is let through with a warning, cut, judged by its work or robbed of what it planted", async () => {
    const project = await anAgentProject({
      stages: [
        // It falls silent for good.
        { id: "silent", no_progress_secs: 12, acceptance: ["test -f silent.txt"] },
        { id: "mute" },
        { id: "loud", acceptance: ["seq 20000"] },
        { id: "planter" },
        { id: "sower" },
        { id: "probe", stage_type: "investigate" },
      ],
      rules: [
        ...whenAsked(ASKED.report, () => ({ say: "There is nothing to add." })),
        ...whenAsked(ASKED.handOff, () => ({ say: "The seed is in the ground." })),
        forStage("silent", [write("silent.txt"), { hang: true }]),
        forStage("mute", [write("mute.txt"), { say: "I am done." }]),
        forStage("loud", [
          { tools: [{ write: { path: "loud.txt", text: "x\n" } }, { shell: "seq 15000" }] },
          { say: lastWords("No end. ".repeat(9_000)) },
        ]),
        forStage("planter", [write("planter.txt"), done], TOLD.failure),
        forStage("planter", [write(PLANTED, HOOK), done]),
        forStage("sower", [{ tools: [{ shell: "ls -a" }] }, write("sower.txt"), done], TOLD.handOff),
        forStage("sower", [
          write(PLANTED, HOOK),
          () => ({ tools: [{ shell: "ls" }], usage: { input: 700_000, output: 1 } }),
        ]),
        forStage("probe", [{ say: lastWords("The pump leaks at the second valve.") }]),
      ],
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.stderr).toBe("");
    expect(ending(result)).toMatchObject({ status: "completed" });

    // Asked once more, then let through.
    expect(project.model.requests().filter(({ news }) => news.includes(ASKED.report))).toHaveLength(1);
    expect(events(result, "attempt-warned", "mute").map(({ text }) => text)).toMatchInlineSnapshot(`
      [
        "The agent ended without "Task Report" and "Downstream Context", also when it was asked again.",
      ]
    `);

    // Work that a silent session left counts when it passes.
    expect(events(result, "attempt-committed", "silent")[0]).toMatchObject({ stalled: true });

    // Whatever it says is cut, and what was cut is counted (F30).
    const [report] = events(result, "report-received", "loud");
    expect(String(report?.text).length).toBeLessThan(8_200);
    const verified = JSON.stringify(events(result, "attempt-verified", "loud")[0]?.verdict);
    expect(Number(/"cutBytes":(\d+)/.exec(verified)?.[1])).toBeGreaterThan(70_000);

    // What configures agents is refused, and gone before the next session (T8).
    expect(events(result, "attempt-failed", "planter")[0]?.failure).toMatchObject({
      kind: "refused",
      message: expect.stringContaining(PLANTED),
    });
    expect(events(result, "attempt-committed", "planter")[0]).toMatchObject({ files: ["planter.txt"] });
    expect(events(result, "attempt-committed", "sower")[0]).toMatchObject({
      attempt: 1,
      files: ["sower.txt"],
    });
    expect((await project.ask("logs", "plan", "sower")).stdout).toContain(
      "put back to the base, for it configures agents: .claude",
    );
    const listed = project.turns().flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    expect(listed.join("\n")).not.toContain("hooked.txt");

    // A diagnosis is for people.
    const { run } = ending(result);
    expect(normalise(project.read(`.loom/${run}/reports/probe.md`))).toMatchInlineSnapshot(`
      "# probe

      - State: merged
      - Attempts: 1
      - Took: <span>
      - Merged: <sha> into main
      - Used: 1000 tokens in, 50 out, 0.01 USD

      ## Diagnosis

      \`\`\`text
      The pump leaks at the second valve.
      \`\`\`

      ## Verdict

      - ✓ \`checks\`: the plan names no check for this stage
      "
    `);

    // Without a small model nobody but the agent is asked, and the stage's name is the subject.
    expect(new Set(project.model.requests().map(({ model }) => model)).size).toBe(1);
    expect(project.git("log", "--format=%s", "--grep=Loom-Stage: mute")).toBe("mute");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });

  it("has to keep the contract where it is enforced, and a small model finds the words for it", async () => {
    const block = "```loom-completion\nstatus: complete\nsummary: All of it.\n```";
    const stages = [
      { id: "exact", name: "Be exact" },
      { id: "vague", retries: 0 },
      { id: "idle", retries: 0 },
    ];
    const asksFor = (text: RegExp, say: string) => ({
      of: "asides" as const,
      when: ({ model, lastUserText }: { model: string | null; lastUserText: string }) =>
        model === "small-model" && text.test(lastUserText),
      script: () => ({ say }),
    });
    const project = await anAgentProject({
      stages,
      files: { "PLAN.md": planText(stages).replace(/^# .*\n/, "") },
      env: { LOOM_CONTRACT: "enforce", LOOM_CLAUDE_SMALL_MODEL: "small-model", LOOM_MAX_CONCURRENT: "2" },
      rules: [
        asksFor(/Files: exact\.txt/, 'Subject: "Say exactly what is meant."'),
        asksFor(/- Be exact/, "Exactness for everybody"),
        {
          when: ({ news, userTexts }) =>
            news.includes(ASKED.completion) && userTexts.join("").includes("## Your stage: exact\n"),
          script: () => ({ say: block }),
        },
        ...whenAsked(ASKED.completion, () => ({ say: "I said that I am done." })),
        forStage("exact", [write("exact.txt"), done]),
        forStage("vague", [write("vague.txt"), done]),
        forStage("idle", [{ say: `${lastWords("Nothing was to be done.")}\n\n${block}` }]),
      ],
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 1, stderr: "" });
    expect(ending(result).stages).toMatchObject({
      exact: { state: "completed", attempts: 1 },
      vague: { state: "blocked" },
      idle: { state: "blocked" },
    });
    const blocked = result.lines.filter(({ type }) => type === "stage-blocked");
    expect(blocked.map(({ stage, failure }) => [stage, failure]).sort()).toMatchInlineSnapshot(`
      [
        [
          "idle",
          {
            "evidence": null,
            "kind": "no-change",
            "message": "The agent ended without an error but changed nothing.",
          },
        ],
        [
          "vague",
          {
            "evidence": null,
            "kind": "contract-unmet",
            "message": "The agent did not end in the agreed form: there is no \`loom-completion\` block.",
          },
        ],
      ]
    `);
    // Asked twice more, not for ever.
    const again = events(result, "session-started", "vague");
    expect(again).toHaveLength(3);
    expect(project.git("log", "-1", "--format=%B", "main")).toMatch(
      /^Say exactly what is meant\n\nBe exact\n/,
    );
    expect(result.lines.find(({ type }) => type === "run-named")?.name).toBe("Exactness for everybody");
    expect(JSON.parse((await project.ask("status", "--json")).stdout)).toMatchObject({
      name: "Exactness for everybody",
      stages: { exact: { usageBy: { "claude/small-model": { inputTokens: expect.any(Number) } } } },
    });
  });
});
