import type { CheckRun, Issue } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { type IconName, icon } from "./icons.ts";

type Look = { readonly icon: IconName; readonly tone: string; readonly word: string };

export function issueLook(issue: Issue): Look {
  const { pull } = issue;
  if (pull !== null) {
    if (pull.merged) return { icon: "merge", tone: "merged", word: "Merged" };
    if (issue.state === "closed") return { icon: "pullClosed", tone: "bad", word: "Closed" };
    if (pull.draft) return { icon: "draft", tone: "quiet", word: "Draft" };
    return { icon: "pull", tone: "good", word: "Open" };
  }
  if (issue.state === "open") return { icon: "issue", tone: "good", word: "Open" };
  if (issue.stateReason === "not_planned")
    return { icon: "notPlanned", tone: "quiet", word: "Closed as not planned" };
  return { icon: "issueClosed", tone: "merged", word: "Closed" };
}

export function stateBadge(issue: Issue): Html {
  const look = issueLook(issue);
  return html`<span class="state ${look.tone}">${icon(look.icon)} ${look.word}</span>`;
}

export function checkLook(run: Pick<CheckRun, "status" | "conclusion">): Look {
  if (run.status === "queued") return { icon: "clock", tone: "busy", word: "Queued" };
  if (run.status === "in_progress") return { icon: "ring", tone: "busy", word: "In progress" };
  switch (run.conclusion) {
    case "success":
      return { icon: "check", tone: "good", word: "Successful" };
    case "failure":
      return { icon: "cross", tone: "bad", word: "Failed" };
    case "timed_out":
      return { icon: "clock", tone: "bad", word: "Timed out" };
    case "action_required":
      return { icon: "alert", tone: "busy", word: "Action required" };
    case "cancelled":
      return { icon: "notPlanned", tone: "quiet", word: "Cancelled" };
    case "skipped":
      return { icon: "skip", tone: "quiet", word: "Skipped" };
    case "stale":
      return { icon: "clock", tone: "quiet", word: "Stale" };
    default:
      return { icon: "square", tone: "quiet", word: "Neutral" };
  }
}

export function checkIcon(run: Pick<CheckRun, "status" | "conclusion">): Html {
  const look = checkLook(run);
  return html`<span title="${look.word}">${icon(look.icon, look.tone)}</span>`;
}
