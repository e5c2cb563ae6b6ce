import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  aGitHubWorld,
  type GitHubWorld,
  planDocument,
  type WorldOptions,
} from "../../support/github-world.ts";
import type { Service } from "../../support/hosted-processes.ts";
import { livingWith } from "../../support/living-processes.ts";

export type SceneStage = {
  readonly id: string;
  readonly needs?: readonly string[];
  readonly runsOn?: string;
  /** Steps of the scripted agent before it writes its file. */
  readonly first?: readonly unknown[];
};

/** A repository where each stage writes a file of its own and Loom merges; no Loom runs in the test's own process. */
export async function aScene(
  stages: readonly SceneStage[],
  options: WorldOptions & { readonly mode?: "auto" | "review" } = {},
): Promise<{ world: GitHubWorld; issue: number }> {
  const { mode = "auto", ...rest } = options;
  const world = await aGitHubWorld({
    loom: false,
    config: { version: 1, merge: { mode } },
    script: Object.fromEntries(
      stages.map(({ id, first = [] }) => [id, [...first, { write: { path: `${id}.txt`, text: `${id}\n` } }]]),
    ),
    ...rest,
  });
  const issue = world.issue({ title: "Files", body: planOf(stages) });
  return { world, issue };
}

export function planOf(stages: readonly SceneStage[]): string {
  return planDocument(
    stages.map(({ id, needs = [], runsOn }) => ({
      id,
      name: `Write ${id}`,
      description: "Write it.",
      dependencies: [...needs],
      acceptance: [`test -f ${id}.txt`],
      ...(runsOn === undefined ? {} : { runs_on: runsOn }),
    })),
  );
}

/** Asks for the plan and approves it. */
export async function ask(world: GitHubWorld, issue: number, answer: string | null = null): Promise<void> {
  world.comment(issue, "/loom run");
  if (answer !== null) {
    await world.until(
      () => world.said(issue).some((body) => body.includes("/loom answer 1b")),
      "the planner's questions",
    );
    world.comment(issue, answer);
  }
  const plan = await world.until(
    () => world.pulls().find(({ pull }) => pull?.headRef.endsWith(".plan")),
    "a plan",
  );
  // Approved when the reply is there: a person reads it first.
  await world.until(() => world.said(issue).some((body) => body.includes(`#${plan.number}`)), "the reply");
  world.label(plan.number, "loom: approve");
}

/** However bumpy the way was, this is what a person sees at the end. */
export async function expectCleanEnd(
  world: GitHubWorld,
  service: Service | null,
  stages: readonly SceneStage[],
): Promise<void> {
  await expectAllOnce(
    world,
    service,
    stages.map(({ id }) => id),
  );
  for (const { id } of stages) expect(await world.file(`${id}.txt`)).toBe(`${id}\n`);
}

/** Every stage came in once, by one pull request; one panel tells of it, and no agent lives on. */
export async function expectAllOnce(
  world: GitHubWorld,
  service: Service | null,
  stages: readonly string[],
): Promise<void> {
  const panels = (): string[] =>
    [...world.repository.issues.values()].flatMap(({ comments }) =>
      comments.flatMap(({ body }) => (body.includes("loom:panel") ? [body] : [])),
    );
  await world.until(() => panels().some((body) => body.includes("**Done**")), "the last panel");
  await world.until(() => unfinishedChecks(world).length === 0, "the last checks");
  const pulls = world.pulls().map(({ pull }) => pull?.headRef.replace(/^loom\/[^/]+\//, ""));
  expect(pulls.filter((name) => stages.some((id) => id === name)).sort()).toEqual([...stages].sort());
  expect(pulls.filter((name) => name?.endsWith(".plan")).length).toBe(1);
  for (const id of stages) expect(mergesOf(world, id), `commits of ${id} in main`).toBe(1);
  const comments = [...world.repository.issues.values()].flatMap(({ comments }) =>
    comments.map(({ body }) => body),
  );
  expect(panels().length).toBe(1);
  const markers = comments.flatMap((body) => body.match(/<!-- loom:[^>]*-->/g) ?? []);
  expect(markers).toEqual([...new Set(markers)]);
  if (service) {
    const started = (await service.events()).flatMap((event) =>
      event.type === "session-started" ? [event.marker] : [],
    );
    for (const marker of started) expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
  }
}

/** A check that goes back to work is a new one; people see the newest of each, on the heads of pull requests. */
function unfinishedChecks(world: GitHubWorld): string[] {
  const heads = new Set(world.pulls().map(({ pull }) => pull?.headSha));
  const seen = world.repository.checkRuns.filter(({ headSha }) => heads.has(headSha));
  const newest = new Map(seen.map((check) => [`${check.name} ${check.headSha}`, check.status]));
  return [...newest].flatMap(([name, status]) => (status === "completed" ? [] : [name]));
}

/** How often a stage is in the target. */
export function mergesOf(world: GitHubWorld, stage: string): number {
  const log = execFileSync(
    "git",
    [
      "--git-dir",
      world.repository.gitDir,
      "log",
      "main",
      "--format=%(trailers:key=Loom-Stage,valueonly,separator=%x2C)",
    ],
    { encoding: "utf8" },
  );
  return log.split("\n").filter((line) => line === stage).length;
}

/** A path that an agent can write to, to tell that it has come so far. */
export async function aSign(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "loom-sign-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "sign");
}
