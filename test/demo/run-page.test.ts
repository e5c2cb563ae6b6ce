import { expect, it } from "vitest";
import { renderRunPage } from "../../src/core/report/page/render-run-page.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import { branch, type Evidence, leaf } from "../../src/core/verify/verdict.ts";
import { aRun, CALCULATOR, failure } from "../support/a-run.ts";

const formatTime = (at: number): string => `${new Date(at).toISOString().slice(11, 19)} here`;

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)> 'x' & \`</style><b>\` \u001b[31mred \u202egpj`;

const evidence = (output: string): Evidence => ({
  command: output,
  exitCode: 1,
  durationMs: 5,
  timedOut: false,
  output,
  cutBytes: 0,
});

const page = (story: ReturnType<typeof aRun>): string =>
  renderRunPage(story.run, story.events, { formatTime });

/** What is left for the eye: no tags, no style, one line per piece of text. */
function textOf(markup: string): string {
  return markup
    .replace(/<style>.*?<\/style>|<svg.*?<\/svg>/gs, "")
    .replace(/<\/(?:p|h\d|li|tr|dt|dd|summary|pre|header|div)>/g, "\n")
    .replace(/<\/t[dh]>/g, " | ")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replace(/[ \t]+/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "|")
    .join("\n");
}

it("tells how a run ended, what happened to each stage, and shows the evidence", () => {
  const red = branch("checks", [
    branch("acceptance", [
      leaf("failed", "npm test", null, {
        command: "npm test",
        exitCode: 1,
        durationMs: 1234,
        timedOut: false,
        output: "1 test failed: adds up\n",
        cutBytes: 12,
      }),
    ]),
  ]);
  const story = aRun(CALCULATOR.slice(0, 2))
    .at(0)
    .starts("lexer")
    .at(3)
    .commits("lexer")
    .at(4)
    .fails("lexer", failure("checks-failed", "1 of 1 checks failed: `npm test` exited with 1."), red)
    .at(5)
    .starts("lexer")
    .at(8)
    .passes("lexer")
    .at(9)
    .starts("parser")
    .at(10)
    .blocks("parser", failure("harness-missing", "The harness x can't be started."))
    .finishes("blocked");
  const text = textOf(page(story)).split("The plan as it was approved")[0] ?? "";
  expect(text).toMatchInlineSnapshot(`
    "A plan · Loom
    Loom · PLAN.md
    A plan
    ✗ blocked 1 of 2 stages merged into main, with 1 failed attempt on the way.
    Started
    12:00:00 here
    Took
    10s
    Attempts
    3
    Tokens
    3.1k
    Cost
    $0.10
    Merges
    by Loom
    The plan
    When it happened
    an agent works
    Loom verifies
    offered and merged
    ended in a failure or a conflict
    Stages
    Stage | State | Attempts | Checks | Time | Tokens | Cost |
    lexer | ✓ merged | 2 | 2 of 2 | 8.0s | 3.1k | $0.10 |
    parser | ✗ blocked | 1 | | 1.0s | | |
    Evidence
    lexer
    ✓ merged
    Do lexer.
    merged as ba4a3f2 · scripted: 2400 tokens in, 680 out, 0.10 USD
    2 changed files
    src/a.ts
    src/b.ts
    Attempt 2 after a failure 12:00:05 here · 3.0s · 22d10c6
    2 of 2 checks held
    ✓npm test checks · exited with 0
    ✓a.ts checks · exists
    Attempt 1 12:00:00 here · 4.0s · 21d10ac
    1 of 1 checks failed: npm test exited with 1.
    0 of 1 check held
    ✗npm test acceptance · exit code 1 · 1.2sThe end of the output; 12 bytes before it left out
    1 test failed: adds up
    parser
    ✗ blocked
    Do parser.
    after lexer · The harness x can't be started.
    Attempt 1 12:00:09 here
    For the record
    "
  `);
});

it("keeps every text a text, whoever wrote it", () => {
  const story = aRun([{ id: "one", name: HOSTILE, description: HOSTILE }], {
    target: HOSTILE,
    planPath: HOSTILE,
  })
    .at(1)
    .starts("one")
    .commits("one", [HOSTILE])
    .verifies("one", branch(HOSTILE, [leaf("failed", HOSTILE, HOSTILE, evidence(HOSTILE))]))
    .publishes("one")
    .conflicts("one", [HOSTILE])
    .at(2)
    .starts("one")
    .asks("one", HOSTILE)
    .blocks("one", failure("infrastructure", HOSTILE, HOSTILE))
    .finishes("blocked");
  const markup = page(story);
  const tags = new Set(Array.from(markup.matchAll(/<([a-z0-9!]+)/g), ([, tag]) => tag));
  expect(markup).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(
    [...tags].filter((tag) => ["script", "img", "b", "iframe", "link", "object"].includes(tag ?? "")),
  ).toEqual([]);
  // No attribute of ours begins with "on", and none was opened by a quote from outside.
  expect(markup).not.toMatch(/<[^>]*\son\w+=/);
  expect(markup.match(/<\/style>/g)).toHaveLength(1);
  expect(markup).not.toMatch(/[\u001b\u202e]/);
  expect(markup).toContain("default-src &#39;none&#39;");
});

it("needs nothing from outside and leads nowhere but into itself", () => {
  const story = aRun(CALCULATOR).at(1).starts("lexer").passes("lexer");
  const markup = page(story);
  expect(markup).not.toMatch(/https?:|\bsrc=|@import|url\(/);
  const anchors = Array.from(markup.matchAll(/href="([^"]*)"/g), ([, href]) => href ?? "");
  expect(anchors.length).toBeGreaterThan(0);
  for (const anchor of anchors) expect(markup).toContain(`id="${anchor.slice(1)}"`);
});

it("links pull requests only to addresses of the web", () => {
  const origin = {
    installation: 1,
    repo: { id: 7, owner: "ada", name: "tools" },
    issue: 3,
    title: "T",
    by: "wes",
    byId: 3,
  };
  const [created, ...events] = aRun([{ id: "one" }])
    .at(1)
    .starts("one")
    .passes("one").events;
  if (created?.type !== "run-created") throw new Error("a run begins with run-created");
  const all = [
    { ...created, origin },
    ...events.map((event) => (event.type === "stage-published" ? { ...event, pr: 12 } : event)),
  ];
  const run = evolve(null, all);
  if (!run) throw new Error("there is no run");
  const withSite = renderRunPage(run, all, { formatTime, siteUrl: "https://github.example/" });
  expect(withSite).toContain('<a href="https://github.example/ada/tools/pull/12">#12</a>');
  expect(renderRunPage(run, all, { formatTime, siteUrl: "javascript:alert(1)//" })).not.toContain(
    "javascript:",
  );
});

it("shows a run before anything was started, and one that is too large to draw", () => {
  expect(page(aRun([{ id: "one" }]))).toContain("No stage was started.");
  const many = Array.from({ length: 151 }, (_, index) => ({ id: `s${index}` }));
  expect(page(aRun(many))).toContain("A diagram of 151 stages would show nothing");
});

it("shows what an agent said and what was refused, and opens a diagnosis", () => {
  const [lexer] = CALCULATOR;
  const one = { at: "2026-01-31T12:00:02.000Z", stage: "lexer", attempt: 1 } as const;
  const story = aRun([{ ...lexer, id: "lexer", type: "investigate" }])
    .at(0)
    .starts("lexer")
    .at(2);
  story.add({ type: "report-received", ...one, text: `It is <b>line 3</b>.`, downstream: null });
  story.add({ type: "attempt-warned", ...one, text: "The agent ended without a word." });
  story.add({ type: "hosts-denied", ...one, by: "agent", hosts: ["example.org"] });
  const shown = page(story);
  expect(shown).toContain(
    "<details open><summary>Diagnosis</summary><pre>It is &lt;b&gt;line 3&lt;/b&gt;.</pre>",
  );
  expect(shown).toContain('<p class="warning">The agent ended without a word.</p>');
  expect(shown).toContain('<p class="warning">Hosts that were refused: example.org.</p>');
});
