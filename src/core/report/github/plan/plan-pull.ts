import { type RunOrder, withSynthesis } from "../../../graph/with-synthesis.ts";
import type { RunId, Sha } from "../../../ids.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import {
  code,
  escapeForCommit,
  escapeMarkdown,
  escapeSentence,
  escapeTitle,
  quoted,
} from "../../../markdown/escape-markdown.ts";
import { markdownTable } from "../../../markdown/markdown-table.ts";
import type { MergeRules } from "../../../merge/merge-rules.ts";
import type { CommandCheck, Plan, StagePlan } from "../../../plan/plan.ts";
import { describeProfile } from "../../../planning/describe-profile.ts";
import { parallelProfile } from "../../../planning/parallel-profile.ts";
import { readPlanProse } from "../../../planning/read-plan-prose.ts";
import { joinWraps, sanitizeProse } from "../../../planning/sanitize-prose.ts";
import type { PlanEstimate } from "../../../run/estimate-plan.ts";
import { counted, formatElapsed } from "../../../text/durations.ts";
import { listSome } from "../../../text/list-some.ts";
import { formatUsd } from "../../../text/money.ts";
import { type SandboxAsk, sandboxAsks } from "../../documents/sandbox-asks.ts";
import { sandboxTexts } from "../../texts/sandbox-texts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { writeMarker } from "../markdown/marker.ts";
import { slowingRules } from "../run/merge-rules.ts";
import { renderDiagram } from "./diagram.ts";
import { beyondLimits, type Ceilings, type PlanLimits, planCeilings } from "./plan-ceilings.ts";
import { howToApprove } from "./plan-check.ts";
import { type PlanGateView, renderPlanGate } from "./plan-gate.ts";

export type PlanPullView = {
  readonly runId: RunId;
  readonly plan: Plan;
  readonly graph: RunOrder;
  readonly planPath: string;
  readonly issue: { readonly number: number; readonly title: string } | null;
  readonly requestedBy: string;
  /** The planner's words, or the issue's. */
  readonly why: string | null;
  readonly target: string;
  readonly mergeMode: "review" | "auto";
  readonly limits: PlanLimits;
  readonly gate: PlanGateView;
  /** null when GitHub could not commands. */
  readonly rules: MergeRules | null;
  readonly approval: { readonly label: string; readonly leastRole: string };
  /** null before the branch exists; the body can be edited once it does. */
  readonly head: Sha | null;
  /** The document that Loom composed, for its prose; without it there is only `why`. */
  readonly planText?: string | null;
  /** What Loom fixed in the planner's draft, or let pass. */
  readonly notes?: readonly string[];
  /** Where the design stands in the repository. */
  readonly designPath?: string | null;
  /** The agents of the roster that can only read. */
  readonly readOnlyAgents?: ReadonlySet<string>;
  readonly estimate?: PlanEstimate | null;
  /** It was approved before it was written. */
  readonly express?: boolean;
  readonly unconfined?: boolean;
};

const MAX_ROWS = 200;
const MAX_ITEMS = 4;
const MAX_NOTES = 20;
/** Whoever approves has to see each host, unless there are so many that nobody would read them. */
const MAX_ASKED = 100;

/** What people decide on: why, what, how it is proved, what it can cost at most, and how to say yes or no. */
export function planPull(given: PlanPullView): { readonly title: string; readonly body: string } {
  const view = { ...given, graph: withSynthesis(given.graph, given.plan.stages) };
  const ceilings = planCeilings(view.plan, view.graph, view.limits);
  const prose = view.planText ? readPlanProse(view.planText) : null;
  const parts = [
    writeMarker({ kind: "plan", run: view.runId }),
    opening(view),
    view.unconfined ? sandboxTexts.runHadNone() : "",
    view.why ? quoted(view.why, 2_000) : "",
    section("Why these stages", prose?.why),
    `### How to approve\n\n${howToApprove({ head: view.head, ...view.approval })}`,
    `### Stages\n\n${[renderDiagram(view.graph, ceilings.chain), stagesTable(view), renderProfile(view)].filter(Boolean).join("\n\n")}`,
    renderPlanGate(
      view.gate,
      view.plan.stages.filter((stage) => proofsOf(stage).length === 0).map(({ id }) => id),
    ),
    section("Out of scope", prose?.outOfScope),
    section("Risks", prose?.risks),
    renderNotes(view.notes ?? []),
    renderSandbox(sandboxAsks(view.plan)),
    `### Ceilings\n\n${renderCeilings(ceilings, view)}`,
    renderRules(view),
    `### How to change or drop it\n\n${howToChange(view)}`,
  ];
  const body = `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  const subject = view.issue?.title ?? view.plan.name ?? view.runId;
  return {
    title: `Plan: ${escapeTitle(subject, 100)}`,
    body: cutMarkdown(escapeForCommit(body), MAX_COMMENT, "The plan file has the rest."),
  };
}

/** The planner's words, or those of whoever edited the plan since. */
function section(title: string, text: string | undefined): string {
  const words = text ? sanitizeProse(joinWraps(text), 3_000) : "";
  return words === "" ? "" : `### ${title}\n\n${words}`;
}

function renderNotes(notes: readonly string[]): string {
  if (notes.length === 0) return "";
  const shown = notes.slice(0, MAX_NOTES).map((note) => `- ${escapeSentence(note, 500)}`);
  const left = notes.length - shown.length;
  if (left > 0) shown.push(`- … and ${counted(left, "more note")}.`);
  return `### Notes\n\nWhat Loom fixed in the planner's draft, or let pass:\n\n${shown.join("\n")}`;
}

function renderProfile({ graph, plan }: PlanPullView): string {
  if (graph.order.length < 2) return "";
  return describeProfile(parallelProfile(graph, plan))
    .slice(0, 2)
    .map((line) => `- ${line}`)
    .join("\n");
}

function opening(view: PlanPullView): string {
  const { issue, plan, graph, requestedBy, runId, planPath, target, designPath, express } = view;
  const what =
    issue === null
      ? escapeMarkdown(plan.name ?? runId, 200)
      : `#${issue.number}, ${escapeMarkdown(issue.title, 200)}`;
  const design = designPath ? ` It follows the design in ${code(designPath, 200)}.` : "";
  return (
    `A plan of ${counted(graph.order.length, "stage")} for ${what}, asked for by ${escapeMarkdown(requestedBy)}. ` +
    `It is in ${code(planPath, 200)}; its run is ${code(runId)}, and the work goes into ${code(target)}.${design} ` +
    (express ? "The command that asked for it approved it." : "Nothing runs before it is approved.")
  );
}

/** The column for agents is there when the plan chooses any. */
function stagesTable({ plan, graph, gate, readOnlyAgents }: PlanPullView): string {
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const withAgents = plan.stages.some(({ agent }) => agent !== null);
  const readsOnly = ({ agent }: StagePlan): boolean =>
    agent !== null && (readOnlyAgents?.has(agent) ?? false);
  const agentOf = (stage: StagePlan): string => {
    if (stage.agent === null) return "any";
    return readsOnly(stage) ? `${code(stage.agent, 60)} (reads only)` : code(stage.agent, 60);
  };
  const rows = graph.order.slice(0, MAX_ROWS).flatMap((id) => {
    const stage = stages.get(id);
    return stage
      ? [
          [
            stageCell(stage),
            ...(withAgents ? [agentOf(stage)] : []),
            stage.synthesis ? "all others" : some(stage.dependencies),
            some(stage.files, readsOnly(stage) ? "nothing" : "any file"),
            some(proofsOf(stage), gate.commands.length > 0 ? "the gate" : "**nothing**"),
          ],
        ]
      : [];
  });
  const left = graph.order.length - rows.length;
  const table = markdownTable(
    ["Stage", ...(withAgents ? ["Agent"] : []), "After", "May touch", "Proved by"],
    rows,
  );
  return left > 0 ? `${table}\n\n… and ${counted(left, "more stage")}, see the plan.` : table;
}

function stageCell({ id, name }: StagePlan): string {
  return name === id || name === "" ? code(id) : `${code(id)} ${escapeMarkdown(name, 100)}`;
}

function some(items: readonly string[], none = ""): string {
  return items.length === 0 ? none : listSome(items, MAX_ITEMS, (item) => code(item, 80));
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

function renderCeilings(ceilings: Ceilings, { estimate, limits }: PlanPullView): string {
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
      ...(ceilings.beyond.length > 0 ? [["Beyond the limits", beyondLimits(ceilings, limits)]] : []),
      ...(estimate ? [["Like earlier runs", likeEarlier(estimate)]] : []),
    ],
  );
}

function likeEarlier({ costUsd, timeMs, basis }: PlanEstimate): string {
  const cost = costUsd
    ? `about ${formatUsd(costUsd.typical)}, seldom more than ${formatUsd(costUsd.high)}; `
    : "";
  return (
    `${cost}about ${formatElapsed(timeMs.typical)}, seldom more than ${formatElapsed(timeMs.high)}, ` +
    "until all pull requests are open; reviews and merges come on top " +
    `(from ${counted(basis.stages, "stage")} of ${counted(basis.runs, "run")}; no promise)`
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

/** A changed plan is another plan, so it has to be approved anew. */
function howToChange({ planPath }: PlanPullView): string {
  return (
    `Comment ${code("/loom revise <what should be different>")} to have it changed, or push an edit of ${code(planPath, 200)} to this branch. ` +
    "Either way the approval has to be given again; stages that are finished stay finished. " +
    `Close this pull request, or comment ${commandNames.cancel()}, to drop the plan.`
  );
}
