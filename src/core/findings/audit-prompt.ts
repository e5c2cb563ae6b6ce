import type { Audit } from "../command/task-kinds.ts";
import type { AgentProfile } from "../plan/agent-profile.ts";
import { composePrompt } from "../prompt/compose-prompt.ts";
import type { Part } from "../prompt/fit-parts.ts";
import type { PromptTexts } from "../prompt/prompt-texts.ts";
import { type Change, type ChangePrompt, fitChange } from "../task/fit-change.ts";
import type { Task } from "../task/task.ts";
import {
  type Knowledge,
  knowledgeParts,
  mapPart,
  nowPart,
  ownPart,
  requestPart,
  theirs,
  threadParts,
  WORTH,
} from "../task/task-parts.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { type EarlierFinding, type EarlierFindings, shownOf } from "./earlier-finding.ts";

const AGENTS: Readonly<Record<Audit, string>> = {
  review: "code-reviewer",
  debug: "debugger",
  "security-audit": "security-engineer",
  "perf-check": "performance-engineer",
  "seo-audit": "seo-specialist",
  "a11y-audit": "accessibility-specialist",
  "compliance-check": "compliance-reviewer",
};

/** Which specialist of the roster does it. */
export function agentForAudit(audit: Audit): string {
  return AGENTS[audit];
}

export type AuditInput = {
  readonly audit: Audit;
  readonly task: Pick<Task, "text" | "title" | "body" | "isPull" | "thread">;
  /** null: it was removed from the roster. */
  readonly agent: Pick<AgentProfile, "body"> | null;
  /** What is looked at; null: all that is there. */
  readonly change: Change | null;
  /** What audits of this kind said here before. */
  readonly earlier: Pick<EarlierFindings, "open" | "settled">;
  /** Why the answer of the session before this one could not be read, where there was one. */
  readonly problem?: string | null;
  readonly map: string | null;
  readonly knowledge: Knowledge;
};

const EARLIER_CHARS = 400;
const MAX_REPLIES = 5;

/** `hash` is SHA-256 in hexadecimal. */
export function auditPrompt(
  texts: PromptTexts,
  input: AuditInput,
  hash: (text: string) => string,
  budgetTokens?: number,
): ChangePrompt {
  const { audits, findings, common } = texts.tasks;
  const { task, change, earlier } = input;
  const rules = [audits[input.audit], ...craft(input), findings, common];
  const parts = (shown: readonly Part[]): Part[] => [
    ...requestPart("## What is asked for\n\nThe person who asked wrote:", task.text),
    ...threadParts(task),
    ...scopeParts(change, shown),
    ...earlierParts(earlier),
    ...mapPart(input.map),
    ...knowledgeParts(input.knowledge),
    ...problemPart(input.problem ?? ""),
    nowPart(...whatToDo(input)),
  ];
  return fitChange(change, (shown) => composePrompt(rules, parts(shown), hash, budgetTokens));
}

/** As in a stage: without a heading, its first words would belong to the last section of the audit. */
function craft({ audit, agent }: AuditInput): string[] {
  return agent ? [`## Your part: ${agentForAudit(audit)}`, agent.body] : [];
}

function scopeParts(change: AuditInput["change"], shown: readonly Part[]): readonly Part[] {
  if (change === null) {
    return [
      ownPart(
        "## The scope\n\nNo change is given: look at the whole repository, unless the request names a part of it.",
      ),
    ];
  }
  return shown.length > 0 ? shown : [ownPart("## The change\n\nIt changes no line of any file.")];
}

function earlierParts({ open, settled }: AuditInput["earlier"]): Part[] {
  const lead =
    "## Said before\n\nFindings of an earlier look at this, with their ids. `earlier` has to name each of them:";
  const decided =
    "### Settled by people\n\nThey have read these and decided. Do not raise them, and do not name them in `earlier`:";
  return [
    ...theirs("the earlier findings", WORTH.earlier, lead, listed(open), "text"),
    ...theirs("the settled findings", WORTH.earlier, decided, listed(settled), "text"),
  ];
}

function listed(list: readonly EarlierFinding[]): string {
  return shownOf(list).map(described).join("\n");
}

function described({ id, text, file, line, replies }: EarlierFinding): string {
  const place = file === null ? "" : ` ${shortLine(file, 200)}${line === null ? "" : `:${line}`}`;
  const answers = replies
    .slice(-MAX_REPLIES)
    .map((reply) => `${shortLine(reply.author, 60)} replied: ${shortText(reply.text, EARLIER_CHARS)}`);
  return [`${shortLine(id, 20)}${place}`, ...[shortText(text, EARLIER_CHARS), ...answers].map(indented)].join(
    "\n",
  );
}

/** A conversation that can be gone on with holds the answer itself; here it is lost, and only this is left of it. */
function problemPart(problem: string): Part[] {
  const lead =
    "## Looked at before\n\nA session before yours looked at this already, and its answer could not be read. It was told:";
  return theirs("the problem", WORTH.earlier, lead, problem, "text");
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

function whatToDo({ audit, change, earlier, task }: AuditInput): string[] {
  const object = change ? "the change" : "the repository";
  return [
    WORK[audit](object),
    ...(task.text.trim() === "" ? [] : ["Look first at what the request names."]),
    ...(change ? ["Read the files themselves; the diff is only where to begin."] : []),
    ...(earlier.open.length > 0 ? ["Say of each earlier finding whether it is fixed or stands."] : []),
    "End with the `loom_findings` block and nothing after it.",
  ];
}

const WORK: Readonly<Record<Audit, (object: string) => string>> = {
  review: (object) => `Review ${object}.`,
  debug: () => "Find the cause of what is described.",
  "security-audit": (object) => `Find out how ${object} can be abused.`,
  "perf-check": (object) => `Find what is slow, costly or unable to grow in ${object}.`,
  "seo-audit": (object) => `Check how search engines will see ${object}.`,
  "a11y-audit": (object) => `Check who can't use ${object}, and why.`,
  "compliance-check": (object) => `Check ${object} against the duties that it touches.`,
};
