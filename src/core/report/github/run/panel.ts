import type { Verb } from "../../../command/command.ts";
import { COMMANDS } from "../../../command/commands.ts";
import { assertNever } from "../../../errors.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeMarkdown, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { markdownTable } from "../../../markdown/markdown-table.ts";
import { counted, formatElapsed } from "../../../text/durations.ts";
import { listSome } from "../../../text/list-some.ts";
import { formatUsd } from "../../../text/money.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { GROUPS, type Group } from "../../terminal/stage-words.ts";
import { runnerTexts } from "../../texts/runner-texts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { writeMarker } from "../markdown/marker.ts";
import { renderAsk } from "./asks.ts";
import type { HostedStatus, PanelView, StageView } from "./views.ts";

const MAX_ROWS = 150;
const MAX_ASKS = 12;

/** The one comment of a run, edited in place: how it stands, who has to act, what happens next, how to steer. */
export function renderPanel(view: PanelView): string {
  const parts = [
    writeMarker({ kind: "panel", run: view.runId }),
    `### Loom: ${escapeMarkdown(view.title, 120)}`,
    headline(view),
    renderUnserved(view),
    renderAsks(view),
    renderStages(view.stages),
    whatHappensNext(view),
    renderSteering(view.status),
  ];
  return cutMarkdown(`${parts.filter((part) => part !== "").join("\n\n")}\n`, MAX_COMMENT);
}

/** A reply to `status`: the panel without its table. */
export function renderStatusReply(view: PanelView): string {
  const parts = [headline(view), renderUnserved(view), renderAsks(view), whatHappensNext(view)];
  return cutMarkdown(`${parts.filter((part) => part !== "").join("\n\n")}\n`, MAX_COMMENT);
}

const STATUS_WORDS: Readonly<Record<HostedStatus, string>> = {
  planning: "Planning",
  "plan-review": "The plan waits for approval",
  running: "Running",
  paused: "Paused",
  blocked: "Blocked",
  failed: "Failed",
  completed: "Done",
  cancelled: "Cancelled",
  suspended: "Stopped: Loom has no access",
};

function headline(view: PanelView): string {
  const counts = countGroups(view.stages);
  const groups = (["done", ...GROUPS.filter((group) => group !== "done")] as Group[])
    .filter((group) => counts[group] > 0)
    .map((group) => `${counts[group]} ${group === "needs you" && counts[group] > 1 ? "need you" : group}`);
  const left = view.stages.filter(isLeftOut).length;
  if (left > 0) groups.push(`${left} skipped`);
  const facts = [
    `**${STATUS_WORDS[view.status]}**`,
    ...(view.stages.length > 0 ? [`${counted(view.stages.length, "stage")}: ${groups.join(", ")}`] : []),
    ...(view.elapsedMs === null ? [] : [formatElapsed(view.elapsedMs)]),
    ...spending(view),
  ];
  const plan = view.planPr === null ? "" : ` Plan: #${view.planPr}${approvalWords(view)}.`;
  return `${facts.join(" · ")}\n\nRun ${code(view.runId)}${view.issue === null ? "" : ` for #${view.issue}`}.${plan}`;
}

function spending({ spentUsd, budgetUsd }: PanelView): string[] {
  if (spentUsd === null) return budgetUsd === null ? [] : [`at most ${formatUsd(budgetUsd)}`];
  return [budgetUsd === null ? formatUsd(spentUsd) : `${formatUsd(spentUsd)} of ${formatUsd(budgetUsd)}`];
}

function approvalWords({ approval, voided }: PanelView): string {
  if (approval)
    return `, approved by ${escapeMarkdown(approval.by)} (${escapeMarkdown(approval.role)}) at ${code(shortSha(approval.head))}`;
  return voided ? `; its approval no longer counts: ${escapeSentence(voided.replace(/\.$/, ""), 300)}` : "";
}

function countGroups(stages: readonly StageView[]): Record<Group, number> {
  const counts = { "needs you": 0, working: 0, blocked: 0, queued: 0, waiting: 0, done: 0 };
  for (const stage of stages) if (!isLeftOut(stage)) counts[stage.state.group] += 1;
  return counts;
}

/** Nobody waits for it any more, but it was not done either. */
function isLeftOut({ state }: StageView): boolean {
  return state.word === "skipped";
}

function renderAsks({ asks }: PanelView): string {
  if (asks.length === 0) return "";
  const lines = asks.slice(0, MAX_ASKS).map((ask) => `- ${renderAsk(ask).trimEnd()}`);
  const left = asks.length - lines.length;
  if (left > 0) lines.push(`- … and ${left} more.`);
  return `**Needs you**\n\n${lines.join("\n")}`;
}

function renderUnserved({ unserved = [] }: PanelView): string {
  return unserved.map(runnerTexts.unserved).join("\n\n");
}

function renderStages(stages: readonly StageView[]): string {
  const shown = pickRows(stages);
  const rows = shown.map((stage) => [
    stage.state.icon,
    `${code(stage.id)} ${escapeMarkdown(stage.name === stage.id ? "" : stage.name, 80)}`.trimEnd(),
    stateCell(stage),
    stage.pr === null ? "" : `#${stage.pr}`,
    stage.checks ? `${stage.checks.passed} of ${counted(stage.checks.total, "check")}` : "",
    stage.elapsedMs === null ? "" : formatElapsed(stage.elapsedMs),
  ]);
  const table = markdownTable(["", "Stage", "State", "PR", "Evidence", "Time"], rows);
  const left = stages.length - shown.length;
  return left > 0 ? `${table}\n\n… and ${counted(left, "more stage")}.` : table;
}

function stateCell({ state, note, dependencies }: StageView): string {
  const after =
    state.group === "waiting" && !note && dependencies.length > 0 ? `after ${listed(dependencies)}` : "";
  const says = note ? escapeSentence(note, 160) : after;
  return says === "" ? state.word : `${state.word}: ${says}`;
}

function listed(ids: readonly string[]): string {
  return listSome(ids, 4, (id) => code(id));
}

/** Too many to show: those that somebody has to look at come first, the done ones go first. */
function pickRows(stages: readonly StageView[]): readonly StageView[] {
  if (stages.length <= MAX_ROWS) return stages;
  const rank = ({ state }: StageView): number => GROUPS.indexOf(state.group);
  const picked = new Set(stages.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_ROWS));
  return stages.filter((stage) => picked.has(stage));
}

function whatHappensNext(view: PanelView): string {
  const target = code(view.target);
  switch (view.status) {
    case "planning":
      return "Next: Loom writes the plan and opens it as a pull request. Nothing is built before somebody approves it.";
    case "plan-review":
      return "Next: once the plan is approved, the stages start. A push to the plan voids its approval.";
    case "running":
      return view.mergeMode === "auto"
        ? `Next: Loom merges each stage into ${target} when its checks pass, then starts what waits for it.`
        : `Next: each stage becomes a pull request when its checks pass, and what depends on it goes on at once. People merge into ${target}.`;
    case "paused":
      return `${pausedWords(view)}Next: nothing new starts until ${commandNames.resume()}.`;
    case "blocked":
      return "Next: nothing goes on by itself; see above what is needed.";
    case "failed":
      return `A critical stage is stuck, so the rest was not started. Next: ${commandNames.retry(null)} tries it again.`;
    case "completed":
      return `All that was planned is done. ${commandNames.archive()} removes the branches and labels that are left.`;
    case "cancelled":
      return `Cancelled${view.cancelledBy ? ` by ${escapeMarkdown(view.cancelledBy)}` : ""}. What was merged stays; ${commandNames.run()} starts again.`;
    case "suspended":
      return "Loom was removed from this repository or suspended, so nothing happens any more. When it is back, `/loom resume` goes on.";
    default:
      return assertNever(view.status);
  }
}

function pausedWords({ paused }: PanelView): string {
  if (!paused) return "";
  const reason = escapeSentence(paused.reason, 300);
  return `Paused by ${escapeMarkdown(paused.by)}${reason === "" ? "." : `: ${reason}`} `;
}

const STEERING: Readonly<Record<HostedStatus, readonly Verb[]>> = {
  planning: ["status", "cancel", "help"],
  "plan-review": ["approve", "revise", "cancel", "help"],
  running: ["status", "pause", "retry", "skip", "take", "answer", "revise", "cancel", "help"],
  paused: ["resume", "revise", "cancel", "help"],
  blocked: ["retry", "skip", "take", "revise", "cancel", "help"],
  failed: ["retry", "skip", "take", "revise", "cancel", "help"],
  completed: ["archive", "help"],
  cancelled: ["run", "archive", "help"],
  suspended: ["resume", "help"],
};

function renderSteering(status: HostedStatus): string {
  const rows = STEERING[status].map((verb) => [`\`${COMMANDS[verb].usage}\``, COMMANDS[verb].description]);
  const table = markdownTable(["Comment", "What it does"], rows);
  return `<details>\n<summary>How to steer</summary>\n\n${table}\n\n</details>`;
}
