import { describe, expect, it } from "vitest";
import { startRegistry } from "../support/package-registry.ts";
import { leak } from "../support/set-up-world.ts";
import { makeProject } from "./project.ts";

/** The first stage plants what the set-up of the second one, and the proof of both, would run. */
const STAGES = [
  { id: "plant", setup: ["npm ci", "sh tools/deps.sh"], acceptance: ["true"] },
  { id: "reap", setup: ["npm ci", "sh tools/deps.sh"], acceptance: ["true"], dependencies: ["plant"] },
];

async function run(env: Record<string, string> = {}) {
  const registry = await startRegistry({ name: "tiny", files: { "index.js": "" } });
  const manifest = { name: "app", version: "1.0.0", dependencies: { tiny: "1.0.0" } };
  const planted = JSON.stringify({ ...manifest, scripts: { preinstall: "node leak.cjs" } });
  const project = makeProject({
    stages: STAGES,
    files: {
      "secret.txt": "nobody else may have this\n",
      "package.json": JSON.stringify(manifest),
      "package-lock.json": registry.lock("app", "tiny"),
      ".npmrc": `registry=${registry.url}\naudit=false\n`,
      ".gitignore": "node_modules\n",
      "tools/deps.sh": "true\n",
      // What the agent puts in place stands here, where nothing runs it.
      "notes/leak.txt": leak(registry),
      "notes/package.txt": planted,
    },
    agent: `test -d node_modules/tiny || exit 1
      if [ "$LOOM_STAGE_ID" = plant ]; then
        cp notes/leak.txt leak.cjs; cp notes/package.txt package.json; echo 'node leak.cjs' > tools/deps.sh
      else echo done > reap.txt; fi`,
    env: { LOOM_SANDBOX: "bubblewrap", LOOM_SETUP_DOMAINS: registry.host, ...env },
  });
  const { code, stderr } = await project.ask("run", "PLAN.md");
  return { registry, project, code, stderr };
}

describe("a run whose first stage plants code in the set-up", () => {
  it("sets up the second stage and proves both without sending anything away", async () => {
    const { registry, project, code } = await run();
    expect(code).toBe(0);
    expect(project.mergedStages()).toEqual(["plant", "reap"]);
    expect(project.read("tools/deps.sh")).toBe("node leak.cjs\n");
    expect(registry.requests.map(({ path }) => path)).toContain("/tiny/tiny-1.0.0.tgz");
    expect(registry.sent()).toEqual([]);
  });

  it("would send it where the operator lets set-up reach hosts on agents' work", async () => {
    const { registry } = await run({ LOOM_SETUP_NETWORK: "commit" });
    expect(registry.sent()).toContainEqual({
      method: "PUT",
      path: "/leak/",
      body: "nobody else may have this\n",
    });
  });
});
