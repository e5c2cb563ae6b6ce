import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type AgentProfile, isReadOnly } from "../../../src/core/plan/agent-profile.ts";
import {
  buildPrompt,
  PROMPT_BUDGET_TOKENS,
  type Prompt,
  type PromptContext,
  type PromptKind,
} from "../../../src/core/prompt/build-prompt.ts";
import { skillsFor } from "../../../src/core/prompt/skills-for.ts";
import { SKILL_NAMES, type Skill } from "../../../src/core/roster/roster.ts";
import { stageOf } from "../../../src/core/run/run.ts";
import { loadRoster } from "../../../src/wiring/load-roster.ts";
import { loadPromptTexts } from "../../../src/wiring/prompt-texts.ts";
import { aRun, failure } from "../../support/a-run.ts";
import type { StageFields } from "../../support/plan-text.ts";

const TEXTS = loadPromptTexts();
const ROSTER = loadRoster();
const FRESH: PromptContext = { kind: "stage", changedSoFar: null, conflict: null, handOff: null };
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const all = (names: Iterable<(typeof SKILL_NAMES)[number]>): Skill[] =>
  [...names].flatMap((name) => ROSTER.skills.get(name) ?? []);

function promptFor(
  agent: AgentProfile | null,
  fields: Partial<StageFields> = {},
  kind: PromptKind = "stage",
): Prompt {
  const { run } = aRun([{ id: "one", name: "Do one thing", acceptance: ["npm test"], ...fields }]).starts(
    "one",
  );
  const skills = all(skillsFor(stageOf(run, "one").plan, kind, agent));
  return buildPrompt(TEXTS, run, "one", { ...FRESH, kind, agent, skills }, hash);
}

function agent(name: string): AgentProfile {
  const profile = ROSTER.agents.get(name);
  if (!profile) throw new Error(`no agent ${name}`);
  return profile;
}

describe("a signal for an agent of the roster", () => {
  it("holds its method between the rules of the stage and those of every session, and its skills in the task", async () => {
    await expect(promptFor(agent("coder")).text).toMatchFileSnapshot("./prompts/coder.md");
  });

  it("tells a reviewer that it only reads", async () => {
    const prompt = promptFor(agent("code-reviewer"), { stage_type: "code-review", acceptance: [] });
    await expect(prompt.text).toMatchFileSnapshot("./prompts/code-reviewer.md");
  });

  it("tells one that designs that its report is the work", async () => {
    const prompt = promptFor(agent("architect"), { allow_no_change: true, acceptance: [] });
    await expect(prompt.text).toMatchFileSnapshot("./prompts/architect.md");
  });

  it("never tells one that can't change files to change some, nor that its files are what counts", () => {
    const kinds = ["stage", "retry", "recovery", "hand-off"] as const;
    const types = ["standard", "code-review", "integration-verify", "investigate"] as const;
    const orders = new Set<string>();
    for (const profile of [...ROSTER.agents.values()].filter(isReadOnly))
      for (const kind of kinds)
        for (const stage_type of types) {
          const { rules, task } = promptFor(profile, { stage_type, allow_no_change: true }, kind);
          const own = rules.slice(0, rules.indexOf("## Your part"));
          expect(own).not.toContain("the files you leave");
          expect(own).not.toMatch(/^- Fix/m);
          const now = task.slice(task.lastIndexOf("## Now"));
          orders.add(`${kind}, ${stage_type}: ${/^.*(?= Stage: one)/m.exec(now)?.[0]}`);
        }
    expect([...orders]).toMatchInlineSnapshot(`
      [
        "stage, standard: Work this out and report it; change nothing.",
        "stage, code-review: Review what earlier stages did, and report what you find; change nothing.",
        "stage, integration-verify: Show whether what the stages made works together, and report it; change nothing.",
        "stage, investigate: Find the cause and report the diagnosis; write no fix.",
        "retry, standard: Do the stage again, with what went wrong in mind; change nothing.",
        "retry, code-review: Do the stage again, with what went wrong in mind; change nothing.",
        "retry, integration-verify: Do the stage again, with what went wrong in mind; change nothing.",
        "retry, investigate: Do the stage again, with what went wrong in mind; change nothing.",
        "recovery, standard: Look at what is there, then go on to the end.",
        "recovery, code-review: Look at what is there, then go on to the end.",
        "recovery, integration-verify: Look at what is there, then go on to the end.",
        "recovery, investigate: Look at what is there, then go on to the end.",
        "hand-off, standard: Go on where the hand-off ends, and finish the stage.",
        "hand-off, code-review: Go on where the hand-off ends, and finish the stage.",
        "hand-off, integration-verify: Go on where the hand-off ends, and finish the stage.",
        "hand-off, investigate: Go on where the hand-off ends, and finish the stage.",
      ]
    `);
  });

  it("has the same prefix for the same agent and kind of stage, whatever the run", () => {
    for (const profile of ROSTER.agents.values()) {
      const one = promptFor(profile);
      const two = promptFor(profile, { name: "Another", acceptance: [], effort: "high" }, "retry");
      expect(one.metrics.prefixHash).toBe(two.metrics.prefixHash);
      expect(one.metrics.prefixHash).not.toBe(promptFor(null).metrics.prefixHash);
    }
  });

  it("is whole for every one of them, in every kind of session, and far below the budget", () => {
    for (const profile of ROSTER.agents.values())
      for (const kind of ["stage", "retry", "recovery", "hand-off"] as const) {
        const { rules, metrics } = promptFor(profile, { effort: "high" }, kind);
        const parts = [`## Your part: ${profile.name}`, profile.body, TEXTS.common.trim()];
        const places = parts.map((part) => rules.indexOf(part));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places).not.toContain(-1);
        expect(metrics.cut).toEqual([]);
        expect(metrics.tokens).toBeLessThan(PROMPT_BUDGET_TOKENS / 2);
      }
  });

  it("leaves the method out where two changes meet", () => {
    expect(promptFor(agent("coder"), {}, "merge-conflict").rules).toBe(
      promptFor(null, {}, "merge-conflict").rules,
    );
  });

  it("is as it was for a stage without an agent and without skills", () => {
    const { run } = aRun([{ id: "one" }]).starts("one");
    const plain = buildPrompt(TEXTS, run, "one", FRESH, hash);
    expect(buildPrompt(TEXTS, run, "one", { ...FRESH, agent: null, skills: [] }, hash)).toEqual(plain);
  });
});

describe("the skills of a signal", () => {
  it("come before the plan, each with its protocols", () => {
    const { run } = aRun([{ id: "one" }]).starts("one");
    for (const skill of ROSTER.skills.values()) {
      const { task } = buildPrompt(TEXTS, run, "one", { ...FRESH, skills: [skill] }, hash);
      const texts = [
        `## Skill: ${skill.name}`,
        skill.body,
        ...skill.protocols.flatMap(({ name, body }) => [`### ${name}`, body]),
        "## The plan",
      ];
      expect(task.startsWith(texts.slice(0, -1).join("\n\n"))).toBe(true);
      const places = texts.map((text) => task.indexOf(text));
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  it("are the first to go when a signal is too long, before diffs and evidence", () => {
    const story = aRun([{ id: "one" }]).starts("one");
    story.fails("one", failure("checks-failed", "It failed.", "e".repeat(8_000))).starts("one");
    const context = {
      ...FRESH,
      kind: "retry",
      changedSoFar: "c".repeat(8_000),
      skills: all(SKILL_NAMES),
    } as const;
    const cutAt = (tokens: number): readonly string[] =>
      buildPrompt(TEXTS, story.run, "one", context, hash, tokens).metrics.cut;
    expect(cutAt(PROMPT_BUDGET_TOKENS)).toEqual([]);
    expect(cutAt(10_000)).toEqual(["the skills"]);
    expect(cutAt(4_500)).toEqual(["the skills", "the diffs"]);
  });
});
