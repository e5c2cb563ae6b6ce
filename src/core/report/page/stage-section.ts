import type { RunEvent, RunEventOf } from "../../run/events.ts";
import type { StageRecord } from "../../run/run.ts";
import { counted, formatDuration } from "../../text/durations.ts";
import type { Verdict } from "../../verify/verdict.ts";
import { shortSha } from "../terminal/run-counts.ts";
import { usageLines } from "../terminal/usage-lines.ts";
import { countHeld, criteriaList } from "./criteria-list.ts";
import { type Html, html, prose } from "./html.ts";
import type { PageView } from "./page-view.ts";
import { stateBadge } from "./stage-table.ts";

const MAX_FILES = 30;

/** One stage: what was asked for, then every attempt with its evidence, the last one first. */
export function stageSection(view: PageView, id: string, record: StageRecord): Html {
  const { plan, files, moreFiles = 0, dialogue } = record;
  const own = view.events.filter((event) => "stage" in event && event.stage === id);
  const attempts = attemptsOf(own).toReversed();
  return html`<section class="stage" id="${view.anchor(id)}"><header><h3><span class="mono">${id}</span></h3><span class="soft">${plan.name === id ? "" : plan.name}</span>${stateBadge(record, view)}</header>
${plan.description.trim() === "" ? null : html`<p>${prose(plan.description.trim())}</p>`}
<p class="soft">${facts(view, record)}</p>
${files.length > 0 ? html`<details><summary>${counted(files.length + moreFiles, "changed file")}</summary><pre>${fileList(files, moreFiles)}</pre></details>` : null}
${record.warnings.map((text) => html`<p class="warning">${prose(text)}</p>`)}
${record.deniedHosts.length > 0 ? html`<p class="warning">Hosts that were refused: ${record.deniedHosts.join(", ")}.</p>` : null}
${saidBy(record)}
${dialogue.map(({ question, answer }) => html`<p><strong>Asked:</strong> ${question}<br><strong>Answer:</strong> ${answer ?? "none yet"}</p>`)}
${attempts.map((attempt, index) => attemptPart(view, attempt, index === 0))}
</section>`;
}

/** What an agent says about its work proves nothing, so it stays folded; a diagnosis is the work itself. */
function saidBy({ plan, report }: StageRecord): Html | null {
  const text = report?.text.trim() ?? "";
  if (text === "") return null;
  return plan.type === "investigate"
    ? html`<details open><summary>Diagnosis</summary><pre>${text}</pre></details>`
    : html`<details><summary>What the agent says</summary><pre>${text}</pre></details>`;
}

function facts(view: PageView, record: StageRecord): Html[] {
  const { plan, state, pr } = record;
  const merged = state.kind === "completed" ? state.merged : null;
  const parts = [
    ...(plan.dependencies.length > 0 ? [html`after ${plan.dependencies.join(", ")}`] : []),
    ...(pr === null ? [] : [html`pull request ${view.pull(pr)}`]),
    ...(merged === null ? [] : [html`merged as <code>${shortSha(merged)}</code>`]),
    ...usageLines([...record.usageBy].map(([name, usage]) => ({ name, usage }))).map((line) => html`${line}`),
    ...(record.takenBy === null ? [] : [html`done by ${record.takenBy}`]),
    ...("failure" in state ? [html`<span class="bad">${prose(state.failure.message)}</span>`] : []),
    ...(state.kind === "skipped" ? [html`${state.reason}`] : []),
  ];
  return parts.map((part, index) => (index === 0 ? part : html` · ${part}`));
}

function fileList(files: readonly string[], moreFiles: number): string {
  const left = Math.max(0, files.length - MAX_FILES) + moreFiles;
  return `${files.slice(0, MAX_FILES).join("\n")}${left > 0 ? `\n… and ${left} more` : ""}`;
}

type Attempt = {
  readonly number: number;
  readonly startedAt: string | null;
  readonly endedAt: string;
  readonly reason: Exclude<RunEventOf<"session-started">["prompt"], "follow-up">;
  readonly failure: RunEventOf<"attempt-failed">["failure"] | null;
  readonly conflict: readonly string[] | null;
  readonly commit: string | null;
  readonly verdict: Verdict | null;
};

/** The ledger of one stage, attempt by attempt. */
function attemptsOf(events: readonly RunEvent[]): Attempt[] {
  const attempts = new Map<number, Attempt>();
  for (const event of events) {
    if (!("attempt" in event) || event.type === "stage-queued") continue;
    const known = attempts.get(event.attempt) ?? fresh(event.attempt, event.at);
    attempts.set(event.attempt, withEvent(known, event));
  }
  return [...attempts.values()];
}

function fresh(number: number, at: string): Attempt {
  return {
    number,
    startedAt: null,
    endedAt: at,
    reason: "stage",
    failure: null,
    conflict: null,
    commit: null,
    verdict: null,
  };
}

function withEvent(attempt: Attempt, event: RunEvent): Attempt {
  const next = { ...attempt, endedAt: event.at };
  switch (event.type) {
    case "attempt-started":
      return { ...next, startedAt: event.at };
    case "session-started":
      return {
        ...next,
        startedAt: attempt.startedAt ?? event.at,
        reason: event.prompt === "follow-up" ? attempt.reason : event.prompt,
      };
    case "attempt-committed":
      return { ...next, commit: event.commit };
    case "attempt-verified":
    case "merge-proved":
      return { ...next, verdict: event.verdict };
    case "attempt-failed":
      return { ...next, failure: event.failure, verdict: event.verdict ?? attempt.verdict };
    case "merge-held":
      return { ...next, failure: event.failure };
    case "merge-conflicted":
      return { ...next, conflict: event.files };
    default:
      return next;
  }
}

const REASONS: Readonly<Record<Attempt["reason"], string>> = {
  stage: "",
  knowledge: "",
  retry: "after a failure",
  recovery: "after an interruption",
  "hand-off": "after a hand-off",
  "merge-conflict": "to resolve a conflict",
};

function attemptPart(view: PageView, attempt: Attempt, isLast: boolean): Html {
  const { verdict, failure, conflict, commit } = attempt;
  const reason = REASONS[attempt.reason];
  const took =
    attempt.startedAt === null ? null : Date.parse(attempt.endedAt) - Date.parse(attempt.startedAt);
  const held = verdict ? countHeld(verdict) : null;
  return html`<div class="attempt"><p><strong>Attempt ${attempt.number}</strong>${reason === "" ? null : ` ${reason}`} <span class="soft">${attempt.startedAt === null ? null : view.moment(attempt.startedAt)}${took === null || took === 0 ? null : ` · ${formatDuration(took)}`}${commit === null ? null : html` · <code>${shortSha(commit)}</code>`}</span></p>
${conflict ? html`<p class="warning">It conflicted with what was merged meanwhile: ${conflict.join(", ")}.</p>` : null}
${failure ? html`<p class="bad">${prose(failure.message)}</p>${failure.evidence && !verdict ? html`<details><summary>Evidence</summary><pre>${failure.evidence}</pre></details>` : null}` : null}
${verdict && held ? evidence(verdict, held, isLast || failure !== null) : null}</div>`;
}

function evidence(verdict: Verdict, held: { held: number; total: number }, isOpen: boolean): Html {
  return html`<details${isOpen ? html` open` : null}><summary>${held.held} of ${counted(held.total, "check")} held</summary>${criteriaList(verdict)}</details>`;
}
