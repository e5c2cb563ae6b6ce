import type { StageGraph } from "../../graph/stage-graph.ts";
import type { RunId, Sha } from "../../ids.ts";
import type { CommandCheck, Plan, StagePlan } from "../../plan/plan.ts";
import { counted, formatElapsed } from "../durations.ts";
import { type SandboxAsk, sandboxAsks } from "../sandbox-asks.ts";
import { cutMarkdown, MAX_COMMENT } from "./cut-markdown.ts";
import { renderDiagram } from "./diagram.ts";
import { say } from "./hosted-commands.ts";
import { code, inert, inertInCommit, inertTitle, quoted } from "./inert.ts";
import { markdownTable } from "./markdown-table.ts";
import { writeMarker } from "./marker.ts";
import { type MergeRulesView, slowingRules } from "./merge-rules.ts";
import { formatUsd } from "./money.ts";
import { type Ceilings, type PlanLimits, planCeilings } from "./plan-ceilings.ts";
import { howToApprove } from "./plan-check.ts";

export type PlanPullView = {
  readonly runId: RunId;
  readonly plan: Plan;
  readonly graph: StageGraph;
  readonly planPath: string;
  readonly issue: { readonly number: number; readonly title: string } | null;
  readonly requestedBy: string;
  /** The planner's words, or the issue's. */
  readonly why: string | null;
  readonly target: string;
  readonly mergeMode: "review" | "auto";
  readonly limits: PlanLimits;
  /** null when GitHub could not say. */
  readonly rules: MergeRulesView | null;
  readonly approval: { readonly label: string; readonly leastRole: string };
  /** null before the branch exists; the body can be edited once it does. */
  readonly head: Sha | null;
};

const MAX_ROWS = 200;
const MAX_ITEMS = 4;
/** Whoever approves has to see each host, unless there are so many that nobody would read them. */
const MAX_ASKED = 100;

/** What people decide on: why, what, how it is proved, what it can cost at most, and how to say yes or no. */
export function planPull(view: PlanPullView): { readonly title: string; readonly body: string } {
  const ceilings = planCeilings(view.plan, view.graph, view.limits);
  const parts = [
    writeMarker({ kind: "plan", run: view.runId }),
    opening(view),
    view.why ? quoted(view.why, 2_000) : "",
    `### How to approve\n\n${howToApprove({ head: view.head, ...view.approval })}`,
    `### Stages\n\n${[renderDiagram(view.graph, ceilings.chain), stagesTable(view)].filter(Boolean).join("\n\n")}`,
    renderSandbox(sandboxAsks(view.plan)),
    `### Ceilings\n\n${renderCeilings(ceilings)}`,
    renderRules(view),
    `### How to change or drop it\n\n${howToChange()}`,
  ];
  const body = `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  const subject = view.issue?.title ?? view.plan.name ?? view.runId;
  return {
    title: `Plan: ${inertTitle(subject, 100)}`,
    body: cutMarkdown(inertInCommit(body), MAX_COMMENT, "The plan file has the rest."),
  };
}

function opening({ issue, plan, graph, requestedBy, runId, planPath, target }: PlanPullView): string {
  const what =
    issue === null ? inert(plan.name ?? runId, 200) : `#${issue.number}, ${inert(issue.title, 200)}`;
  return (
    `A plan of ${counted(graph.order.length, "stage")} for ${what}, asked for by ${inert(requestedBy)}. ` +
    `It stands in ${code(planPath, 200)}; run ${code(runId)}, into ${code(target)}. Nothing runs before it is approved.`
  );
}

function stagesTable({ plan, graph }: PlanPullView): string {
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const rows = graph.order.slice(0, MAX_ROWS).flatMap((id) => {
    const stage = stages.get(id);
    return stage
      ? [
          [
            stageCell(stage),
            some(stage.dependencies),
            some(stage.files, "any file"),
            some(proofsOf(stage), "the gate"),
          ],
        ]
      : [];
  });
  const left = graph.order.length - rows.length;
  const table = markdownTable(["Stage", "After", "May touch", "Proved by"], rows);
  return left > 0 ? `${table}\n\n… and ${counted(left, "more stage")}, see the plan.` : table;
}

function stageCell({ id, name }: StagePlan): string {
  return name === id || name === "" ? code(id) : `${code(id)} ${inert(name, 100)}`;
}

function some(items: readonly string[], none = ""): string {
  if (items.length === 0) return none;
  const shown = items.slice(0, MAX_ITEMS).map((item) => code(item, 80));
  return items.length > MAX_ITEMS
    ? `${shown.join(", ")} and ${items.length - MAX_ITEMS} more`
    : shown.join(", ");
}

function proofsOf(stage: StagePlan): string[] {
  const commands = (checks: readonly CommandCheck[]): string[] =>
    checks.map(({ description, command }) => description ?? command);
  return [
    ...commands(stage.acceptance),
    ...commands(stage.truths),
    ...commands(stage.after),
    ...(stage.regressionTest
      ? [stage.regressionTest.command ?? stage.regressionTest.file ?? "a regression test"]
      : []),
    ...stage.artifacts.map((path) => `${path} exists`),
    ...stage.wiring.map(({ description, source }) => description ?? `${source} is wired`),
  ];
}

function renderSandbox(asks: readonly SandboxAsk[]): string {
  if (asks.length === 0) return "";
  const lines = asks.map(({ what, items }) => {
    const shown = items.slice(0, MAX_ASKED).map(({ text, stages }) => {
      return stages === null ? code(text) : `${code(text)} (${some(stages)})`;
    });
    const left = items.length - shown.length;
    return `- ${what}: ${shown.join(", ")}${left > 0 ? ` and ${left} more, see the plan` : ""}`;
  });
  return `### Sandbox\n\nWith the plan you approve what it asks of the sandbox, for all stages unless some are named:\n\n${lines.join("\n")}`;
}

function renderCeilings(ceilings: Ceilings): string {
  const chain = ceilings.chain.slice(0, 12).map((id) => code(id));
  const left = ceilings.chain.length - chain.length;
  return markdownTable(
    ["At most", ""],
    [
      ["Cost", ceilings.costUsd === null ? "no ceiling is set" : formatUsd(ceilings.costUsd)],
      [
        "Time",
        `${formatElapsed(ceilings.chainSecs * 1000)}, if every attempt on the longest chain took all of its time`,
      ],
      [
        "Agents",
        `${ceilings.parallel} at a time, ${counted(ceilings.attempts, "attempt")} in all, ${formatElapsed(ceilings.agentSecs * 1000)} together`,
      ],
      ["Critical path", `${chain.join(" → ")}${left > 0 ? ` → … (${left} more)` : ""}`],
    ],
  );
}

function renderRules({ rules, mergeMode, target }: PlanPullView): string {
  const mode =
    mergeMode === "auto"
      ? `Loom merges each stage into ${code(target)} once it is proved and the required checks pass.`
      : `People merge. Each stage is a pull request of its own; those that depend on it stack on it.`;
  const slow = rules ? slowingRules(rules) : ["GitHub did not say which rules hold for this branch."];
  const list = slow.length > 0 ? `\n\n${slow.map((rule) => `- ${rule}`).join("\n")}` : "";
  return `### Merging\n\n${mode}${list}`;
}

/** The run is bound to these very bytes, so another plan is another run. */
function howToChange(): string {
  return (
    `Close this pull request, or comment ${say.cancel()}, to drop the plan. To have another one, drop it, say in the issue what ` +
    `should be different and comment ${say.run()} again; or put your own plan into the repository and name it: ${code("/loom run path/to/PLAN.md")}.`
  );
}
