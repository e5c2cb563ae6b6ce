import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runGit } from "../../playground/git/run-git.ts";
import { install } from "../../playground/model/apps/install.ts";
import { createCheckRun } from "../../playground/model/checks/create-check-run.ts";
import type { PullIssue } from "../../playground/model/find.ts";
import type { CheckRun, Conclusion, Issue, Protection, QueueEntry } from "../../playground/model/types.ts";
import { registerApp } from "../../playground/server.ts";
import type { Run } from "../../src/core/run/run.ts";
import { type GitHubWorld, planDocument } from "./github-world.ts";

/** What stories about merging have in common: stages that write one file each, and what has to hold at their end. */

export const AUTO = { version: 1, merge: { mode: "auto" } };

export const write = (path: string, text: string) => ({ write: { path, text } });

export const stage = (id: string, dependencies: string[] = [], more: Record<string, unknown> = {}) => ({
  id,
  name: `Write ${id}`,
  description: `Write ${id}.txt.`,
  dependencies,
  acceptance: [`test -f ${id}.txt`, ...dependencies.map((one) => `test -f ${one}.txt`)],
  ...more,
});

export const script = (...ids: string[]) =>
  Object.fromEntries(ids.map((id) => [id, [write(`${id}.txt`, `${id}\n`)]]));

/** Asks for a run of these stages; it starts when the plan is approved. */
export async function start(
  world: GitHubWorld,
  stages: unknown[],
  { approve = true }: { approve?: boolean } = {},
): Promise<{ issue: number; plan: Issue }> {
  const issue = world.issue({ title: "Files", body: planDocument(stages) });
  world.comment(issue, "/loom run");
  const plan = await world.until(
    () => world.pulls().find(({ pull }) => pull?.headRef.endsWith(".plan")),
    "a plan",
  );
  if (approve) world.label(plan.number, "loom: approve");
  return { issue, plan };
}

export const ended = (world: GitHubWorld): Promise<Run> =>
  world.run((run) => run.status === "completed" && run.recorded !== null, "the end of the run");

export const stageState = (world: GitHubWorld, id: string, kind: string, what = kind): Promise<Run> =>
  world.run((run) => run.stages.get(id)?.state.kind === kind, `${id} to be ${what}`);

/** A stage that is open as a pull request and waits, for a reason that says this. */
export const waiting = (world: GitHubWorld, id: string, reason: string | RegExp): Promise<Run> =>
  world.run(
    (run) => new RegExp(reason).test(run.stages.get(id)?.waiting?.reason ?? ""),
    `${id} to wait: ${reason}`,
  );

/** Something that a step of the script waits for: `wait` is the step, `open` lets it go on. */
export type Gate = { readonly wait: { run: string }; open(): void; close(): void };

export function aGate(): Gate {
  const folder = mkdtempSync(join(tmpdir(), "loom-gate-"));
  const file = join(folder, "open");
  return {
    wait: { run: `n=0; until [ -e '${file}' ] || [ $n -gt 600 ]; do n=$((n+1)); sleep 0.1; done` },
    open: () => writeFileSync(file, ""),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const protection = (rules: Partial<Protection>): Protection => ({
  requiredChecks: [],
  strict: false,
  requiredApprovals: 0,
  dismissStaleReviews: false,
  codeOwnerReviews: false,
  mergeQueue: false,
  linearHistory: false,
  ...rules,
});

/** Another App, which reports the check `ci` on commits. */
export function aPipeline(world: GitHubWorld) {
  const { app } = registerApp(world.world, {
    name: "Pipeline",
    webhookUrl: null,
    permissions: { checks: "write", contents: "read" },
    events: [],
  });
  install(world.world, app, { account: "ada", repositories: [world.repository] });
  const report = (headSha: string, conclusion: Conclusion, name = "ci"): Promise<CheckRun> =>
    createCheckRun(world.world, world.repository, { by: app.bot, app: app.id, name, headSha, conclusion });
  return {
    report,
    /** Reports on everything that is opened, pushed or queued, as `verdict` says; null reports nothing. */
    watch(
      verdict: (what: { pull: Issue | null; sha: string; queued: boolean }) => Conclusion | null,
    ): () => void {
      return world.world.subscribe(({ event, action, subject }) => {
        const issue = subject.issue as PullIssue | undefined;
        const entry = subject.entry as QueueEntry | undefined;
        const isPull = event === "pull_request" && (action === "opened" || action === "synchronize");
        const isGroup = event === "merge_group" && action === "checks_requested";
        const sha = isPull ? issue?.pull.headSha : isGroup ? entry?.headSha : undefined;
        if (sha === undefined) return;
        const conclusion = verdict({ pull: isPull ? (issue ?? null) : null, sha, queued: isGroup });
        // A pipeline answers after what it was told of has come to pass.
        if (conclusion !== null) setImmediate(() => void report(sha, conclusion));
      });
    },
  };
}

export const stagePulls = (world: GitHubWorld, id: string): Issue[] =>
  world.pulls().filter(({ pull }) => pull?.headRef.endsWith(`/${id}`));

export async function branches(world: GitHubWorld): Promise<string[]> {
  const { stdout } = await runGit(world.repository.gitDir, [
    "for-each-ref",
    "--format=%(refname:lstrip=2)",
    "refs/heads/loom/",
  ]);
  return String(stdout).split("\n").filter(Boolean);
}

/** Subjects of the commits on main that touch a file, merges left out. */
export async function commitsOf(world: GitHubWorld, path: string, format = "%s"): Promise<string[]> {
  const { stdout } = await runGit(world.repository.gitDir, [
    "log",
    "--no-merges",
    `--format=${format}%x00`,
    "main",
    "--",
    path,
  ]);
  return String(stdout)
    .split("\0")
    .map((text) => text.trim())
    .filter(Boolean);
}

/** What holds at the end of every story: nothing twice, nothing lost, nothing left. */
export async function expectAllMerged(
  world: GitHubWorld,
  ids: readonly string[],
  { pulls = 1, review = false }: { pulls?: number; review?: boolean } = {},
): Promise<void> {
  for (const id of ids) {
    expect(stagePulls(world, id), `pull requests of ${id}`).toHaveLength(pulls);
    expect(await world.file(`${id}.txt`), `${id}.txt on main`).not.toBeNull();
    expect(await commitsOf(world, `${id}.txt`), `commits of ${id}.txt`).toHaveLength(1);
  }
  const open = world.pulls().filter(({ state }) => state === "open");
  expect(open.map(({ pull }) => pull?.headRef).filter((ref) => !ref?.endsWith(".plan"))).toEqual([]);
  if (review) expect((await branches(world)).filter((name) => !name.endsWith(".plan"))).toEqual([]);
  else expect(await branches(world)).toEqual([]);
}
