import type { Sha, StageId } from "../../../ids.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeMarkdown, fenced } from "../../../markdown/escape-markdown.ts";
import { markdownTable } from "../../../markdown/markdown-table.ts";
import type { Standing } from "../../../run/amend-plan.ts";
import { counted } from "../../../text/durations.ts";
import { listSome } from "../../../text/list-some.ts";
import { type FieldChange, isEmptyDiff, type PlanDiff } from "../../terminal/plan-diff.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { standingWords } from "../../texts/amend-texts.ts";
import { problemList, wayBack } from "./edit-problems.ts";
import { howToApprove } from "./plan-check.ts";

export type AmendedView = {
  readonly diff: PlanDiff;
  readonly by: string;
  readonly via: "command" | "push";
  readonly head: Sha;
  /** Finished stages, which stay as they are. */
  readonly kept: readonly { readonly id: StageId; readonly standing: Standing }[];
  /** Pull requests of stages that are no longer in the plan. */
  readonly orphans: readonly { readonly id: StageId; readonly pr: number }[];
  readonly approval: { readonly label: string; readonly leastRole: string };
};

const MAX_ROWS = 60;
const MAX_NAMED = 40;
const MAX_VALUE = 120;
const MAX_DIFF = 20_000;

/** What is said when a plan was changed, or could not be. */
export const amendReplies = {
  amended(view: AmendedView): string {
    const { diff, kept, orphans } = view;
    const parts = [
      opening(view),
      [
        ...listed("New", diff.added.map(stageName)),
        ...listed("Removed", diff.removed.map(stageName)),
        ...listed(
          "Changed",
          diff.changed.map(
            ({ id, fields }) => `${code(id)} (${fields.map(({ field }) => field).join(", ")})`,
          ),
        ),
        ...listed(
          "Finished, and stays as it is",
          kept.map(({ id, standing }) => `${code(id)} (${standingText(standing)})`),
        ),
      ].join("\n"),
      ...orphans
        .slice(0, MAX_NAMED)
        .map(
          ({ id, pr }) =>
            `#${pr} was for ${code(id)}, which is no longer in the plan: close it if nobody needs it.`,
        ),
      `Work goes on once the plan is approved as it is now. ${howToApprove({ head: view.head, ...view.approval })}`,
      changesTable(diff),
      wholeDiff(diff),
    ];
    return cutMarkdown(`${parts.filter((part) => part !== "").join("\n\n")}\n`, MAX_COMMENT);
  },

  /** For whoever asked for the change. */
  refusedAmendment: (problems: readonly string[]): string =>
    `The plan stays as it is; the change can't be made:\n\n${problemList(problems)}`,

  unchanged: (): string => "The plan stays as it is: nothing in it would change.",

  /** A push can't be taken back, so it is said how to get out. */
  invalidEdit: (by: string, head: Sha, planPath: string, problems: readonly string[]): string =>
    `${code(planPath, 200)} was changed by ${escapeMarkdown(by)} (${code(shortSha(head))}), and Loom can't go on with it as it is there:\n\n` +
    `${problemList(problems)}\n\nNothing goes on, and it can't be approved like this. ${wayBack(planPath)}`,
};

function opening({ by, via, head, diff }: AmendedView): string {
  const how =
    via === "push"
      ? `${escapeMarkdown(by)} changed the plan by a push`
      : `${escapeMarkdown(by)} had the plan changed`;
  const what = isEmptyDiff(diff)
    ? " It asks for the same work as before; only the words around it changed."
    : "";
  return `${how} (${code(shortSha(head))}).${what}`;
}

function listed(what: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`- ${what}: ${listSome(items, MAX_NAMED)}`];
}

function stageName({ id, name }: { id: StageId; name: string }): string {
  return name === id || name === "" ? code(id) : `${code(id)} ${escapeMarkdown(name, 80)}`;
}

/** The number of a pull request is Loom's own, and may be a link. */
function standingText(standing: Standing): string {
  return standing.kind === "taken" ? escapeMarkdown(standingWords(standing)) : standingWords(standing);
}

function changesTable({ changed, plan }: PlanDiff): string {
  const row = (where: string, { field, before, after }: FieldChange): string[] => [
    where,
    code(field),
    valueText(before),
    valueText(after),
  ];
  const rows = [
    ...plan.map((change) => row("the plan", change)),
    ...changed.flatMap(({ id, fields }) => fields.map((change) => row(code(id), change))),
  ];
  if (rows.length === 0) return "";
  const left = rows.length - MAX_ROWS;
  const table = markdownTable(["Stage", "Field", "Before", "After"], rows.slice(0, MAX_ROWS));
  return left > 0 ? `${table}\n\n… and ${counted(left, "more change")}.` : table;
}

function valueText(value: string | null): string {
  return value === null ? "not set" : code(value, MAX_VALUE);
}

function wholeDiff({ text }: PlanDiff): string {
  if (text === "") return "";
  const cut = text.length > MAX_DIFF ? text.slice(0, MAX_DIFF).replace(/\n[^\n]*$/, "\n…") : text;
  return `<details>\n<summary>Line by line</summary>\n\n${fenced(cut, { info: "diff", maxChars: MAX_DIFF + 10 })}\n\n</details>`;
}
