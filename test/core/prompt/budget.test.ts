import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildPrompt,
  PROMPT_BUDGET_TOKENS,
  type PromptContext,
  type PromptKind,
} from "../../../src/core/prompt/build-prompt.ts";
import { fitParts } from "../../../src/core/prompt/fit-parts.ts";
import { loadPromptTexts } from "../../../src/wiring/prompt-texts.ts";
import { aRun, failure } from "../../support/a-run.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const TEXTS = loadPromptTexts();
const hash = (): string => "0".repeat(64);

const KINDS: readonly PromptKind[] = ["stage", "retry", "recovery", "hand-off", "merge-conflict"];

/** Text of any length up to far beyond the budget, with what could break a fence or a count of bytes. */
const anyText = fc
  .tuple(
    fc.array(
      fc.constantFrom("word ", "`````", "\n", "## Now\n", "ä€", "🙂", "\ud800", "\u202e", "- x: y\n"),
      {
        minLength: 1,
        maxLength: 12,
      },
    ),
    fc.constantFrom(1, 40, 5_000),
  )
  .map(([pieces, times]) => pieces.join("").repeat(times).slice(0, 60_000));

const anyContext: fc.Arbitrary<PromptContext> = fc.record({
  kind: fc.constantFrom(...KINDS),
  changedSoFar: fc.option(anyText),
  conflict: fc.option(
    fc.record({ files: fc.array(anyText, { maxLength: 3 }), ours: anyText, theirs: anyText }),
  ),
  handOff: fc.option(
    fc.record({
      version: fc.constant(2 as const),
      sessionId: fc.constant("s"),
      stageId: fc.constant("build"),
      contextPercent: fc.constant(66),
      completedTasks: fc.constant([]),
      keyDecisions: fc.constant([]),
      remaining: fc.array(anyText, { maxLength: 2 }),
      body: anyText,
      by: fc.constantFrom("agent" as const, "loom" as const),
    }),
  ),
  contract: fc.constantFrom("off" as const, "enforce" as const),
});

describe("the budget of a signal", () => {
  it("holds for any run, and rules, stage and what to do now are in it whole", () => {
    fc.assert(
      fc.property(
        anyContext,
        fc.record({ name: anyText, description: anyText, evidence: anyText, left: anyText }),
        fc.array(anyText, { maxLength: 3 }),
        fc.integer({ min: 4_000, max: PROMPT_BUDGET_TOKENS }),
        (context, words, checks, budget) => {
          const plain = (text: string): string => text.replace(/[\ud800\u202e]/g, "").trim() || "x";
          const story = aRun([
            { id: "before" },
            {
              id: "build",
              dependencies: ["before"],
              name: plain(words.name).slice(0, 1_000),
              description: plain(words.description),
              acceptance: checks.map((text) => plain(text).slice(0, 20_000)),
            },
          ]).starts("before");
          story.add({
            type: "report-received",
            at: "2026-01-31T12:00:00.000Z",
            stage: "before",
            attempt: 1,
            text: words.left,
            downstream: null,
          });
          story.passes("before").starts("build");
          story.fails("build", failure("checks-failed", words.evidence, words.evidence)).starts("build");
          const { text, rules, task, metrics } = buildPrompt(
            TEXTS,
            story.run,
            "build",
            context,
            hash,
            budget,
          );
          expect(metrics.bytes).toBe(Buffer.byteLength(text));
          expect(metrics.tokens).toBeLessThanOrEqual(budget);
          expect(text.startsWith(`${rules}\n\n`)).toBe(true);
          expect(task).toContain("## Your stage: build");
          const now = task.slice(task.lastIndexOf("\n## Now\n"));
          expect(now).toContain("Stage: build,");
          expect(now).toContain("End with the sections `## Task Report` and `## Downstream Context`.");
          if (context.contract === "enforce") expect(now).toContain("```loom-completion");
          if (metrics.cut.length > 0) expect(task).toMatch(/left out\)|Left out, because/);
        },
      ),
      { numRuns: propertyRuns(0.6) },
    );
  });

  it("takes away what is shown, not what would not be", () => {
    const part = { priority: 1, lead: "", keep: "start", language: "text" } as const;
    const ticks = { ...part, name: "ticks", text: `${"word ".repeat(2_000)}${"`".repeat(10_000)}` };
    expect(fitParts([ticks], 4_000).text.length).toBeLessThanOrEqual(4_000);
  });

  it("takes from diffs first, then from evidence, and from the description last", () => {
    const story = aRun([{ id: "build", description: "d".repeat(20_000) }]).starts("build");
    story.fails("build", failure("checks-failed", "It failed.", "e".repeat(20_000))).starts("build");
    const context = {
      kind: "retry",
      changedSoFar: "c".repeat(20_000),
      conflict: null,
      handOff: null,
    } as const;
    const cutAt = (tokens: number): readonly string[] =>
      buildPrompt(TEXTS, story.run, "build", context, hash, tokens).metrics.cut;
    expect(cutAt(24_000)).toEqual([]);
    expect(cutAt(14_000)).toEqual(["the diffs"]);
    expect(cutAt(10_000)).toEqual(["the evidence", "the diffs"]);
    expect(cutAt(4_000)).toEqual([
      "the plan",
      "the description",
      "the checks",
      "the failure",
      "the evidence",
      "the diffs",
    ]);
  });

  it("counts what it takes", () => {
    const story = aRun([{ id: "build" }]).starts("build");
    story
      .fails("build", failure("checks-failed", "It failed.", `${"e".repeat(30_000)}the end`))
      .starts("build");
    const context = {
      kind: "retry",
      changedSoFar: "c".repeat(9_000),
      conflict: null,
      handOff: null,
    } as const;
    const { task } = buildPrompt(TEXTS, story.run, "build", context, hash, 4_000);
    expect(task.replace(/e{50,}/, "eee…")).toMatchInlineSnapshot(`
      "## The plan

      A plan

      - build: build (this stage)

      ## Your stage: build

      **build**

      Do build.

      The plan names no check for this stage; a person will read what comes of it.

      ## Why the last attempt did not get through

      It failed.

      What showed it, in the words of the program that ran:

      (17779 characters before this left out)

      \`\`\`text
      eee…the end
      \`\`\`

      Left out, because all of it would be too long (9000 characters): the diffs.

      ## Now

      Fix what failed, and nothing else. Stage: build, build.

      End with the sections \`## Task Report\` and \`## Downstream Context\`.
      "
    `);
  });

  it("shows the neighbours in a plan of 2,000 stages", () => {
    const stages = Array.from({ length: 2_000 }, (_, at) => ({
      id: `s${at}`,
      dependencies: at === 0 ? [] : [`s${at - 1}`],
    }));
    const { run } = aRun(stages).starts("s0");
    const { task } = buildPrompt(
      TEXTS,
      run,
      "s1000",
      { kind: "stage", changedSoFar: null, conflict: null, handOff: null },
      hash,
    );
    expect(task).toContain("- and 970 before\n- s970: s970 (not merged)");
    expect(task).toContain("- s1000: s1000 (this stage)");
    expect(task).toContain("- s1029: s1029 (not merged)\n- and 970 after");
  });
});
