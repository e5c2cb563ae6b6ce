import { expect, it } from "vitest";
import { localTaskTexts } from "../../../../src/core/report/commands/local-task-texts.ts";
import { taskUsage } from "../../../../src/core/report/commands/task-usage.ts";
import { taskLine } from "../../../../src/core/report/terminal/task-lines.ts";
import { failures } from "../../../../src/core/report/texts/failure-texts.ts";
import type { TaskEvent } from "../../../../src/core/task/task-events.ts";
import { aTask } from "../../../support/a-task.ts";

const at = "2026-03-01T10:00:00.000Z";
const claim = "c";

it("tells whoever waits what is news, as plain text", () => {
  const started = {
    type: "session-started",
    at,
    claim,
    session: "s",
    harness: "claude",
    model: "opus\u001b[31m",
    promptTokens: 1,
    prefixHash: "",
    marker: claim,
  } as const;
  const events: TaskEvent[] = [
    { ...started, purpose: "begin" },
    { ...started, purpose: "design", model: null },
    { ...started, purpose: "draft" },
    { ...started, purpose: "redraft" },
    { ...started, purpose: "answer" },
    { ...started, purpose: "audit" },
    { type: "task-assessed", at, claim, complexity: "complex", why: "Two\nservices.", questions: [] },
    { type: "task-assessed", at, claim, complexity: "simple", why: "", questions: [] },
    { type: "harness-exhausted", at, claim, harness: "claude", until: 0 },
    { type: "answer-written", at, claim, text: "x" },
  ];
  const task = aTask("plan");
  expect(events.map((event) => taskLine(event, task)).join("\n")).toMatchInlineSnapshot(`
    "claude (opus) reads the code, to see what it takes.
    claude writes a design.
    claude (opus) writes the plan.

    claude (opus) looks for the answer.
    claude (opus) reads the code.
    The task looks complex: Two services.
    The task looks simple.
    The quota of claude is used up.
    "
  `);
});

it("shows why a session failed, once as long as it is the same", () => {
  const wrote = `${"Reading.\n".repeat(9)}\n\u001b[31mPlease log in first.\u001b[0m\n  Run: agent login\n`;
  const failed = (evidence: string | null) => ({
    type: "session-failed" as const,
    at,
    claim,
    failure: failures.agentFailed(3, evidence ?? ""),
  });
  const told = [wrote, wrote, "Something else.", null].map((_, index, all) => {
    const events = all.slice(0, index + 1).map(failed);
    return taskLine(events.at(-1) as TaskEvent, aTask("plan", events));
  });
  expect(told.join("\n")).toMatchInlineSnapshot(`
    "The agent ended with exit code 3. The end of its output:
      Reading.
      Reading.
      Reading.
      Reading.
      Please log in first.
      Run: agent login
    The agent ended with exit code 3.
    The agent ended with exit code 3. The end of its output:
      Something else.
    The agent ended with exit code 3."
  `);
});

it("counts what is left out and what is grave", () => {
  const look = { commit: "a".repeat(40), from: "b".repeat(40), unsaved: false, untracked: 0 };
  expect(
    [
      localTaskTexts.lookingAt(look),
      localTaskTexts.lookingAt({ ...look, from: null, unsaved: true, untracked: 3 }),
      localTaskTexts.failsOn(1, "critical"),
      localTaskTexts.failsOn(2, "low"),
      localTaskTexts.outIsFolderNext("my docs/"),
      localTaskTexts.tryingAgain(90_000),
      taskUsage.auditCodes,
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "Looking at the change since bbbbbbb at aaaaaaa.
    Looking at the whole repository, with what is not committed yet. 3 files or folders that git does not know are left out; \`git add\` brings them in.
    1 finding is critical (--fail-on critical).
    2 findings are low or worse (--fail-on low).
    Name a file in it: --out 'my docs/PLAN.md'
    Trying again in 1m 30s.

    What counts as the change: commits that the main branch has not, and what is changed and not
    committed yet. Files that git does not know are left out. Without a change, all is looked at.

    Exit codes: 0 done, whatever was found; 1 no result, or a finding that --fail-on names;
    2 wrong usage; 130 stopped.
    "
  `);
});
