import { describe, expect, it } from "vitest";
import { ending } from "../support/loom-cli.ts";
import { leftovers, makeProject, NOTHING_LEFT, normalise } from "./project.ts";

describe("an agent that asks", () => {
  it("pauses its stage until a person answers, and goes on with the answer and its earlier work", async () => {
    const project = makeProject({
      stages: [{ id: "pick" }, { id: "apart" }, { id: "behind", dependencies: ["pick"] }],
      agent: `
        [ "$LOOM_STAGE_ID" = pick ] || { echo x > "$LOOM_STAGE_ID.txt"; exit; }
        cp "$LOOM_PROMPT" "$NOTES/prompt"
        grep -q 'Answer: The blue one' "$LOOM_PROMPT" && { cat half.txt > pick.txt; rm half.txt; exit; }
        echo half > half.txt
        echo '{"type":"usage","input_tokens":70,"output_tokens":7,"cost_usd":0.25}'
        echo '{"type":"ask","question":"The blue one or the red one?"}'`,
    });
    const asked = await project.loom("run", "PLAN.md");
    expect(asked).toMatchObject({ code: 1, stderr: "" });
    expect(project.mergedStages()).toEqual(["apart"]);
    expect(normalise(asked.stdout.slice(asked.stdout.indexOf("\n\n")), project)).toMatchInlineSnapshot(`
      "

      Run plan-<hash> waits for your answer: 1 of 3 stages merged into main so far.

      Merged, in this order
        1  <sha>  apart  1 attempt <span>

      Waiting for your answer
        pick asks: The blue one or the red one?
          Answer with \`loom answer plan-<hash> pick "…"\`.

      Where to look
        git log main               one commit per stage
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);

    const answered = await project.loom("answer", "plan", "pick", "The blue one", "--json");
    expect(answered).toMatchObject({ code: 0, stderr: "" });
    expect(ending(answered)).toMatchObject({
      status: "completed",
      // Waiting for an answer is no failure: it is still the first attempt.
      stages: { pick: { state: "completed", attempts: 1 }, behind: { state: "completed" } },
    });
    expect(project.note("prompt")).toContain("Question: The blue one or the red one?");
    expect(project.read("pick.txt")).toBe("half\n");
    expect(leftovers(project)).toEqual(NOTHING_LEFT);

    const late = await project.ask("answer", "plan", "pick", "The red one");
    expect(late.code).toBe(1);
    expect(normalise(late.stderr)).toMatchInlineSnapshot(`
      "loom: The run plan-<hash> is completed.
      "
    `);
  });
});

describe("an agent that can't be used", () => {
  it("is found before anything is started, with what to do about it", async () => {
    const project = makeProject({ stages: [{ id: "only", harness: "clippy" }] });
    const none = project.with({ agent: undefined });
    const missing = project.with({ agent: undefined, env: { LOOM_COMMAND_BIN: "no-such-agent" } });
    project.write({ "agent.sh": "#!/bin/sh\n" });
    const locked = project.with({ agent: undefined, env: { LOOM_COMMAND_BIN: "./agent.sh" } });
    const nowhere = project.with({ env: { LOOM_TREES: "README.md/trees" } });
    const before = project.git("for-each-ref");
    const answers = [
      await none.ask("run", "PLAN.md"),
      await none.ask("run", "PLAN.md", "--harness", "command", "--into", "new"),
      await missing.ask("run", "PLAN.md", "--harness", "command"),
      await locked.ask("run", "PLAN.md", "--harness", "command"),
      await project.ask("run", "PLAN.md"),
      await project.ask("run", "PLAN.md", "--harness", "clipy"),
      await nowhere.ask("run", "PLAN.md", "--harness", "command"),
    ];
    expect(answers.map(({ stdout }) => stdout).join("")).toBe("");
    expect(answers.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 1]);
    expect(normalise(answers.map(({ stderr }) => stderr).join(""), project)).toMatchInlineSnapshot(`
      "loom: No agent is chosen.
            Set LOOM_HARNESS to claude, codex, gemini or opencode; or LOOM_COMMAND_BIN to a program that works in the current folder and reads its task from standard input, or LOOM_SCRIPT to a script for the scripted agent (\`npm run demo\` shows one).
      loom: The agent command can't be used: LOOM_COMMAND_BIN is not set.
            Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.
      loom: The agent command can't be used: LOOM_COMMAND_BIN: no-such-agent was not found on PATH.
            Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.
      loom: The agent command can't be used: LOOM_COMMAND_BIN: /tmp/x/repo/agent.sh is not executable.
            Run chmod +x /tmp/x/repo/agent.sh.
      loom: There is no agent called clippy.
            Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one.
      loom: There is no agent called clipy.
            Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one.
      loom: Work trees can't stand in /tmp/x/repo/README.md/trees: /tmp/x/repo/README.md is not a folder.
            Set LOOM_TREES to a folder that you may write to.
      "
    `);
    expect(project.git("for-each-ref")).toBe(before);
    expect((await project.ask("runs")).stdout).toContain("No runs yet");
  });

  it("is missed when a run goes on in a shell that does not know it", async () => {
    const project = makeProject({ stages: [{ id: "only", retries: 0 }], agent: "exit 1" });
    expect((await project.ask("run", "PLAN.md")).code).toBe(1);
    const elsewhere = project.with({ agent: undefined });
    for (const args of [["run", "PLAN.md"], ["resume"], ["retry", "plan", "only"]]) {
      const { code, stderr } = await elsewhere.ask(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining("LOOM_COMMAND_BIN is not set")]);
    }
  });
});

describe("an agent that touches what it may not", () => {
  it("is refused with the path, and gets through once it leaves it alone", async () => {
    const forbidden: Record<string, string> = {
      settings: ".claude/settings.json",
      workflow: ".github/workflows/x.yml",
      plan: "PLAN.md",
    };
    const project = makeProject({
      stages: Object.keys(forbidden).map((id) => ({ id })),
      agent: `
        cp "$LOOM_PROMPT" "$NOTES/prompt-$LOOM_STAGE_ID-$LOOM_ATTEMPT"
        echo x > "$LOOM_STAGE_ID.txt"
        [ "$LOOM_ATTEMPT" = 1 ] || exit 0
        case "$LOOM_STAGE_ID" in
          ${Object.entries(forbidden)
            .map(([id, path]) => `${id}) mkdir -p "$(dirname ${path})"; echo evil >> ${path} ;;`)
            .join("\n")}
        esac`,
    });
    const plan = project.read("PLAN.md");
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    for (const [stage, path] of Object.entries(forbidden)) {
      const failed = result.lines.find((line) => line.type === "attempt-failed" && line.stage === stage);
      expect(failed).toMatchObject({ failure: { kind: "refused", message: expect.stringContaining(path) } });
      expect(project.note(`prompt-${stage}-2`)).toContain(`\`${path}\` is protected`);
      // What it had done besides is still there.
      expect(project.note(`prompt-${stage}-2`)).toContain(`+++ b/${stage}.txt`);
    }
    expect(project.mergedStages().sort()).toEqual(["plan", "settings", "workflow"]);
    expect(project.has(".claude")).toBe(false);
    expect(project.has(".github")).toBe(false);
    expect(project.read("PLAN.md")).toBe(plan);
  });
});

describe("what an agent reports", () => {
  it("adds up over its sessions and stands in the status", async () => {
    const project = makeProject({
      stages: [{ id: "only", acceptance: ["grep -q 2 only.txt"] }],
      agent: `
        echo '{"type":"usage","input_tokens":100,"output_tokens":10}'
        echo '{"type":"usage","input_tokens":20,"output_tokens":2,"cost_usd":0.5}'
        echo "$LOOM_ATTEMPT" > only.txt`,
    });
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(ending(result).stages.only?.attempts).toBe(2);
    const { stdout } = await project.ask("status", "--json");
    expect(JSON.parse(stdout).stages.only.usage).toEqual({ inputTokens: 240, outputTokens: 24, costUsd: 1 });
  });
});
