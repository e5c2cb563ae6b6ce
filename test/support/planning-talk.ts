import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Issue } from "../../playground/model/types.ts";
import { repoId } from "../../src/core/ids.ts";
import type { Task } from "../../src/core/task/task.ts";
import { allTasks } from "../../src/engine/github/task/find-tasks.ts";
import { named } from "./github-talk.ts";
import type { GitHubWorld } from "./github-world.ts";

/** What a planner answers, and what becomes of it in a thread. */

export type DraftStage = { readonly id: string; readonly [field: string]: unknown };

/** A stage that a planner could well write. */
export function draftStage(id: string, more: Readonly<Record<string, unknown>> = {}): DraftStage {
  return {
    id,
    name: `Write ${id}`,
    description: `Write \`${id}.txt\`.`,
    files: [`${id}.txt`],
    acceptance: [`test -f ${id}.txt`],
    ...more,
  };
}

/** The three sections and the block. */
export function planAnswer(
  stages: readonly DraftStage[],
  more: Readonly<Record<string, unknown>> = {},
): string {
  return [
    "## Why these stages\n\nThey can be read one by one.",
    "## Out of scope\n\n- Sentences.",
    "## Risks\n\n- A word may be more than one thing; the tests show which it is.",
    `\`\`\`yaml\n${stringify({ loom: { version: 1, ...more, stages } })}\`\`\``,
    "",
  ].join("\n\n");
}

export type AskedQuestion = {
  readonly question: string;
  readonly options?: readonly string[];
  readonly default?: string;
};

export function questions(
  complexity: string,
  asked: readonly AskedQuestion[],
  why = "It changes a lot.",
): string {
  return `\`\`\`yaml\n${stringify({ loom_questions: { complexity, why, questions: asked } })}\`\`\`\n`;
}

/** Steps of the scripted agent that answer with these words; the last answer repeats. */
export function answers(...texts: readonly string[]): { readonly attempts: readonly unknown[] } {
  return { attempts: texts.map((answer) => [{ answer }]) };
}

/** The tasks of a thread, oldest first. */
export async function tasksOf(world: GitHubWorld, issue: number): Promise<Task[]> {
  // Nothing is known of the repository before its first webhook has come.
  const engine = await world.loom.hosted.host.repository(repoId(world.repository.id));
  const all = engine ? await allTasks(engine) : [];
  return all.filter(({ origin }) => origin?.issue === issue);
}

/** The one task of a thread, once it is as expected. */
export async function taskOf(
  world: GitHubWorld,
  issue: number,
  is: (task: Task) => boolean = ({ outcome }) => outcome !== null,
  what = "the end of the task",
): Promise<Task> {
  return world.until(async () => (await tasksOf(world, issue)).find(is), `${what} on #${issue}`);
}

/** The comment of a task that ends in this name, such as `questions`; without one, the one that tells the outcome. */
export async function taskComment(
  world: GitHubWorld,
  issue: number,
  name = "",
  holds: string | RegExp = "",
): Promise<string> {
  const text = await world.until(
    () => commentsOf(world, issue, name).find((body) => new RegExp(holds).test(body)),
    `the comment ${name || "with the outcome"} on #${issue}`,
  );
  return plain(text);
}

export function commentsOf(world: GitHubWorld, issue: number, name = ""): string[] {
  const end = name === "" ? /<!-- loom:task-\w+-\d+-(?:\d+|issue) -->\s*$/ : new RegExp(`-${name} -->\\s*$`);
  return world.said(issue).filter((body) => end.test(body));
}

/** Without the hidden mark, and without what differs from run to run. */
export function plain(text: string): string {
  return named(text.replace(/\n*<!-- loom:task-[^>]*-->\s*$/, ""));
}

/** Whether a thread asks for a plan, and what its pull request is. */
export async function planFor(world: GitHubWorld, issue: number): Promise<Issue> {
  const task = await taskOf(world, issue);
  if (task.outcome?.kind !== "planned" || task.outcome.pr === null)
    throw new Error(`no plan came of #${issue}: ${JSON.stringify(task.outcome)}\n${world.describe()}`);
  return world.get(task.outcome.pr);
}

/** All that the sessions of a task were told, by purpose and in their order. */
export async function promptsOf(world: GitHubWorld, task: Task): Promise<Map<string, string[]>> {
  const folder = readdirSync(join(world.folder, "data"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === "prompts")
    .map((entry) => join(entry.parentPath, entry.name))
    .find((path) => path.includes(`/${task.id}/`));
  const prompts = new Map<string, string[]>();
  for (const name of folder ? readdirSync(folder).sort() : []) {
    const purpose = name.replace(/-\d+-\w+\.md$/, "");
    prompts.set(purpose, [...(prompts.get(purpose) ?? []), readFileSync(join(folder ?? "", name), "utf8")]);
  }
  return prompts;
}

/** What stands in a text outside of every fenced block: Loom's own words. */
export function outsideFences(text: string): string {
  let fence: string | null = null;
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === null && marks) fence = marks[1] ?? "";
    else if (fence !== null && marks && marks[2]?.trim() === "" && (marks[1] ?? "").startsWith(fence))
      fence = null;
    else if (fence === null) kept.push(line);
  }
  return kept.join("\n");
}
