import { describe, expect, it } from "vitest";
import { explainVerdict, renderVerdict } from "../../../../src/core/report/terminal/verdict-report.ts";
import { branch, type Evidence, leaf, type Verdict } from "../../../../src/core/verify/verdict.ts";

function ran(command: string, parts: Partial<Evidence> = {}): Evidence {
  return { command, exitCode: 0, durationMs: 340, timedOut: false, output: "", cutBytes: 0, ...parts };
}

const RED = "\u001b[31m";
const mixed: Verdict = branch("checks", [
  branch("setup", [leaf("passed", "npm ci", null, ran("npm ci", { durationMs: 2140 }))]),
  branch("acceptance", [
    leaf(
      "failed",
      "npm test",
      "exited with 1 (expected 0)",
      ran("npm test", {
        exitCode: 1,
        output: `${RED}1 of 9 failed\u001b[0m\n\n  at app.ts:3\n`,
        cutBytes: 5000,
      }),
    ),
    leaf(
      "failed",
      "The server answers",
      "did not print `ok`",
      ran("curl -s localhost/health", { output: "```\n</details> @team fixes #1\n```\n" }),
    ),
  ]),
  branch("artifacts", [leaf("failed", "src/auth/*.ts", "names no regular file of the commit")]),
  leaf("warned", "files", "changed outside of the stage's own files: `src/<b>.ts`"),
  branch("gate", [
    leaf(
      "warned",
      "make check",
      "did not end within 60 seconds; fails on the base as well",
      ran("make check", { exitCode: null, timedOut: true, durationMs: 60_010, output: "waiting\n" }),
    ),
  ]),
]);

describe("renderVerdict", () => {
  it("draws the tree as text, with the output below what is not in order", () => {
    expect(renderVerdict(mixed, { style: "text" })).toMatchInlineSnapshot(`
      "✗ checks
        ✓ setup
          ✓ npm ci (exit 0, 2.1s)
        ✗ acceptance
          ✗ npm test: exited with 1 (expected 0) (0.3s)
            │ (5000 bytes before this left out)
            │ 1 of 9 failed
            │
            │   at app.ts:3
          ✗ The server answers: did not print \`ok\` (exit 0, 0.3s)
            │ $ curl -s localhost/health
            │ \`\`\`
            │ </details> @team fixes #1
            │ \`\`\`
        ✗ artifacts
          ✗ src/auth/*.ts: names no regular file of the commit
        ! files: changed outside of the stage's own files: \`src/<b>.ts\`
        ! gate
          ! make check: did not end within 60 seconds; fails on the base as well (1m 00s)
            │ waiting
      "
    `);
  });

  it("draws the tree as Markdown that no output can break out of", () => {
    expect(renderVerdict(mixed, { style: "markdown" })).toMatchInlineSnapshot(`
      "- ✗ checks
        - ✓ setup
          - ✓ \`npm ci\` (exit 0, 2.1s)
        - ✗ acceptance
          - ✗ \`npm test\`: exited with 1 (expected 0) (0.3s)

            \`\`\`text
            (5000 bytes before this left out)
            1 of 9 failed

              at app.ts:3
            \`\`\`

          - ✗ \`The server answers\`: did not print \`ok\` (exit 0, 0.3s)

            \`\`\`\`text
            $ curl -s localhost/health
            \`\`\`
            </details> @team fixes #1
            \`\`\`
            \`\`\`\`

        - ✗ artifacts
          - ✗ \`src/auth/*.ts\`: names no regular file of the commit
        - ! \`files\`: changed outside of the stage's own files: \`src/<b>.ts\`
        - ! gate
          - ! \`make check\`: did not end within 60 seconds; fails on the base as well (1m 00s)

            \`\`\`text
            waiting
            \`\`\`
      "
    `);
  });

  it("shows a long or hostile title on one line", () => {
    const script = `echo one\necho \`two\` <b> ${"x".repeat(200)}`;
    const verdict = leaf("failed", script, "exited with 1 (expected 0)", ran(script, { exitCode: 1 }));
    expect(renderVerdict(verdict, { style: "text" })).toMatchInlineSnapshot(`
      "✗ echo one echo 'two' <b> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: exited with 1 (expected 0) (0.3s)
        │ $ echo one
        │ echo \`two\` <b> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      "
    `);
    expect(renderVerdict(verdict, { style: "markdown" })).toMatchInlineSnapshot(`
      "- ✗ \`echo one echo 'two' <b> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\`: exited with 1 (expected 0) (0.3s)

        \`\`\`text
        $ echo one
        echo \`two\` <b> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        \`\`\`
      "
    `);
  });
});

describe("explainVerdict", () => {
  it("says in one sentence what failed, and brings the output", () => {
    expect(explainVerdict(mixed)).toMatchInlineSnapshot(`
      {
        "evidence": "$ npm test
      (exited with 1 (expected 0))
      (5000 bytes before this left out)
      1 of 9 failed

        at app.ts:3

      $ curl -s localhost/health
      (did not print \`ok\`)
      \`\`\`
      </details> @team fixes #1
      \`\`\`

      src/auth/*.ts
      (names no regular file of the commit)",
        "message": "3 of 6 checks failed: \`npm test\` exited with 1 (expected 0); \`curl -s localhost/health\` did not print \`ok\`; \`src/auth/*.ts\`: names no regular file of the commit.",
      }
    `);
  });

  it("speaks of the set-up when that is what failed", () => {
    const setup = leaf("failed", "npm ci", "exited with 1 (expected 0)", ran("npm ci", { output: "ERR\n" }));
    expect(explainVerdict(branch("checks", [branch("setup", [setup])])).message).toMatchInlineSnapshot(
      `"The set-up failed: \`npm ci\` exited with 1 (expected 0)."`,
    );
  });

  it("needs no counting for a single check and no evidence where there is no output", () => {
    const verdict = branch("checks", [branch("artifacts", [leaf("failed", "a.ts", "is empty")])]);
    expect(explainVerdict(verdict)).toMatchInlineSnapshot(`
      {
        "evidence": null,
        "message": "\`a.ts\`: is empty.",
      }
    `);
  });

  it("keeps the evidence of many failures small and counts what it leaves out", () => {
    const many = Array.from({ length: 20 }, (_, n) =>
      leaf(
        "failed",
        `check ${n}`,
        "exited with 1 (expected 0)",
        ran(`check ${n}`, { output: "x".repeat(16_000) }),
      ),
    );
    const { message, evidence } = explainVerdict(branch("checks", [branch("acceptance", many)]));
    expect(message).toMatchInlineSnapshot(
      `"20 of 20 checks failed: \`check 0\` exited with 1 (expected 0); \`check 1\` exited with 1 (expected 0); \`check 2\` exited with 1 (expected 0); and 17 more."`,
    );
    expect(Buffer.byteLength(evidence ?? "")).toBeLessThan(18_000);
    expect(evidence).toContain(
      "$ check 7\n(exited with 1 (expected 0))\n(13952 bytes before this left out)\nxxx",
    );
    expect(evidence).toContain("(12 more failed checks)");
  });

  it("has nothing to explain when nothing failed", () => {
    expect(explainVerdict(branch("checks", []))).toEqual({ message: "No check failed.", evidence: null });
  });
});
