import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  type CommitAuthor,
  commitFiles,
  type FileContent,
} from "../../playground/git/objects/commit-files.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { afterPush } from "../../playground/model/pulls/after-push.ts";
import { openPull as openPullRequest } from "../../playground/model/pulls/open-pull.ts";
import type { Repository } from "../../playground/model/types.ts";
import type { TaskKind } from "../../src/core/command/task-kinds.ts";
import { repoId } from "../../src/core/ids.ts";
import type { Task, TaskId } from "../../src/core/task/task.ts";
import type { Finding } from "../../src/core/task/task-events.ts";
import type { GitHubWorld } from "./github-world.ts";

/** What one agent is sent for in a thread, and what people see of it. */

type Files = Readonly<Record<string, FileContent>>;
const authorOf = (by: string): CommitAuthor => ({ name: by, email: `${by}@example.com` });

/** What the scripted agent does from now on, by purpose; what it does in stages stays as it was when it is left out. */
export async function scriptNow(
  world: GitHubWorld,
  tasks: Readonly<Record<string, unknown>>,
  stages: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await writeFile(world.env.LOOM_SCRIPT ?? "", stringify({ stages, tasks }));
}

/** A pull request from a branch with these files on top of the default branch; null removes one. */
export async function openChange(
  world: GitHubWorld,
  files: Files,
  { by = "wes", title = "Count words", body = "", branch = "work" } = {},
): Promise<number> {
  await pushTo(world, world.repository, branch, files, by);
  const pull = { by, title, body, head: branch, base: "main" };
  return (await openPullRequest(world.world, world.repository, pull)).number;
}

/** Somebody pushes to a branch of this repository, or of a fork; a new branch begins at the default one. */
export async function pushTo(
  { world }: GitHubWorld,
  repository: Repository,
  branch: string,
  files: Files,
  by = "wes",
): Promise<string> {
  const before = await world.git.tip(repository.gitDir, branch);
  const work = { author: authorOf(by), message: `Work of ${by}`, from: "refs/heads/main" };
  const after = await commitFiles(repository.gitDir, branch, files, work);
  await afterPush(world, repository, [{ ref: `refs/heads/${branch}`, before, after }], { by });
  return after;
}

/** A pull request of a stranger's, from their own copy of the repository. */
export async function openForkChange(
  world: GitHubWorld,
  files: Files,
  by = "sam",
): Promise<{ readonly number: number; readonly fork: Repository }> {
  const gitDir = world.github.gitDir(by, "tools");
  const fork = await createRepository(world.world, {
    owner: by,
    name: "tools",
    gitDir,
    parent: world.repository,
  });
  await pushTo(world, fork, "theirs", files, by);
  const pull = { by, title: "Their work", head: "theirs", base: "main", headRepository: fork };
  return { number: (await openPullRequest(world.world, world.repository, pull)).number, fork };
}

/** Somebody sends an agent; the id of what it does. */
export function send(
  world: GitHubWorld,
  number: number,
  kind: TaskKind,
  text = "",
  by = "wes",
): { readonly id: TaskId; readonly comment: number } {
  const comment = world.comment(number, `/loom ${kind} ${text}`.trim(), by);
  return { id: `${kind}-${number}-${comment}`, comment };
}

/** The task, once it is as expected. */
export async function taskWhen(
  world: GitHubWorld,
  id: TaskId,
  is: (task: Task) => boolean,
  what: string,
): Promise<Task> {
  return world.until(async () => {
    // Before the first delivery nobody knows of the repository.
    const engine = await world.loom.hosted.host.repository(repoId(world.repository.id));
    const task = await engine?.tasks.load(id);
    return task && is(task) ? task : null;
  }, `${id}: ${what}`);
}

/** Waits for the end, and gives the one comment that tells it. */
export async function outcomeOf(world: GitHubWorld, id: TaskId): Promise<string> {
  const task = await taskWhen(world, id, ({ outcome }) => outcome !== null, "its end");
  return shown(world, task.origin?.issue ?? 0, id);
}

/** The comment of a task as a person sees it, without the time that it took. */
export function shown(world: GitHubWorld, number: number, id: TaskId): string {
  const marker = `<!-- loom:task-${id} -->`;
  const bodies = world.said(number).filter((body) => body.includes(marker));
  if (bodies.length !== 1) throw new Error(`${bodies.length} comments tell of ${id}`);
  return (bodies[0] ?? "")
    .replace(`\n\n${marker}`, "")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "SHA")
    .replaceAll(world.github.url, "https://github.test")
    .replace(/ · (?:\d+ min )?\d+ s<\/sub>/, " · TIME</sub>")
    .trim();
}

/** Sends an agent and waits for what came of it. */
export async function told(world: GitHubWorld, number: number, kind: TaskKind, text = ""): Promise<string> {
  return outcomeOf(world, send(world, number, kind, text).id);
}

export type ToldFinding = Partial<Omit<Finding, "endLine">> & { readonly end_line?: number };

/** An audit's last words, in the form that the agent is asked for. */
export function findings(
  list: readonly ToldFinding[],
  more: { readonly summary?: string; readonly earlier?: readonly unknown[] } = {},
): string {
  const all = list.map((finding) => ({
    severity: "medium",
    title: "A thing",
    body: "Look at it.",
    ...finding,
  }));
  const block = {
    loom_findings: { summary: more.summary ?? "", findings: all, earlier: more.earlier ?? [] },
  };
  return `I have looked at it.\n\n\`\`\`\`yaml\n${stringify(block)}\`\`\`\`\n`;
}

/** Steps that end with these findings. */
export const finds = (
  list: readonly ToldFinding[],
  more: Parameters<typeof findings>[1] = {},
): Record<string, unknown>[] => [{ answer: findings(list, more) }];

/**
 * Steps around something that a test does while the agent is at work: the agent says that it is there, and goes on once
 * `gate.open` was called.
 */
export function aGate(world: GitHubWorld, name = "gate") {
  const here = join(world.folder, `${name}-reached`);
  const open = join(world.folder, `${name}-open`);
  return {
    step: { run: `echo > '${here}'; until test -e '${open}'; do sleep 0.02; done` },
    reached: () => world.until(() => readFile(here, "utf8").catch(() => null), "the agent at work"),
    open: () => writeFile(open, ""),
  };
}

/** A step that keeps what the agent was told, and what stands there afterwards. */
export function keepsPrompt(world: GitHubWorld, name = "prompt") {
  const file = join(world.folder, `${name}.md`);
  return { step: { run: `cp "$LOOM_PROMPT" '${file}'` }, read: () => readFile(file, "utf8") };
}

/** A step that keeps what a shell command in the agent's tree prints. */
export function keepsOutput(world: GitHubWorld, command: string, name = "output") {
  const file = join(world.folder, `${name}.txt`);
  return { step: { run: `{ ${command}; } > '${file}' 2>&1 || true` }, read: () => readFile(file, "utf8") };
}
