import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import {
  code,
  escapeForCommit,
  escapeMarkdown,
  escapeSentence,
  escapeTitle,
  quoted,
} from "../../../markdown/escape-markdown.ts";
import { counted } from "../../../text/durations.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { commandNames } from "../markdown/command-names.ts";
import { writeMarker } from "../markdown/marker.ts";
import { checksSentence, countChecks, renderChecksTable } from "../plan/criteria-text.ts";
import { checkNames } from "./check-report.ts";
import type { Neighbour, StagePullView } from "./views.ts";

const MAX_FILES = 20;

/** One stage as a pull request: what, on what it stands, and how it was proved. */
export function stagePull(view: StagePullView): { readonly title: string; readonly body: string } {
  const parts = [
    writeMarker({ kind: "stage", run: view.runId, stage: view.stage }),
    opening(view),
    neighbours(view),
    view.description.trim() === "" ? "" : `### What\n\n${quoted(view.description, 4_000)}`,
    `### How it was proved\n\n${proof(view)}`,
    files(view),
    `### What now\n\n${whatNow(view)}`,
  ];
  const body = `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  return {
    title: escapeTitle(view.name.trim() === "" ? view.stage : view.name, 100),
    body: cutMarkdown(escapeForCommit(body), MAX_COMMENT, "The check run has the rest."),
  };
}

function opening({ stage, runId, planPr, issue, takenBy, attempt }: StagePullView): string {
  const plan = planPr === null ? "" : `, planned in #${planPr}`;
  const cause = issue === null ? "" : ` for #${issue}`;
  const who = takenBy === null ? `by an agent (attempt ${attempt})` : `by ${escapeMarkdown(takenBy)}`;
  return `Stage ${code(stage)} of run ${code(runId)}${cause}${plan}. The work was done ${who}, the proof by Loom.`;
}

/** One line per dependency, in the form that other tools read as well. */
function neighbours({ dependsOn, neededBy }: StagePullView): string {
  const open = dependsOn.filter(({ merged }) => !merged);
  const lines = open.flatMap(({ pr }) => (pr === null ? [] : [`Depends-On: #${pr}`]));
  const needed = references(neededBy);
  if (needed !== "") lines.push(`Needed by: ${needed}`);
  return lines.join("\n");
}

function references(list: readonly Neighbour[]): string {
  return list.map(({ pr, stage }) => (pr === null ? code(stage) : `#${pr}`)).join(", ");
}

function proof({ verdict, commit, stage }: StagePullView): string {
  if (!verdict) return "Its checks have not run yet.";
  return (
    `${checksSentence(verdict)} Loom ran ${countChecks(verdict).total === 1 ? "it" : "them"} itself, from the approved plan, on a clean checkout of ${code(shortSha(commit))}; ` +
    `${code(checkNames.stage(stage))} has the output.\n\n${renderChecksTable(verdict)}`
  );
}

function files({ files: changed, moreFiles = 0 }: StagePullView): string {
  if (changed.length === 0) return "";
  const total = changed.length + moreFiles;
  const shown = changed.slice(0, MAX_FILES).map((file) => `- ${code(file, 200)}`);
  if (total > shown.length) shown.push(`- … and ${counted(total - shown.length, "more file")}`);
  return `<details>\n<summary>${counted(total, "changed file")}</summary>\n\n${shown.join("\n")}\n\n</details>`;
}

function whatNow({ mergeMode, stage, dependsOn, target, waits }: StagePullView): string {
  const isStacked = dependsOn.some(({ merged }) => !merged);
  const merge = waits
    ? `${escapeSentence(waits.reason)} ${escapeSentence(waits.next)}`
    : mergeMode === "auto"
      ? `Loom merges this into ${code(target)}${isStacked ? " after what it depends on" : " when the required checks pass"}.`
      : isStacked
        ? "Merge what it depends on first; Loom then moves this onto it."
        : `Review and merge it into ${code(target)}.`;
  return `${merge} To work on it yourself, comment ${commandNames.take(stage)} and push to this branch.`;
}
