import type { StageId } from "../../../ids.ts";
import { cutMarkdown, MAX_CHECK_TEXT } from "../../../markdown/cut-markdown.ts";
import { plainText } from "../../../text/escape-text.ts";

/** A check run as GitHub takes it; whoever sends it adds the commit and the external id. */
export type CheckReport = {
  readonly name: string;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion: CheckConclusion | null;
  readonly title: string;
  readonly summary: string;
  readonly text: string | null;
  readonly actions: readonly CheckAction[];
};

export type CheckConclusion = "success" | "failure" | "neutral" | "cancelled" | "action_required" | "skipped";
export type CheckAction = {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
};

const OWN_NAMES: ReadonlySet<StageId> = new Set(["plan", "gate", "config"]);

export const checkNames = {
  plan: "loom / plan",
  gate: "loom / gate",
  config: "loom / config",
  /** A stage must not pass for one of the above: people make those required. No id has a space. */
  stage: (id: StageId): string => (OWN_NAMES.has(id) ? `loom / stage ${id}` : `loom / ${id}`),
};

/** Buttons. GitHub shows at most three, only on a complete run: labels to 20 characters, the rest to 40 and 20. */
export const checkActions = {
  retry: { label: "Retry", description: "Give this stage fresh attempts", identifier: "retry" },
  skip: { label: "Skip", description: "Go on without this stage", identifier: "skip" },
  approve: { label: "Approve", description: "Approve the plan at this commit", identifier: "approve" },
} as const satisfies Record<string, CheckAction>;

const MAX_TITLE = 255;

/** Everything cut to what GitHub takes. Buttons of a run that goes on would not be shown. */
export function checkReport(
  parts: Omit<CheckReport, "text" | "actions"> & Partial<CheckReport>,
): CheckReport {
  const title = plainText(parts.title);
  return {
    name: parts.name,
    status: parts.status,
    conclusion: parts.status === "completed" ? parts.conclusion : null,
    title:
      title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).replace(/[\ud800-\udbff]$/, "")}…` : title,
    summary: cutMarkdown(parts.summary, MAX_CHECK_TEXT, ""),
    text: parts.text
      ? cutMarkdown(parts.text, MAX_CHECK_TEXT, "The whole output is in the run's log.")
      : null,
    actions: parts.status === "completed" ? (parts.actions ?? []).slice(0, 3) : [],
  };
}
