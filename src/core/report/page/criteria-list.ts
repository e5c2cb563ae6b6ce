import { counted, formatDuration } from "../../text/durations.ts";
import { countLeaves, leavesWith, rankOf, type Verdict } from "../../verify/verdict.ts";
import { type Html, html, prose } from "./html.ts";

const SIGNS = {
  passed: ["✓", "good"],
  warned: ["!", "warning"],
  ask: ["?", "warning"],
  failed: ["✗", "bad"],
} as const;
const MAX_CRITERIA = 200;
const MAX_OUTPUT = 20_000;

type Criterion = { readonly group: string; readonly verdict: Verdict };

/** Every criterion with its command, its exit code and the end of its output; what failed comes first and is open. */
export function criteriaList(verdict: Verdict): Html {
  const all = criteriaOf(verdict).sort((a, b) => rankOf(a.verdict) - rankOf(b.verdict));
  const left = all.length - MAX_CRITERIA;
  return html`<ul class="checks">${all.slice(0, MAX_CRITERIA).map(criterion)}${left > 0 ? html`<li class="soft">And ${left} more.</li>` : null}</ul>`;
}

/** Such as "4 of 5". */
export function countHeld(verdict: Verdict): { readonly held: number; readonly total: number } {
  const total = countLeaves(verdict);
  const open = leavesWith(verdict, "failed").length + leavesWith(verdict, "ask").length;
  return { held: total - open, total };
}

function criteriaOf(verdict: Verdict, group = ""): Criterion[] {
  if (verdict.children.length > 0)
    return verdict.children.flatMap((child) => criteriaOf(child, verdict.title));
  return verdict.evidence || verdict.detail ? [{ group, verdict }] : [];
}

function criterion({ group, verdict }: Criterion): Html {
  const [sign, tone] = SIGNS[verdict.outcome];
  // A plan may say in words what a command is for; the words are no code.
  const isWords = verdict.evidence?.command != null && verdict.evidence.command !== verdict.title;
  const title = isWords ? prose(verdict.title) : html`<code>${verdict.title}</code>`;
  const about = [group, result(verdict)].filter((text) => text !== "").join(" · ");
  return html`<li><span class="sign ${tone}" aria-label="${verdict.outcome}">${sign}</span>${title} <span class="soft">${prose(about)}</span>${output(verdict)}</li>`;
}

function result({ evidence, detail }: Verdict): string {
  const facts = [
    ...(detail ? [detail] : []),
    ...(evidence?.timedOut ? ["timed out"] : []),
    ...(evidence?.exitCode == null || detail?.includes("exit") ? [] : [`exit code ${evidence.exitCode}`]),
    ...(evidence?.durationMs == null ? [] : [formatDuration(evidence.durationMs)]),
  ];
  return facts.join(" · ");
}

function output({ title, evidence, outcome }: Verdict): Html | null {
  if (!evidence) return null;
  const command = evidence.command !== null && evidence.command !== title ? `$ ${evidence.command}\n` : "";
  const text = `${command}${evidence.output.slice(-MAX_OUTPUT).trimEnd()}`;
  if (text.trim() === "") return null;
  const cut = evidence.cutBytes + Math.max(0, evidence.output.length - MAX_OUTPUT);
  const note = cut > 0 ? `The end of the output; ${counted(cut, "byte")} before it left out` : "Output";
  return html`<details${outcome === "failed" || outcome === "ask" ? html` open` : null}><summary>${note}</summary><pre>${text}</pre></details>`;
}
