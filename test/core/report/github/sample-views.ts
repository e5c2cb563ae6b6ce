import type {
  PanelView,
  StageCheckView,
  StagePullView,
  StageView,
} from "../../../../src/core/report/github/run/views.ts";
import { branch, type Evidence, leaf, type Verdict } from "../../../../src/core/verify/verdict.ts";

export const HEAD = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";

export function ran(command: string, parts: Partial<Evidence> = {}): Evidence {
  return { command, exitCode: 0, durationMs: 340, timedOut: false, output: "", cutBytes: 0, ...parts };
}

export const GREEN: Verdict = branch("checks", [
  branch("setup", [
    leaf("passed", "npm ci", null, ran("npm ci", { durationMs: 2140, output: "added 12 packages\n" })),
  ]),
  branch("acceptance", [
    leaf("passed", "The tests pass", null, ran("npm test | tee log", { output: "9 of 9\n" })),
  ]),
  leaf("warned", "files", "changed outside of the stage's own files: `src/<b>.ts`"),
]);

export const RED: Verdict = branch("checks", [
  branch("acceptance", [
    leaf("passed", "npm run lint", null, ran("npm run lint")),
    leaf(
      "failed",
      "npm test",
      "exited with 1 (expected 0)",
      ran("npm test", {
        exitCode: 1,
        output: "\u001b[31m1 of 9 failed\u001b[0m\n```\n@team fixes #1\n```\n",
        cutBytes: 5000,
      }),
    ),
  ]),
  branch("artifacts", [leaf("failed", "src/auth/*.ts", "names no regular file of the commit")]),
]);

export function aStageView(id: string, parts: Partial<StageView> = {}): StageView {
  return {
    id,
    name: `Build ${id}`,
    state: { icon: "·", word: "waiting", group: "waiting" },
    level: 0,
    pr: null,
    checks: null,
    elapsedMs: null,
    attempt: 0,
    dependencies: [],
    note: null,
    ...parts,
  };
}

export function aPanel(parts: Partial<PanelView> = {}): PanelView {
  return {
    runId: "login-1a2b3c4d",
    title: "Let people log in",
    issue: 12,
    target: "main",
    status: "running",
    mergeMode: "review",
    planPr: 13,
    approval: { by: "octocat", role: "maintain", head: HEAD },
    voided: null,
    paused: null,
    cancelledBy: null,
    stages: [],
    asks: [],
    elapsedMs: 725_000,
    spentUsd: 1.2,
    budgetUsd: 20,
    ...parts,
  };
}

export function aPull(parts: Partial<StagePullView> = {}): StagePullView {
  return {
    runId: "login-1a2b3c4d",
    stage: "build-api",
    name: "Build the API",
    description: "Adds the route.\n\nKeeps the old one.",
    attempt: 2,
    commit: HEAD,
    files: ["src/api.ts", "test/api.test.ts"],
    verdict: GREEN,
    dependsOn: [],
    neededBy: [],
    planPr: 13,
    issue: 12,
    target: "main",
    mergeMode: "review",
    takenBy: null,
    ...parts,
  };
}

export function aCheckView(parts: Partial<StageCheckView>): StageCheckView {
  return {
    runId: "login-1a2b3c4d",
    stage: "build-api",
    name: "Build the API",
    attempt: 1,
    state: { kind: "queued" },
    verdict: null,
    planPr: 13,
    deniedHosts: [],
    warnings: [],
    report: null,
    usedBy: [],
    ...parts,
  };
}
