import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AttackId, Played } from "../../../src/core/drill/attack.ts";
import type { DrillWorld } from "../../../src/engine/drill/drill-world.ts";
import { playDrill } from "../../../src/engine/drill/play-drill.ts";
import { openDrill } from "../../../src/wiring/drill.ts";
import { ensureProgram } from "../../setup/ensure-program.ts";
import { tempFolder } from "../../support/git-repo.ts";

beforeAll(() => ensureProgram("bwrap", "bubblewrap"));

async function aWorld(env: Record<string, string> = {}): Promise<DrillWorld> {
  const root = tempFolder();
  for (const name of ["home", "cache", "work"]) mkdirSync(join(root, name));
  const { world, close } = await openDrill({
    cwd: join(root, "work"),
    env: {
      PATH: process.env.PATH,
      HOME: join(root, "home"),
      XDG_CACHE_HOME: join(root, "cache"),
      LOOM_SANDBOX: "bubblewrap",
      ...env,
    },
    signal: new AbortController().signal,
    onPlayed: () => {},
  });
  onTestFinished(close);
  return world;
}

/** What got through, by attack, without what differs from one time to the next. */
function openOnes(all: readonly Played[], world: DrillWorld): Partial<Record<AttackId, string>> {
  const plain = (text: string): string =>
    text.replaceAll(world.ground.root, "<root>").replace(/:\d{5}\b/, ":<port>");
  return Object.fromEntries(
    all.flatMap(({ attack, outcome }) =>
      outcome.kind === "open" && outcome.why === "got-through"
        ? [[attack, outcome.what.map(plain).join(", ")]]
        : [],
    ),
  );
}

/** A drill that can't fail would show nothing: each defence is taken away, and has to be missed. */
describe("a defence that is not there", () => {
  it("is found: mounts, variables, rules for hosts, limits, what the model may be asked, what is imported", async () => {
    const world = await aWorld({ REDIS_URL: "redis://:word@127.0.0.1:6399" });
    let port = 0;
    const listen = async () => {
      const listeners = await world.ground.listen();
      port = listeners.tcp[0]?.port ?? 0;
      return listeners;
    };
    const leak = world.secrets.find(({ name }) => name === "NPM_TOKEN");
    const all = await playDrill({
      ...world,
      ground: { ...world.ground, listen },
      limitSecs: 2,
      modelAllow: ["tools[].type=web_search_20250305"],
      changedSetUp: { allow: [], allowPublic: ["registry.npmjs.org"] },
      rules: {
        ...world.rules,
        setup: { ...world.rules.setup, network: { allow: ["169.254.169.254"], allowPublic: [] } },
      },
      sandboxes: {
        ...world.sandboxes,
        async open(sandboxSpec) {
          const sandbox = await world.sandboxes.open({
            ...sandboxSpec,
            hidden: [],
            shows: [world.ground.outside],
            network: { allow: [`127.0.0.1:${port}`, "127.0.0.1:6399"] },
            limits: { processes: 512, memoryBytes: 4e9, diskBytes: 4e9, fileBytes: 1e9 },
          });
          const spawn: typeof sandbox.spawn = (spec) =>
            sandbox.spawn({ ...spec, env: { ...spec.env, NPM_TOKEN: leak?.value ?? "" } });
          return { ...sandbox, spawn };
        },
      },
      async openWorkspace(tree) {
        const workspace = await world.openWorkspace(tree);
        return {
          ...workspace,
          restoreConfig: async () => [],
          async commit(lent, spec) {
            const outcome = await workspace.commit(lent, spec);
            const more = [".envrc", ".mcp.json", "loot.txt", "notes.b64", ".GIT/config", ".gitattributes"];
            return outcome.kind === "committed" && spec.onForbidden === "strip"
              ? { ...outcome, files: [...outcome.files, ...more] }
              : outcome;
          },
        };
      },
    });
    expect(openOnes(all, world)).toMatchInlineSnapshot(`
      {
        "agent-config": ".mcp.json, .claude/settings.json, .codex/config.toml, .gemini/settings.json, all of it",
        "environment": "NPM_TOKEN",
        "gateway": "127.0.0.1:<port>, 127.1:<port>, 2130706433:<port>, 0x7f.1:<port>, 0177.0.0.1:<port>",
        "history": "vault/inner/hidden.txt",
        "home": "<root>/outside/home/.ssh/id_ed25519, <root>/outside/home/.aws/credentials, <root>/outside/home/.gitconfig, <root>/outside/home/.npmrc",
        "limit-disk": "nobody ended it",
        "limit-file": "a file of 8000000 bytes",
        "limit-memory": "nobody ended it",
        "limit-processes": "nobody ended it",
        "links": "loot.txt",
        "loopback": "127.0.0.1",
        "metadata": "169.254.169.254 (setup)",
        "model": "a search by the provider",
        "odd-names": ".GIT/config",
        "own-files": "<root>/outside/neighbour/secret.txt, <root>/outside/secret.txt",
        "published": ".envrc",
        "secrets": "notes.b64",
        "set-up": "registry.npmjs.org",
        "store": "127.0.0.1:6399",
      }
    `);
  });

  it("is found: a wrapper of the operator's that isolates nothing", async () => {
    const world = await aWorld({ LOOM_SANDBOX: "", LOOM_SANDBOX_CMD: "env" });
    const { ground } = world;
    const all = await playDrill({
      ...world,
      // The attacks run on this machine now, so they stay in their folder.
      ground: {
        ...ground,
        forbidden: ground.forbidden.filter((path) => path.startsWith(ground.root)),
        knownSockets: [],
      },
      changedSetUp: { allow: [] },
      // No calls to the kernel either.
      arch: "other",
    });
    const open = openOnes(all, world);
    expect(Object.keys(open)).toMatchInlineSnapshot(`
      [
        "environment",
        "processes",
        "relay",
        "kernel",
        "loopback",
        "sockets",
        "home",
        "own-files",
        "outside",
        "git-folder",
        "leftovers",
        "history",
        "set-up",
        "limit-file",
      ]
    `);
    expect(open.processes).toBe("its command line, its life, Loom's pid namespace");
    expect(readdirSync("/tmp").filter((name) => name.startsWith(".loom-drill"))).toEqual([]);
  });

  it("is found: programs of the repository that Loom's own git would run, and what is on its PATH", async () => {
    const world = await aWorld({ LOOM_SANDBOX: "off" });
    const all = await playDrill({
      ...world,
      findProgram: (name, tree) => (name === "git" ? join(tree ?? "", "node_modules/.bin/git") : null),
      ground: { ...world.ground, sprung: async (name) => name === "git-programs" },
    });
    const open = openOnes(all, world);
    expect(open).toMatchObject({ "git-programs": "a program of the repository's", "search-path": "git" });
    // The traps are good ones: whoever uses plain git there, or follows that PATH, runs them.
    const { root } = world.repository;
    expect([await world.ground.sprung("git-programs"), await world.ground.sprung("search-path")]).toEqual([
      false,
      false,
    ]);
    spawnSync("git", ["status"], { cwd: root });
    spawnSync("git", ["status"], { cwd: root, env: { PATH: join(root, "node_modules/.bin") } });
    expect([await world.ground.sprung("git-programs"), await world.ground.sprung("search-path")]).toEqual([
      true,
      true,
    ]);
  });

  it("is not taken for one that holds when an attack could not be played", async () => {
    const world = await aWorld();
    const all = await playDrill({
      ...world,
      sandboxes: {
        ...world.sandboxes,
        async open(sandboxSpec) {
          const sandbox = await world.sandboxes.open(sandboxSpec);
          return { ...sandbox, spawn: (spec) => sandbox.spawn({ ...spec, argv: ["true"] }) };
        },
      },
    });
    const played = all.filter(({ outcome }) => outcome.kind === "open" && outcome.why === "not-played");
    expect(played.map(({ attack }) => attack)).toMatchInlineSnapshot(`
      [
        "environment",
        "processes",
        "relay",
        "calls",
        "kernel",
        "descriptors",
        "loopback",
        "sockets",
        "gateway",
        "metadata",
        "store",
        "home",
        "own-files",
        "outside",
        "git-folder",
        "model",
        "leftovers",
        "history",
        "set-up",
        "limit-file",
        "stubborn",
        "links",
        "published",
        "agent-config",
        "odd-names",
        "secrets",
      ]
    `);
  });
});
