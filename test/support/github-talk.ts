import { requestAction } from "../../playground/model/checks/request-action.ts";
import { rerequestCheckRun } from "../../playground/model/checks/rerequest-check-run.ts";
import type { CheckRun, Issue } from "../../playground/model/types.ts";
import type { Run } from "../../src/core/run/run.ts";
import { type GitHubWorld, planDocument } from "./github-world.ts";

/** What a thread looks like to those who talk with Loom in it, with everything that differs from run to run named. */

/** Comments, and waits for the one reply to this very comment. */
export async function ask(world: GitHubWorld, number: number, body: string, by = "wes"): Promise<string> {
  return replyTo(world, number, world.comment(number, body, by));
}

export async function replyTo(world: GitHubWorld, number: number, comment: number): Promise<string> {
  const marker = `<!-- loom:reply-${comment} -->`;
  const reply = await world.until(
    () => world.said(number).find((body) => body.includes(marker)),
    `a reply to comment ${comment} on #${number}: ${bodyOf(world, number, comment)}`,
  );
  return named(reply);
}

function bodyOf(world: GitHubWorld, number: number, comment: number): string {
  return world.get(number).comments.find(({ id }) => id === comment)?.body ?? "";
}

/** Ids, commits and times by their kind instead of their value. */
export function named(text: string): string {
  return text
    .replace(/\n*<!-- loom:(?:reply|panel|label|button|issue|voided)-[^>]*-->\s*$/, "")
    .replace(/\n*<!-- loom:pull [^>]*-->\s*$/, "")
    .replaceAll(/[a-z0-9-]+-[0-9a-f]{8}\b/g, "RUN")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "SHA")
    .replaceAll(/\b[0-9a-f]{7}\b/g, "SHA")
    .replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)? ?(?:ms|s)\b/g, "TIME")
    .trim();
}

/** Every delivery has arrived and Loom has acted on all of them, but for those that it can't act on. */
export async function settled(world: GitHubWorld, besides = 0): Promise<void> {
  await world.github.hooks.whenDelivered();
  const { inbox } = world.loom.hosted.host;
  await world.until(async () => (await inbox.waiting(9)).length <= besides, "an empty inbox");
}

export function reactions(world: GitHubWorld, number: number, comment: number): string[] {
  const found = world.get(number).comments.find(({ id }) => id === comment);
  return (found?.reactions ?? []).map(({ content }) => content);
}

export const panelOf = (world: GitHubWorld, number: number): string | undefined =>
  world.said(number).find((body) => body.includes("loom:panel"));

export async function panel(
  world: GitHubWorld,
  number: number,
  holds: string | RegExp = "",
): Promise<string> {
  const text = await world.until(
    () => {
      const body = panelOf(world, number);
      return body !== undefined && new RegExp(holds).test(body) ? body : null;
    },
    `a panel on #${number} with ${holds}; it is\n${panelOf(world, number)}`,
  );
  return named(text);
}

/** The check run of this name that GitHub shows: the newest. */
export function checkOf(world: GitHubWorld, name: string, head?: string): CheckRun | undefined {
  return world.repository.checkRuns.findLast(
    (check) => check.name === name && (head === undefined || check.headSha === head),
  );
}

export async function check(
  world: GitHubWorld,
  name: string,
  is: (check: CheckRun) => boolean = () => true,
): Promise<CheckRun> {
  return world.until(
    () => {
      const found = checkOf(world, name);
      return found && is(found) ? found : null;
    },
    `the check run ${name}; there are ${JSON.stringify(world.repository.checkRuns, null, 1)}`,
  );
}

export function press(world: GitHubWorld, one: CheckRun, identifier: string, by = "wes"): void {
  requestAction(world.world, world.repository, one, { by, identifier });
}

export function rerun(world: GitHubWorld, one: CheckRun, by = "wes"): void {
  rerequestCheckRun(world.world, world.repository, one, { by });
}

/** An issue with a plan, and the pull request that `/loom run` makes of it. */
export async function offered(
  world: GitHubWorld,
  stages: readonly unknown[],
  more: { title?: string; command?: string; plan?: Record<string, unknown> } = {},
): Promise<{ issue: number; plan: Issue; run: Run }> {
  const issue = world.issue({
    ...(more.title === undefined ? {} : { title: more.title }),
    body: planDocument(stages, more.plan),
  });
  await ask(world, issue, more.command ?? "/loom run");
  const run = await world.run((one) => one.origin?.issue === issue, "the run of the issue");
  const plan = world.get(run.offer?.pr ?? 0);
  return { issue, plan, run };
}

/** A stage that writes a file of its own name, which proves it. */
export const writesFile = (id: string, dependencies: readonly string[] = []): Record<string, unknown> => ({
  id,
  name: `Write ${id}`,
  description: `Write ${id}.txt.`,
  dependencies,
  acceptance: [`test -f ${id}.txt`],
});

export const write = (path: string, text = "done\n") => ({ write: { path, text } });
