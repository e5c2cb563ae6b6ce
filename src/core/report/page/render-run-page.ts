import { addUsage, type Usage } from "../../budget/usage.ts";
import type { RunEvent } from "../../run/events.ts";
import type { Run, RunStatus } from "../../run/run.ts";
import { usageByAgent } from "../../run/usage-by-agent.ts";
import { counted, formatDuration } from "../../text/durations.ts";
import { formatUsd } from "../../text/money.ts";
import type { Tone } from "../terminal/paint.ts";
import { mergedCount, runTime, shortSha, stagesInOrder } from "../terminal/run-counts.ts";
import { usageLines } from "../terminal/usage-lines.ts";
import { eventsList } from "./events-list.ts";
import { type Html, html } from "./html.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { createPageView, type PageView, type RunPageOptions } from "./page-view.ts";
import { planDiagram } from "./plan-diagram.ts";
import { stageSection } from "./stage-section.ts";
import { formatCount, stageTable } from "./stage-table.ts";
import { timeline } from "./timeline.ts";

const MAX_PLAN = 300_000;
/** Nothing may run or be loaded, whatever a text in it says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** A run as one page that needs nothing else: how it ended, what was planned, what happened when, and the evidence. */
export function renderRunPage(run: Run, events: readonly RunEvent[], options: RunPageOptions): string {
  const view = createPageView(run, events, options);
  const title = titleOf(run);
  const sections = stagesInOrder(run).map(([id, record]) => stageSection(view, id, record));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${title} · Loom</title>${PAGE_STYLE}</head>
<body><main>
${opening(view, title)}
<h2>The plan</h2>
${planDiagram(view)}
<h2>When it happened</h2>
${timeline(view)}
<h2>Stages</h2>
${stageTable(view)}
<h2>Evidence</h2>
${sections}
<h2>For the record</h2>
<details class="wide"><summary>The plan as it was approved</summary><pre>${run.planText.slice(0, MAX_PLAN)}</pre></details>
${eventsList(view)}
<footer>Run <code>${run.id}</code>, from <code>${shortSha(run.base)}</code> on ${run.target}. Times are local; point at one to see it in UTC.</footer>
</main></body></html>
`;
  return page.markup;
}

function titleOf(run: Run): string {
  const heading = /^#\s+(.+)$/m.exec(run.planText)?.[1];
  return run.origin?.title ?? run.plan.name ?? run.name ?? heading ?? run.id;
}

const OUTCOMES: Readonly<Record<RunStatus, readonly [string, Tone]>> = {
  running: ["● running", "busy"],
  completed: ["✓ completed", "good"],
  failed: ["✗ failed", "bad"],
  blocked: ["✗ blocked", "bad"],
  cancelled: ["– cancelled", "quiet"],
};

function opening(view: PageView, title: string): Html {
  const { run } = view;
  const [word, tone] = OUTCOMES[run.status];
  const where = run.origin
    ? `${run.origin.repo.owner}/${run.origin.repo.name} · issue #${run.origin.issue}`
    : run.planPath;
  return html`<p class="eyebrow">Loom · ${where}</p>
<h1>${title}</h1>
<p><span class="badge ${tone}">${word}</span> <span class="soft">${sentence(view)}</span></p>
<dl class="facts">${facts(view).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function sentence({ run, events }: PageView): string {
  const failed = events.filter(({ type }) => type === "attempt-failed").length;
  const conflicts = events.filter(({ type }) => type === "merge-conflicted").length;
  const trouble = [
    ...(failed > 0 ? [counted(failed, "failed attempt")] : []),
    ...(conflicts > 0 ? [counted(conflicts, "merge conflict")] : []),
  ];
  return `${mergedCount(run)} of ${counted(run.stages.size, "stage")} merged into ${run.target}${trouble.length > 0 ? `, with ${trouble.join(" and ")} on the way` : ""}.`;
}

function facts(view: PageView): (readonly [string, Html])[] {
  const { run } = view;
  const records = [...run.stages.values()];
  const usage = records.reduce<Usage | null>((sum, record) => addUsage(sum, record.usage), null);
  const attempts = records.reduce((sum, record) => sum + record.attempts, 0);
  const { approval, origin } = run;
  return [
    ["Started", view.moment(run.createdAt)],
    ["Took", html`${formatDuration(runTime(run, view.now))}`],
    ...(origin ? [["Asked for by", html`${origin.by}`] as const] : []),
    ...(approval.kind === "given"
      ? [["Approved by", html`${approval.by} <span class="soft">(${approval.role})</span>`] as const]
      : []),
    ["Attempts", html`${attempts}`],
    ...(usage ? [["Tokens", html`${formatCount(usage.inputTokens + usage.outputTokens)}`] as const] : []),
    ...(usage?.costUsd == null ? [] : [["Cost", html`${formatUsd(usage.costUsd)}`] as const]),
    ...agentFacts(run),
    ["Merges", html`${run.merge.mode === "auto" ? "by Loom" : "by people"}`],
  ];
}

/** One agent is told by the tokens above already. */
function agentFacts(run: Run): (readonly [string, Html])[] {
  const used = [...usageByAgent(run)].map(([name, usage]) => ({ name, usage }));
  return used.length < 2 ? [] : [["Agents", html`${usageLines(used).join("; ")}`]];
}
