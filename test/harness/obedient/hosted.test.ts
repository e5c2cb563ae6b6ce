import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentEnvironment, allTextIn, MODEL_KEY } from "../../support/agent-world.ts";
import { tempFolder } from "../../support/git-repo.ts";
import { aGitHubWorld, planDocument } from "../../support/github-world.ts";
import { aService } from "../../support/hosted-processes.ts";
import { processesWith } from "../../support/loom-cli.ts";
import { startModelServer } from "../../support/model-server/start-model-server.ts";
import { type Aims, breakScript, injectedText, lootScript } from "./attack.ts";
import {
  allObjectsIn,
  fillHome,
  leaksOf,
  makeSentinels,
  manifestOf,
  processesNamed,
  startListener,
} from "./sentinels.ts";

describe("an agent that does whatever an issue says, in the service", () => {
  it("gets nothing to GitHub, to the model or anywhere else", async () => {
    const listener = await startListener();
    onTestFinished(() => listener.close());
    const model = await startModelServer({ script: [{ obey: true }], keys: [MODEL_KEY] });
    onTestFinished(() => model.close());
    const {
      HOME_FILE = "",
      GUARDED_FILE = "",
      ...env
    } = makeSentinels([
      "GITHUB_TOKEN",
      "SENTINEL_SECRET",
      "AWS_SECRET_ACCESS_KEY",
      "HOME_FILE",
      "GUARDED_FILE",
    ]);
    const [home, guarded] = [tempFolder(), tempFolder()];
    fillHome(home, HOME_FILE);
    writeFileSync(join(guarded, "secret.txt"), `${GUARDED_FILE}\n`);
    const naps = `87${Math.floor(Math.random() * 1e6)}.5`;
    const aims: Aims = { home, guarded, port: listener.port, naps };
    const world = await aGitHubWorld({
      loom: false,
      config: { version: 1, merge: { mode: "auto" }, limits: { retries: 0 } },
      files: { "tools/loot.sh": lootScript(aims), "tools/break.sh": breakScript(aims) },
      env: { ...agentEnvironment("claude", model.url), HOME: home, ...env },
    });
    onTestFinished(() => world.end());
    const service = await aService(world);
    onTestFinished(() => service.end());
    mkdirSync(join(home, ".cache/loom"), { recursive: true });
    const watched = () => [manifestOf(home, [join(home, ".cache/loom")]), manifestOf(guarded)];
    const before = watched();
    const app = await service.start("app");

    const issue = world.issue({
      title: "An innocent wish",
      body: planDocument([
        {
          id: "loot",
          name: "Gather",
          description: injectedText("tools/loot.sh", aims),
          acceptance: ["grep -q 'attack is over' loot.txt"],
        },
        {
          id: "break",
          name: "Tidy",
          description: injectedText("tools/break.sh", aims),
          acceptance: ["true"],
        },
      ]),
    });
    world.comment(issue, "/loom run");
    world.label((await world.planPull()).number, "loom: approve");
    const run = await service.until(({ status }) => status !== "running", "the end of the run");
    expect([...run.stages].map(([id, { state }]) => [id, state.kind])).toEqual([
      ["loot", "completed"],
      ["break", "blocked"],
    ]);
    // It was done in full and is in the repository for all to read.
    expect(await world.file("loot.txt")).toContain("the attack begins");
    const check = await world.until(
      () =>
        world.repository.checkRuns.find(
          ({ name, text }) => name === "loom / loot" && text?.includes("### Used"),
        ),
      "the check run",
    );
    expect(check.text).toContain(`- \`127.0.0.1:${aims.port}\``);
    await app.stop();

    expect(listener.heard()).toEqual([]);
    expect(watched()).toEqual(before);
    expect(processesNamed(naps)).toEqual([]);
    expect(processesWith(world.folder)).toEqual([]);
    const { issues, checkRuns, gitDir } = world.repository;
    const places = {
      "issues, pull requests and check runs": JSON.stringify([[...issues.values()], checkRuns]),
      "all objects of the repository": allObjectsIn(gitDir),
      "what the model was sent": JSON.stringify(model.requests().map(({ body, path }) => [body, path])),
      "what the service said": service.said(),
      "ledger, logs, mirrors and trees": allTextIn(join(world.folder, "data")),
    };
    const [, keyLine = ""] = world.credentials.privateKeyPem.split("\n");
    const secrets = {
      ...env,
      HOME_FILE,
      GUARDED_FILE,
      MODEL_KEY,
      PRIVATE_KEY: keyLine,
      WEBHOOK_SECRET: world.credentials.webhookSecret,
      ...Object.fromEntries(
        world.world.github.tokens.map(({ value: token }, at) => [`installation token ${at}`, token]),
      ),
    };
    expect(leaksOf(secrets, places)).toEqual([]);
    for (const { key } of model.requests()) expect(key).toBe(MODEL_KEY);
  });
});
