import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DraftRules } from "../../../src/core/planning/draft/check-draft.ts";
import type { PlanningLimits } from "../../../src/core/planning/planning-input.ts";
import type { Task } from "../../../src/core/task/task.ts";
import type { Question } from "../../../src/core/task/task-events.ts";
import { packageRoot } from "../../../src/wiring/folders/package-root.ts";
import { A_WISH, aTask as taskOf } from "../../support/a-task.ts";

const promptText = (path: string): string => readFileSync(join(packageRoot(), "prompts", path), "utf8");

export const PLAN_TEMPLATE = promptText("templates/implementation-plan.md");
export const DESIGN_TEMPLATE = promptText("templates/design-document.md");
export const FORMAT = promptText("planning/format.md");

export const CREATED = "2026-03-01T10:00:00.000Z";

export const AGENTS = new Map([
  ["coder", { readOnly: false }],
  ["tester", { readOnly: false }],
  ["code-reviewer", { readOnly: true, noShell: true }],
]);

export const LIMITS: PlanningLimits = {
  maxStages: 40,
  maxParallel: 4,
  retries: 2,
  timeoutSecs: 3_600,
  noProgressSecs: 1_800,
  runsOn: null,
  budgetUsd: 20,
  protectedPaths: [],
  gate: [],
};

export function draftRules(parts: Partial<DraftRules> = {}): DraftRules {
  return {
    mode: "guided",
    limits: LIMITS,
    agents: AGENTS,
    checkPattern: () => null,
    complexity: "medium",
    title: "Limit the rate of requests",
    created: CREATED,
    designRef: null,
    goal: "Requests per minute and route are to be limited.",
    template: PLAN_TEMPLATE,
    ...parts,
  };
}

export const STAGES = `loom:
  version: 1
  stages:
    - id: parse-limits
      name: Read the limits
      description: Add readLimits.
      agent: coder
      files: [src/limits.ts]
      acceptance: [npm test]
    - id: enforce-limits
      name: Answer 429
      description: Use readLimits.
      agent: coder
      dependencies: [parse-limits]
      files: [src/server.ts]
      acceptance: [npm test]
    - id: document-limits
      name: Describe the limits
      description: Say it in the README.
      agent: tester
      dependencies: [parse-limits]
      files: [README.md]
      acceptance: [grep -q 429 README.md]
`;

export const PROSE = `## Why these stages

The limits come first, because both others need them.

## Out of scope

- Limits per user

## Risks

- \`enforce-limits\` could slow down every request.
`;

export const ANSWER = `${PROSE}\n\`\`\`yaml\n${STAGES}\`\`\`\n`;

export function aQuestion(parts: Partial<Question> = {}): Question {
  const options = ["Redis, which the queue uses", "A table in the database"];
  return { text: "Where are limits kept?", options, usual: options[0] ?? "", why: "", ...parts };
}

/** A task on issue 12 that is to plan. */
export function aTask(parts: Partial<Task> = {}): Task {
  const plan = { ...A_WISH, maxStages: 40, budgetUsd: 20 };
  const { origin, ...task } = taskOf("plan", [], {
    title: "Limit the rate of requests",
    body: "Some clients call us too often.",
    plan,
  });
  return { ...task, origin: origin && { ...origin, issue: 12 }, ...parts };
}
