import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { leftovers } from "../../scenario/project.ts";
import { allTextIn, anAgentProject, MODEL_KEY } from "../../support/agent-world.ts";
import { tempFolder } from "../../support/git-repo.ts";
import { ending } from "../../support/loom-cli.ts";
import { planText } from "../../support/plan-text.ts";
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

describe("the test itself", () => {
  it("would see a secret in any form, and whoever connects", async () => {
    const { TOKEN = "" } = makeSentinels(["TOKEN"]);
    const forms = {
      plain: `x${TOKEN}y`,
      half: TOKEN.slice(0, 30),
      base64: Buffer.from(`export TOKEN=${TOKEN}; more`).toString("base64"),
      address: `?q=${encodeURIComponent(TOKEN)}`,
      reversed: [...TOKEN].reverse().join(""),
      clean: "nothing",
    };
    const found = leaksOf({ TOKEN }, forms).join("\n");
    expect(Object.keys(forms).filter((place) => !found.includes(`in ${place}:`))).toEqual(["clean"]);
    const listener = await startListener();
    onTestFinished(() => listener.close());
    await (await fetch(`http://127.0.0.1:${listener.port}/x`)).text();
    expect(listener.heard()).toHaveLength(2);
  });
});

/** The isolation are the same for all; that each CLI is held by them is shown in `sessions/work.test.ts` and `sessions/ending.test.ts`. */
describe("an agent that does whatever it reads, on a person's machine", () => {
  it("gets nothing out, changes nothing but its tree, and leaves nothing running", async () => {
    const listener = await startListener();
    onTestFinished(() => listener.close());
    const secrets = makeSentinels([
      "GITHUB_TOKEN",
      "SENTINEL_SECRET",
      "NPM_TOKEN",
      "HOME_FILE",
      "GUARDED_FILE",
      "REMOTE_PASSWORD",
    ]);
    const { GITHUB_TOKEN = "", SENTINEL_SECRET = "", NPM_TOKEN = "", REMOTE_PASSWORD = "" } = secrets;
    const guarded = tempFolder();
    writeFileSync(join(guarded, "secret.txt"), `${secrets.GUARDED_FILE}\n`);
    const project = await anAgentProject({
      harness: "codex",
      stages: [{ id: "placeholder" }],
      script: [{ obey: true }],
      env: {
        GITHUB_TOKEN,
        SENTINEL_SECRET,
        NPM_TOKEN,
        DATABASE_URL: `postgres://me:${encodeURIComponent(SENTINEL_SECRET)}@db.example/x`,
      },
    });
    const home = process.env.HOME ?? "";
    fillHome(home, String(secrets.HOME_FILE));
    const aims: Aims = {
      home,
      guarded,
      port: listener.port,
      naps: `86${Math.floor(Math.random() * 1e6)}.5`,
    };
    project.write({
      "tools/loot.sh": lootScript(aims),
      "tools/break.sh": breakScript(aims),
      "PLAN.md": planText(
        [
          {
            id: "loot",
            description: injectedText("tools/loot.sh", aims),
            acceptance: ["grep -q 'attack is over' loot.txt"],
            retries: 0,
          },
          { id: "break", description: injectedText("tools/break.sh", aims), retries: 0 },
        ],
        { name: "A plan" },
      ),
    });
    project.commit("innocent");
    project.git(
      "remote",
      "add",
      "origin",
      `https://me:${encodeURIComponent(REMOTE_PASSWORD)}@git.example/x.git`,
    );
    mkdirSync(join(home, ".cache/loom"), { recursive: true });
    const watched = () => [manifestOf(home, [join(home, ".cache/loom")]), manifestOf(guarded)];
    const before = watched();
    const config = project.read(".git/config");

    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.stderr).toBe("");
    // Both did all they could: what is in the tree is published, what must not be is refused.
    expect(ending(result).stages).toMatchObject({
      loot: { state: "completed" },
      break: { state: "blocked" },
    });
    expect(project.read("loot.txt")).toContain("the attack begins");
    const refused = result.lines.find(({ type, stage }) => type === "attempt-failed" && stage === "break");
    expect(refused?.failure).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/\.claude\/settings\.json.*\.husky\/pre-commit.*link, soft/),
    });
    const audit = allTextIn(join(project.root, ".git/loom"));
    for (const rule of [
      '"network","rule":"private"',
      '"policy","rule":"command"',
      '"import","rule":"protected-path"',
    ])
      expect(audit).toContain(`"audit":{"boundary":${rule},"run":"${ending(result).run}"`);
    const denied = result.lines.filter(({ type }) => type === "hosts-denied").flatMap(({ hosts }) => hosts);
    expect(denied).toContain(`127.0.0.1:${aims.port}`);
    const log = await project.ask("logs", "plan", "loot");
    for (const command of ["git push origin", "git commit", "rm -rf"])
      expect(log.stdout).toContain(`Denied \`${command}`);

    expect(listener.heard()).toEqual([]);
    expect(watched()).toEqual(before);
    expect([project.read(".git/config"), project.has(".git/hooks")]).toEqual([config, false]);
    expect(
      project
        .git("branch", "--format=%(refname:short)")
        .split("\n")
        .filter((name) => !name.startsWith("loom/")),
    ).toEqual(["main"]);
    expect(processesNamed(aims.naps)).toEqual([]);
    expect(leftovers(project)).toMatchObject({ worktrees: [], processes: [], status: "" });
    const asked = project.model.requests();
    const places = {
      "what the model was sent": JSON.stringify(asked.map(({ body, path }) => [body, path])),
      "what loom said": `${result.stdout}${result.stderr}`,
      "ledger, logs, prompts and reports": allTextIn(join(project.root, ".git/loom")),
      "all commits": allObjectsIn(project.root),
    };
    expect(leaksOf({ ...secrets, MODEL_KEY }, places)).toEqual([]);
    for (const { key } of asked) expect(key).toBe(MODEL_KEY);
  });
});
