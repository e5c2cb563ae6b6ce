import type { Change, CheckRun, Comment, Issue } from "../playground/model/types.ts";
import type { Tone } from "../src/core/report/terminal/paint.ts";
import type { DemoWorld } from "./open-demo-world.ts";
import { type PanelRow, readPanel } from "./read-panel.ts";
import { readQuestions } from "./read-questions.ts";

export type Sight = { readonly who: string; readonly text: string; readonly tone?: Tone };

/** What somebody sees who keeps the pages of the repository open; only what anybody could see there. */
export type Watch = {
  /** What the panel said last, by stage. */
  readonly stages: ReadonlyMap<string, PanelRow>;
  stop(): void;
};

/** The part of the world that can be looked at. */
type Visible = Pick<DemoWorld, "github" | "bot">;

export function watchGitHub(demo: Visible, see: (sight: Sight) => void): Watch {
  const seen: Seen = { stages: new Map(), comments: new Map() };
  const stop = demo.github.world.subscribe((change) => {
    for (const sight of sightsOf(demo, change, seen)) see(sight);
  });
  return { stages: seen.stages, stop };
}

type Seen = {
  readonly stages: Map<string, PanelRow>;
  /** What each comment said last. */
  readonly comments: Map<number, string>;
};

function sightsOf(demo: Visible, change: Change, seen: Seen): Sight[] {
  const { issue, comment, checkRun, label } = change.subject as {
    issue?: Issue;
    comment?: Comment;
    checkRun?: CheckRun;
    label?: string;
  };
  const who = change.sender === demo.bot ? "Loom" : change.sender;
  switch (`${change.event} ${change.action}`) {
    case "issue_comment created":
    case "issue_comment edited":
      return issue && comment ? commentSights(who, issue, comment, seen) : [];
    case "pull_request opened":
      if (issue) notePull(issue, seen.stages);
      return issue ? [{ who, text: opened(issue), tone: "good" }] : [];
    case "pull_request synchronize":
      return issue && !isPlan(issue) ? [{ who, text: `updates #${issue.number} ${issue.title}` }] : [];
    case "pull_request closed":
      return issue?.pull ? [closed(who, issue, issue.pull.merged)] : [];
    case "pull_request labeled":
      // Loom's own labels repeat what the panel says.
      return issue && who !== "Loom" ? [{ who, text: `sets the label "${label}" on #${issue.number}` }] : [];
    case "pull_request unlabeled":
      return issue && label === "loom: approve"
        ? [{ who, text: `removes the label "${label}" from #${issue.number}`, tone: "warning" }]
        : [];
    case "issues closed":
      return issue ? [{ who, text: `closes #${issue.number} ${issue.title}` }] : [];
    case "check_run completed":
      return checkRun ? checkSights(checkRun) : [];
    default:
      return [];
  }
}

/** The panel says so, too, but later, and may have gone on by then. */
function notePull({ number, pull }: Issue, stages: Map<string, PanelRow>): void {
  const stage = pull?.headRef.split("/").at(-1) ?? "";
  const row = stages.get(stage);
  if (row) stages.set(stage, { ...row, pull: `#${number}` });
}

function opened(issue: Issue): string {
  const proof = /\b(?:All \d+ checks|The one check) passed[^.\n]*/.exec(issue.body)?.[0];
  return `opens #${issue.number} ${issue.title}${proof && !isPlan(issue) ? `: ${proof.charAt(0).toLowerCase()}${proof.slice(1)}` : ""}`;
}

function closed(who: string, issue: Issue, merged: boolean): Sight {
  const what = isPlan(issue) ? "the plan and the record of the run" : issue.title;
  return merged
    ? { who, text: `merges #${issue.number} ${what}`, tone: "good" }
    : { who, text: `closes #${issue.number} ${issue.title}`, tone: "warning" };
}

function isPlan({ pull }: Issue): boolean {
  return pull?.headRef.endsWith(".plan") === true;
}

function commentSights(who: string, issue: Issue, comment: Comment, { stages, comments }: Seen): Sight[] {
  const rows = readPanel(comment.body);
  if (rows.length > 0) return rows.flatMap((row) => panelSights(who, row, stages));
  // Loom takes up its own words again when there is more to say: what it announced has become a plan.
  if (comments.get(comment.id) === gist(comment.body)) return [];
  comments.set(comment.id, gist(comment.body));
  if (who !== "Loom") return [{ who, text: `comments on #${issue.number}: ${gist(comment.body)}` }];
  const asked = readQuestions(comment.body).flatMap(({ text, options }): Sight[] => [
    { who, text: `asks on #${issue.number}: ${text}`, tone: "warning" },
    ...options.map((option) => ({ who: "", text: option })),
  ]);
  return asked.length > 0 ? asked : [{ who, text: `answers on #${issue.number}: ${gist(comment.body)}` }];
}

/** The first line; and what it leads to, when that is a list. */
function gist(body: string): string {
  const lines = body
    .replace(/<!--.*?-->/gs, "")
    .replace(/[`*]/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [first = "", ...rest] = lines;
  const items = first.endsWith(":") ? rest.filter((line) => line.startsWith("- ")) : [];
  return [first, ...items.map((line) => line.slice(2))].join(" ");
}

/**
 * The panel shows how things stand, not all that happened in between: that a try failed shows in the number of the next
 * one, and the resolving of a conflict is a try of its own.
 */
function panelSights(who: string, row: PanelRow, stages: Map<string, PanelRow>): Sight[] {
  const { stage } = row;
  const before = stages.get(stage);
  const word = wordOf(row);
  // A conflict does not say which try it is about; the number that was there stays.
  stages.set(
    stage,
    word === "conflict" && before ? { ...row, state: `conflict (${tryOf(before)}th try)` } : row,
  );
  if (before && wordOf(before) === word && tryOf(before) === tryOf(row)) return [];
  const resolves = word === "resolving" || (before !== undefined && isConflict(before));
  const tries = word === "conflict" ? 0 : tryOf(row) - tryOf(before) - (resolves ? 1 : 0);
  const sights: Sight[] = [];
  if (tries > 0)
    sights.push({
      who,
      text:
        before?.pull === "" || before === undefined
          ? `${stage} did not pass its checks; try ${tryOf(before) + tries} begins`
          : `${stage} has to catch up with what was merged; try ${tryOf(row)} begins`,
      tone: "warning",
    });
  else if (word === "working") sights.push({ who, text: `${stage}: an agent is at work` });
  if (isConflict(row) && !(before && isConflict(before)))
    sights.push({
      who,
      text: `${stage} conflicts with what was merged; an agent resolves it`,
      tone: "warning",
    });
  if (word === "verifying") sights.push({ who, text: `${stage}: checks run on a clean checkout` });
  if (word === "blocked" || word === "needs you")
    sights.push({ who, text: `${stage} is stuck and needs a person`, tone: "bad" });
  // Pull requests tell of the rest themselves, and sooner.
  return sights;
}

function wordOf({ state }: PanelRow): string {
  return state.replace(/ \(.*$/, "");
}

function isConflict(row: PanelRow): boolean {
  return wordOf(row) === "conflict" || wordOf(row) === "resolving";
}

function tryOf(row: PanelRow | undefined): number {
  return Number(/\((\d+)\w+ try\)/.exec(row?.state ?? "")?.[1] ?? 1);
}

function checkSights({ name, title, conclusion }: CheckRun): Sight[] {
  // That the plan waits was said already, and pull requests tell of their own checks.
  if (conclusion === "action_required" || (conclusion === "success" && name !== "loom / gate")) return [];
  const tone: Tone = conclusion === "success" ? "good" : conclusion === "failure" ? "bad" : "warning";
  return [{ who: "Loom", text: `check "${name}": ${title ?? conclusion ?? ""}`, tone }];
}
