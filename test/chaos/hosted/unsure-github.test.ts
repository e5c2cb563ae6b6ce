import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aScene, aSign, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
afterEach(async () => {
  await world?.end();
  world = null;
});

const stages: SceneStage[] = [{ id: "one" }, { id: "two", needs: ["one"] }];
const REPO = "/repos/{owner}/{repo}";
const hasEnded = ({ status, recorded }: { status: string; recorded: string | null }): boolean =>
  status === "completed" && recorded !== null;

function unfinishedChecks(): readonly unknown[] {
  return world?.repository.checkRuns.filter(({ status }) => status !== "completed") ?? [];
}

it("writes nothing twice when GitHub answers 502 to what it did all the same (F14)", async () => {
  const sign = await aSign();
  // Each works until what shows it has been written, so that it has to be written again when it is done.
  const waits = (id: string): string =>
    `touch ${sign}-${id}; until test -f ${sign}-${id}-go; do sleep 0.1; done`;
  const slow = stages.map((stage) => ({ ...stage, first: [{ run: waits(stage.id) }] }));
  const scene = await aScene(slow, { loom: true });
  world = scene.world;
  const { faults } = world.github;
  const unsure = { kind: "fail-after-applying", status: 502 } as const;
  const routes: [method: string, route: string][] = [
    ["POST", `${REPO}/pulls`],
    ["POST", `${REPO}/issues/{issue_number}/comments`],
    ["POST", `${REPO}/check-runs`],
    ["PATCH", `${REPO}/check-runs/{check_run_id}`],
    ["PUT", `${REPO}/pulls/{pull_number}/merge`],
    ["POST", `${REPO}/issues/{issue_number}/labels`],
    ["POST", `${REPO}/issues/comments/{comment_id}/reactions`],
  ];
  for (const [method, route] of routes)
    faults.inject({ on: "request", match: { method, route }, times: 2, effect: unsure });
  // The plan's branch, the stages' branches and the ledger's copies all go this way.
  faults.inject({ on: "request", match: { path: /\/git-receive-pack$/ }, times: 3, effect: unsure });
  await ask(world, scene.issue);
  for (const { id } of stages) {
    await world.until(() => existsSync(`${sign}-${id}`), `the agent of ${id}`);
    await world.until(() => unfinishedChecks().length > 0, `a check while ${id} is at work`);
    writeFileSync(`${sign}-${id}-go`, "");
  }
  await world.run(hasEnded, "the end");
  await expectCleanEnd(world, null, stages);
  expect(faults.unfired()).toEqual([]);
  const reactions = world
    .get(scene.issue)
    .comments.flatMap(({ reactions }) => reactions.map(({ content }) => content));
  expect(reactions).toEqual(["eyes"]);
});

it("leaves GitHub alone for as long as it is told to (F15)", async () => {
  const scene = await aScene(stages.slice(0, 1), { loom: true });
  world = scene.world;
  const limit = world.github.faults.inject({
    on: "request",
    match: { method: "POST", route: `${REPO}/pulls` },
    effect: { kind: "rate-limit", secondary: true, retryAfter: 4 },
  });
  world.comment(scene.issue, "/loom run");
  await limit.whenFired;
  const { requests } = world.world.github;
  const at = requests.findLast(({ status }) => status === 403)?.at ?? 0;
  await world.planPull();
  const early = requests.filter((one) => one.at > at + 250 && one.at < at + 3_900 && one.route !== null);
  expect(early.map(({ route }) => route)).toEqual([]);
});

it("goes on with new tokens when the old ones end, asks for no more rights than it needs, and keeps none on disk (F17, T13, T17)", async () => {
  const asked: { permissions?: Record<string, string>; repository_ids?: number[] }[] = [];
  const scene = await aScene(stages, { loom: true });
  world = scene.world;
  const { github, repository, folder } = world;
  const inspect = world.world.inspect;
  let expired = 0;
  let exchanges = 0;
  let older = new Set<string>();
  world.world.inspect = (exchange) => {
    inspect?.(exchange);
    exchanges += 1;
    // By what was asked and not by time: on a slow machine, one call of git would outlive two tokens. And only those that
    // were there ten exchanges ago: while others ask as well, a fresh one would end before git has used it.
    if (exchanges % 10 === 0) {
      expired += github.faults.expireTokens(({ value }) => older.has(value));
      older = new Set(world?.world.github.tokens.map(({ value }) => value));
    }
    if (exchange.route === "/app/installations/{installation_id}/access_tokens")
      asked.push(exchange.requestBody as (typeof asked)[number]);
  };
  await ask(world, scene.issue);
  await world.run(hasEnded, "the end");
  await expectCleanEnd(world, null, stages);
  expect(expired).toBeGreaterThan(3);
  expect(asked.length).toBeGreaterThan(3);
  for (const { permissions, repository_ids } of asked) {
    expect(Object.keys(permissions ?? {}).length).toBeGreaterThan(0);
    // Only to learn which repositories there are, none can be named yet.
    if (repository_ids === undefined) expect(permissions).toEqual({ metadata: "read" });
    else expect(repository_ids).toEqual([repository.id]);
  }
  const secrets = [...world.world.github.tokens.map(({ value }) => value), world.credentials.webhookSecret];
  const texts = [...filesBelow(folder)].map((path) => readFileSync(path, "latin1"));
  expect(texts.length).toBeGreaterThan(10);
  for (const secret of secrets) expect(texts.some((text) => text.includes(secret))).toBe(false);
  expect(world.loom.warnings.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
});

function* filesBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) yield* filesBelow(path);
    else if (stat?.isFile()) yield path;
  }
}
