import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderRunTable, type TableView } from "../../../../src/core/report/terminal/run-table.ts";
import type { Run } from "../../../../src/core/run/run.ts";
import { aRun, CALCULATOR, failure, START } from "../../../support/a-run.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { quickly } from "../../../support/quickly.ts";

function table(story: ReturnType<typeof aRun>, view: Partial<TableView> = {}): string {
  const activities = new Map<string, { text: string; at: number }>();
  for (const item of story.items) {
    if (item.kind === "activity") activities.set(item.stage, { text: item.text, at: Date.parse(item.at) });
  }
  return renderRunTable({
    run: story.run,
    activities,
    now: story.now,
    width: 80,
    color: false,
    ...view,
  }).join("\n");
}

function midway() {
  return aRun(CALCULATOR)
    .at(1)
    .starts("lexer")
    .at(13)
    .passes("lexer")
    .at(14)
    .starts("parser")
    .starts("printer")
    .starts("docs")
    .at(40)
    .fails("parser", failure("checks-failed", "1 of 2 checks failed: `npm test` exited with 1."))
    .starts("parser")
    .at(60)
    .does("parser", "Edit src/parser.ts")
    .commits("printer")
    .at(62)
    .asks("docs", "Should the docs cover the interactive mode?");
}

describe("the table of a run", () => {
  it("shows every stage by level, with what happens to it", () => {
    expect(table(midway())).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted                                      1m 02s
      ━━━────────────────────────  14%  1/7 done · 1 needs you · 2 working · 3 waiting

         lvl  stage         state              merged   elapsed  now
      ✓    1  lexer         merged             ba4a3f2      12s
      ●    2  parser        working (2nd try)               48s  Edit src/parser.ts
      ●    2  printer       verifying                       48s  its checks run on a …
      ?    2  docs          needs you                       48s  Should the docs cove…
      ·    3  evaluator     waiting                              after parser
      ·    4  command-line  waiting                              after evaluator, pri…
      ·    5  check-it-all  waiting                              after command-line, …"
    `);
  });

  it("has room for more on a wide terminal", () => {
    expect(table(midway(), { width: 120 })).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted                                                                              1m 02s
      ━━━━──────────────────────────  14%  1/7 done · 1 needs you · 2 working · 3 waiting

         lvl  stage         state                merged   elapsed  now
      ✓    1  lexer         merged               ba4a3f2      12s
      ●    2  parser        working (2nd try)                 48s  Edit src/parser.ts
      ●    2  printer       verifying                         48s  its checks run on a clean checkout
      ?    2  docs          needs you                         48s  Should the docs cover the interactive mode?
      ·    3  evaluator     waiting                                after parser
      ·    4  command-line  waiting                                after evaluator, printer
      ·    5  check-it-all  waiting                                after command-line, docs"
    `);
  });

  it("leaves out what is least needed on a narrow one", () => {
    expect(table(midway(), { width: 60 })).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted                  1m 02s
      ━──────  14%  1/7 done · 1 needs you · 2 working · 3 waiting

         stage         state              elapsed  now
      ✓  lexer         merged                 12s
      ●  parser        working (2nd try)      48s  Edit src/parse…
      ●  printer       verifying              48s  its checks run…
      ?  docs          needs you              48s  Should the doc…
      ·  evaluator     waiting                     after parser
      ·  command-line  waiting                     after evaluato…
      ·  check-it-all  waiting                     after command-…"
    `);
    expect(table(midway(), { width: 36 })).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted
      ──────  14%  1/7 done · 1 needs you…

         stage         state
      ✓  lexer         merged
      ●  parser        working (2nd try)
      ●  printer       verifying
      ?  docs          needs you
      ·  evaluator     waiting
      ·  command-line  waiting
      ·  check-it-all  waiting"
    `);
  });

  it("shows what needs a person and what moves when there are too few rows, and counts the rest", () => {
    expect(table(midway(), { height: 9 })).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted                                      1m 02s
      ━━━────────────────────────  14%  1/7 done · 1 needs you · 2 working · 3 waiting

         lvl  stage         state              merged   elapsed  now
      ●    2  parser        working (2nd try)               48s  Edit src/parser.ts
      ●    2  printer       verifying                       48s  its checks run on a …
      ?    2  docs          needs you                       48s  Should the docs cove…
      ·    3  evaluator     waiting                              after parser
      … 3 more: 1 done, 2 waiting"
    `);
  });

  it("shows the cause of a blocked run before what waits behind it", () => {
    const story = aRun(CALCULATOR).at(1).starts("lexer").at(13).passes("lexer").at(14).starts("parser");
    const why = failure("timeout", "The agent was still working after 60 min, the ceiling of this stage.");
    story.at(40).fails("parser", why).blocks("parser", why);
    for (const id of ["evaluator", "command-line", "check-it-all"]) {
      story.blocks(id, failure("dependency", "It waits for parser, which is blocked."));
    }
    story.skips("docs", "skipped by sam").starts("printer").at(50).passes("printer").finishes("blocked");
    expect(table(story)).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted  blocked                                50s
      ━━━━━━━━━━━━──────────────────  42%  3/7 done · 4 blocked

         lvl  stage         state         merged   elapsed  now
      ✓    1  lexer         merged        ba4a3f2      12s
      ✗    2  parser        blocked                    26s  The agent was still worki…
      ✓    2  printer       merged        c878f88      10s
      –    2  docs          skipped                         skipped by sam
      ✗    3  evaluator     blocked                         It waits for parser, whic…
      ✗    4  command-line  blocked                         It waits for parser, whic…
      ✗    5  check-it-all  blocked                         It waits for parser, whic…"
    `);
    expect(table(story, { height: 7 })).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted  blocked                                50s
      ━━━━━━━━━━━━──────────────────  42%  3/7 done · 4 blocked

         lvl  stage         state         merged   elapsed  now
      ✗    2  parser        blocked                    26s  The agent was still worki…
      ✗    3  evaluator     blocked                         It waits for parser, whic…
      … 5 more: 3 done, 2 blocked"
    `);
  });

  it("knows the ways between a failure and the next try", () => {
    const story = aRun([
      { id: "later" },
      { id: "queued" },
      { id: "clash" },
      { id: "resolve" },
      { id: "failed" },
      { id: "paused" },
    ]);
    story
      .at(0)
      .starts("later")
      .at(9)
      .fails("later", failure("crashed", "The agent was ended by SIGKILL."))
      .queues("later", 30);
    story
      .starts("queued")
      .fails("queued", failure("no-change", "The agent changed nothing."))
      .queues("queued");
    for (const id of ["clash", "resolve"])
      story.starts(id).commits(id).verifies(id).publishes(id).conflicts(id, ["src/a.ts", "b.ts"]);
    story
      .starts("resolve")
      .starts("failed")
      .fails("failed", failure("agent-failed", "The agent ended with exit code 2."));
    story.starts("paused").add({
      type: "attempt-interrupted",
      at: "2026-01-31T12:00:09Z",
      stage: "paused",
      attempt: 1,
      reason: "stopped",
    });
    expect(table(story.at(27.5), { width: 100 })).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted                                                             27s
      ──────────────────────────────   0%  0/6 done · 1 working · 5 queued

         lvl  stage    state                merged   elapsed  now
      ◌    1  later    retry in 12s                      27s  The agent was ended by SIGKILL.
      ◌    1  queued   queued (2nd try)                  18s  The agent changed nothing.
      !    1  clash    conflict                          18s  in src/a.ts, b.ts
      ●    1  resolve  resolving (2nd try)               18s
      !    1  failed   failed                            18s  The agent ended with exit code 2.
      ◌    1  paused   paused                            18s  goes on where it was"
    `);
  });

  it("says how verified work waits for its merge", () => {
    const story = aRun([{ id: "next" }, { id: "now" }, { id: "warned" }]);
    story.starts("next").commits("next").verifies("next").publishes("next");
    story.starts("now").commits("now").verifies("now").publishes("now");
    const { commit } = story.run.stages.get("now") ?? {};
    story.add({
      type: "merge-started",
      at: "2026-01-31T12:00:00Z",
      stage: "now",
      attempt: 1,
      commit: commit ?? "",
      onto: story.run.tip,
    });
    story.starts("warned").commits("warned");
    story.verifies("warned", {
      outcome: "warned",
      title: "checks",
      detail: null,
      evidence: null,
      children: [],
    });
    story.publishes("warned").merges("warned");
    expect(table(story).split("\n").slice(4).join("\n")).toMatchInlineSnapshot(`
      "●    1  next    merging                     0s  verified, next in line
      ●    1  now     merging                     0s  goes into main
      ✓    1  warned  merged        4c1c9f8     0.0s  with warnings"
    `);
  });

  it("calls a session silent when it gave no sign of life for five minutes", () => {
    const story = aRun([{ id: "build" }])
      .at(0)
      .starts("build")
      .at(60)
      .does("build", "Bash npm test");
    expect(table(story.at(60 + 300))).toContain("Bash npm test");
    expect(table(story.at(60 + 301))).toContain("silent for 5m");
    expect(table(story.at(60 + 7300))).toContain("silent for 2h");
  });

  it("keeps the clock of a stage running across its retries and stops it at the end", () => {
    const story = aRun([{ id: "build" }])
      .at(10)
      .starts("build")
      .at(40)
      .fails("build", failure("no-change", "Nothing."));
    expect(table(story.starts("build").at(70))).toContain("1m 00s");
    story.passes("build");
    expect(table(story.at(500))).toMatch(/merged {6,}\w{7} +1m 00s$/m);
  });

  it("uses colours only when asked to", () => {
    expect(table(midway())).not.toContain("\u001b");
    const colored = table(midway(), { color: true }).replaceAll("\u001b", "ESC");
    expect(colored.split("\n").slice(0, 7).join("\n")).toMatchInlineSnapshot(`
      "ESC[1mcalc-3f2a1bESC[0mESC[90m  into main with scriptedESC[0m                                      ESC[90m1m 02sESC[0m
      ESC[32m━━━ESC[0mESC[34m━━━━━━━━ESC[0mESC[90m────────────────ESC[0m  14%  1/7 done · 1 needs you · 2 working · 3 waiting

         ESC[90mlvlESC[0m  ESC[90mstageESC[0m         ESC[90mstateESC[0m              ESC[90mmergedESC[0m   ESC[90melapsedESC[0m  ESC[90mnowESC[0m
      ESC[32m✓ESC[0m  ESC[90m  1ESC[0m  lexer         ESC[32mmergedESC[0m             ESC[32mba4a3f2ESC[0m  ESC[90m    12sESC[0m
      ESC[34m●ESC[0m  ESC[90m  2ESC[0m  parser        ESC[34mworking (2nd try)ESC[0m           ESC[90m    48sESC[0m  Edit src/parser.ts
      ESC[34m●ESC[0m  ESC[90m  2ESC[0m  printer       ESC[34mverifyingESC[0m                   ESC[90m    48sESC[0m  ESC[90mits checks run on a …ESC[0m"
    `);
  });

  it("takes little time for ten thousand stages", () => {
    const stages = Array.from({ length: 10_000 }, (_, n) => ({
      id: `stage-${n}`,
      dependencies: n === 0 ? [] : [`stage-${n - 1}`],
    }));
    const story = aRun(stages).starts("stage-0");
    expect(quickly(5_000, () => table(story, { height: 30 })).split("\n")).toHaveLength(30);
  });
});

const HOSTILE = [
  "解析器と構文木",
  "👩‍👩‍👧‍👦🚀",
  "e\u0301\u0302\u0303\u0304",
  "\u001b[2J\u001b]0;x\u0007",
  "\u202etxt",
  "a\nb\tc",
  "ｆｕｌｌ",
  "한국어",
  "x".repeat(70),
  "",
  " ",
];

function renamed(run: Run, names: readonly string[]): Run {
  const name = (index: number): string => names[index % names.length] ?? "";
  return {
    ...run,
    id: name(0),
    target: name(1),
    settings: { ...run.settings, harness: name(2) },
    stages: new Map([...run.stages.values()].map((record, index) => [`${name(index)}${index}`, record])),
  };
}

describe("no line of the table", () => {
  it("is ever wider than the terminal, or moves anything, whatever the names are", () => {
    const { run: original } = midway();
    const texts = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" })), {
      minLength: 3,
      maxLength: 7,
    });
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 160 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (names, width, height, color) => {
          const run = renamed(original, names);
          const activities = new Map(
            [...run.stages.keys()].map((id, n) => [id, { text: names[n % names.length] ?? "", at: START }]),
          );
          const lines = renderRunTable({
            run,
            activities,
            now: START + 62_000,
            width,
            height,
            color,
            measure: stringWidth,
          });
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) {
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
            expect(line.replace(/\u001b\[[\d;]*m/g, "")).not.toMatch(
              /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/,
            );
          }
        },
      ),
      { numRuns: propertyRuns(3) },
    );
  });
});
