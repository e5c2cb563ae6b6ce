import { existsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import type { Change } from "../../../playground/model/types.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type LoomService, type Service } from "../../support/hosted-processes.ts";
import { livingWith, until } from "../../support/living-processes.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";
import { aScene, aSign, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
afterEach(async () => {
  await service?.end();
  await world?.end();
  world = service = null;
});

it("acts on a webhook that was acknowledged before Loom was killed", async () => {
  const scene = await aScene([{ id: "one" }]);
  world = scene.world;
  service = await aService(world);
  const app = await service.start("app");
  const permission = "/repos/{owner}/{repo}/collaborators/{username}/permission";
  const asked = world.github.faults.inject({
    on: "request",
    match: { route: permission },
    effect: { kind: "delay", until: app.ended },
  });
  world.comment(scene.issue, "/loom run");
  await asked.whenFired;
  await world.github.hooks.whenDelivered();
  expect(
    world.world.github.deliveries
      .filter(({ event }) => event === "issue_comment")
      .map((one) => one.statusCode),
  ).toEqual([200]);
  await app.kill();
  expect(world.pulls()).toEqual([]);

  await service.start("app");
  await world.planPull();
  expect(await world.reply(scene.issue)).toContain("The plan is open");
});

type Moment = { readonly name: string; is(change: Change): boolean };

const branchOf = ({ subject }: Change): string => JSON.stringify(subject);

it("comes to the same end although it is killed at every kind of write (F4, F5, F6)", async () => {
  const stages: SceneStage[] = [
    { id: "one" },
    { id: "two", needs: ["one"] },
    { id: "three", needs: ["two"] },
  ];
  const scene = await aScene(stages);
  world = scene.world;
  service = await aService(world);
  const moments: Moment[] = [
    {
      name: "after the plan was pushed",
      is: (change) => change.event === "push" && branchOf(change).includes(".plan"),
    },
    {
      name: "after the plan was opened",
      is: ({ event, action }) => event === "pull_request" && action === "opened",
    },
    {
      name: "after a reply",
      is: ({ event, sender }) => event === "issue_comment" && sender.endsWith("[bot]"),
    },
    {
      name: "after a stage was pushed",
      is: (change) => change.event === "push" && /\/one"/.test(branchOf(change)),
    },
    {
      name: "after its pull request was opened",
      is: (change) =>
        change.event === "pull_request" &&
        change.action === "opened" &&
        branchOf(change).includes("Write two"),
    },
    {
      name: "after it was merged",
      is: (change) =>
        change.event === "pull_request" &&
        change.action === "closed" &&
        branchOf(change).includes("Write three"),
    },
    {
      name: "after the run was recorded",
      is: (change) => change.event === "push" && /refs\/heads\/main/.test(branchOf(change)),
    },
  ];
  let app: LoomService = await service.start("app");
  const met: string[] = [];
  // Called in the middle of the request, so that Loom never hears the answer.
  world.world.subscribe((change) => {
    const next = moments[0];
    if (!next?.is(change)) return;
    moments.shift();
    met.push(next.name);
    app.signal("SIGKILL");
  });
  const kept = service;
  const restarting = (async () => {
    while (moments.length > 0) {
      await app.ended;
      app = await kept.start("app");
    }
  })();
  restarting.catch(() => {});
  await ask(world, scene.issue);
  const run = await service.until(
    ({ status, recorded }) => status === "completed" && recorded !== null,
    "the end",
  );
  await restarting;
  expect(met.length).toBe(7);
  await expectCleanEnd(world, service, stages);
  expect([...run.stages.values()].map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
});

it("puts its work down when it is asked to stop, charges nothing, and goes on", BY_THE_CLOCK, async () => {
  const sign = await aSign();
  const stages: SceneStage[] = [
    {
      id: "one",
      first: [
        { write: { path: "half.txt", text: "half\n" } },
        { run: `test -f ${sign} || { touch ${sign}; sleep 600; }` },
      ],
    },
    { id: "two", needs: ["one"] },
  ];
  const scene = await aScene(stages);
  world = scene.world;
  service = await aService(world);
  const app = await service.start("app");
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the agent");
  const { stages: before } = await service.until(
    (run) => run.stages.get("one")?.session?.state === "running",
    "its session",
  );
  const marker = before.get("one")?.session?.marker ?? "";

  const began = performance.now();
  expect(await app.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - began).toBeLessThan(10_000);
  await until(() => livingWith(`LOOM_MARKER=${marker}`).length === 0, "its processes are gone");
  const stopped = await service.run();
  expect(stopped?.stages.get("one")).toMatchObject({ attempts: 1, deaths: 0, failures: [], open: true });
  expect(stopped?.stages.get("one")?.kept).not.toBeNull();
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();

  await service.start("app");
  const run = await service.until(
    ({ status, recorded }) => status === "completed" && recorded !== null,
    "the end",
  );
  expect(run.stages.get("one")).toMatchObject({ attempts: 1, deaths: 0 });
  await expectCleanEnd(world, service, stages);
  expect(await world.file("half.txt")).toBe("half\n");
});
