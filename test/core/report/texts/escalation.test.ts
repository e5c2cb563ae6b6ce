import { expect, it } from "vitest";
import { FAILURE_KINDS, type FailureKind } from "../../../../src/core/failure/failure.ts";
import { afterTask, whatToDo } from "../../../../src/core/report/texts/escalation.ts";

it("says for every kind of failure what a person can do", () => {
  const advice = FAILURE_KINDS.map(
    (kind) => `${kind}: ${whatToDo({ kind, message: "", evidence: null }, "calc-3f2a1b", "parser")}`,
  );
  expect(advice.join("\n")).toMatchInlineSnapshot(`
    "agent-failed: See what the agent wrote with \`loom logs calc-3f2a1b parser\`. Give it fresh attempts with \`loom retry calc-3f2a1b parser\`, or do the work yourself and go on with \`loom skip calc-3f2a1b parser\`.
    no-change: If there is nothing to do, go on with \`loom skip calc-3f2a1b parser\`. Otherwise read \`loom logs calc-3f2a1b parser\` and try again with \`loom retry calc-3f2a1b parser\`.
    checks-failed: The output of the failed checks stands in \`loom logs calc-3f2a1b parser\`. Give the agent fresh attempts with \`loom retry calc-3f2a1b parser\`, or fix it yourself and go on with \`loom skip calc-3f2a1b parser\`.
    out-of-reach: The output of the failed checks stands in \`loom logs calc-3f2a1b parser\`. When they hold on the target branch, \`loom retry calc-3f2a1b parser\` lets the agent look again; \`loom skip calc-3f2a1b parser\` goes on without it.
    refused: \`loom retry calc-3f2a1b parser\` lets the agent go on without that part; make it yourself afterwards. \`loom logs calc-3f2a1b parser\` shows what it did.
    timeout: \`loom retry calc-3f2a1b parser\` goes on from what it has done so far. If that is not enough, split the stage or raise its timeout_secs in the plan and run that.
    stalled: \`loom logs calc-3f2a1b parser\` shows the last thing it did. Try again with \`loom retry calc-3f2a1b parser\`; if it has good reason to be quiet, raise its no_progress_secs in the plan and run that.
    crashed: See what the agent wrote with \`loom logs calc-3f2a1b parser\`. Give it fresh attempts with \`loom retry calc-3f2a1b parser\`, or do the work yourself and go on with \`loom skip calc-3f2a1b parser\`.
    transient: The provider did not recover in time. When it is back, \`loom resume calc-3f2a1b\` goes on.
    credentials: \`loom doctor\` names the variable that holds the key. When it holds a good one, \`loom resume calc-3f2a1b\` goes on.
    context-overflow: Split the stage in the plan and run that, or let a model with a larger context do it. \`loom logs calc-3f2a1b parser\` shows how far it came.
    contract-unmet: \`loom logs calc-3f2a1b parser\` shows what it said. Give it fresh attempts with \`loom retry calc-3f2a1b parser\`, or set LOOM_CONTRACT=warn to let such work through.
    setup-failed: Run the set-up command in your own checkout, fix what it complains about, then \`loom retry calc-3f2a1b parser\`.
    precondition-failed: Make the check hold on the target branch, then \`loom retry calc-3f2a1b parser\`. If the check itself is wrong, correct the plan and run that.
    conflict-unresolved: Let an agent try again with \`loom retry calc-3f2a1b parser\`, or merge the branch loom/calc-3f2a1b/parser by hand and go on with \`loom skip calc-3f2a1b parser\`.
    merge-blocked: When that is done, \`loom resume calc-3f2a1b\` goes on.
    target-rewound: Put the merged commits back onto the branch, then \`loom resume calc-3f2a1b\`. If that was on purpose, \`loom run --clean\` with its plan starts over.
    branch-taken: When it is as it should be, \`loom retry calc-3f2a1b parser\` goes on with it, and \`loom skip calc-3f2a1b parser\` without it.
    pull-closed: When it is as it should be, \`loom retry calc-3f2a1b parser\` goes on with it, and \`loom skip calc-3f2a1b parser\` without it.
    infrastructure: \`loom doctor\` looks for what is wrong with this machine. When that is fixed, \`loom resume calc-3f2a1b\` goes on.
    harness-missing: \`loom doctor\` says what is missing. When it is installed, \`loom resume calc-3f2a1b\` goes on.
    quarantined: Find out with \`loom logs calc-3f2a1b parser\` what ended Loom, memory above all, before you allow it again with \`loom retry calc-3f2a1b parser\`.
    dependency: Nothing to do here: it goes on by itself once the stage it waits for is merged or skipped.
    cancelled: The run was cancelled. \`loom run --clean\` with its plan starts it over."
  `);
});

it("says for a task that failed what whoever asked for it can do, on GitHub and in a terminal", () => {
  const kinds: readonly FailureKind[] = [
    "agent-failed",
    "credentials",
    "harness-missing",
    "infrastructure",
    "transient",
    "contract-unmet",
    "context-overflow",
  ];
  const advice = kinds.flatMap((kind) =>
    [true, false].map((hosted) => {
      const failure = { kind, message: "", evidence: null };
      return `${kind}: ${afterTask(failure, hosted ? "plan" : "review", { hosted })}`;
    }),
  );
  expect(advice.join("\n")).toMatchInlineSnapshot(`
    "agent-failed: \`/loom run\` tries again. If it ends like this every time, tell the person who runs Loom here.
    agent-failed: \`loom doctor\` checks what the agent needs, and the same command tries again.
    credentials: The person who runs Loom here has to fix that, and \`loom doctor\` tells them how. Then \`/loom run\` tries again.
    credentials: \`loom doctor\` says what is missing. Then the same command tries again.
    harness-missing: The person who runs Loom here has to fix that, and \`loom doctor\` tells them how. Then \`/loom run\` tries again.
    harness-missing: \`loom doctor\` says what is missing. Then the same command tries again.
    infrastructure: That is not about the code. The person who runs Loom here can look for the cause with \`loom doctor\`. Then \`/loom run\` tries again.
    infrastructure: \`loom doctor\` looks for what is wrong with this machine. Then the same command tries again.
    transient: The provider did not recover in time. When it is back, \`/loom run\` tries again.
    transient: The provider did not recover in time. When it is back, the same command tries again.
    contract-unmet: Another try may do better: \`/loom run\` tries again.
    contract-unmet: Another try may do better: the same command tries again.
    context-overflow: 
    context-overflow: "
  `);
});
