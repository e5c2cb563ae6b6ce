import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AGENT_CLIS, type AgentCliId, agentClisFolder, ensureAgentClis } from "../setup/agent-clis.ts";

const IDS = Object.keys(AGENT_CLIS) as readonly AgentCliId[];

describe("the installation of the agent CLIs", () => {
  let env: NodeJS.ProcessEnv;

  beforeEach(() => {
    env = { LOOM_TEST_CLIS: mkdtempSync(join(tmpdir(), "loom-clis-")) };
  });
  afterEach(() => rmSync(String(env.LOOM_TEST_CLIS), { recursive: true, force: true }));

  it("happens once, in a folder named after the versions", () => {
    const installed: string[] = [];
    const install = (folder: string) => {
      installed.push(folder);
      pretend(folder);
    };
    const first = ensureAgentClis(env, install);
    expect(ensureAgentClis(env, install)).toEqual(first);
    expect(installed).toHaveLength(1);
    expect(first.folder).toBe(agentClisFolder(env));
    expect(first.codex).toEqual({
      version: AGENT_CLIS.codex.version,
      bin: join(first.folder, "node_modules/.bin/codex"),
      packageRoot: join(first.folder, "node_modules/@openai/codex"),
    });
  });

  it("is not taken for done when it was broken off", () => {
    const broken = (folder: string): never => {
      pretend(folder);
      throw new Error("the network is gone");
    };
    expect(() => ensureAgentClis(env, broken)).toThrow("the network is gone");
    expect(readdirSync(String(env.LOOM_TEST_CLIS))).toEqual([]);
    expect(ensureAgentClis(env, pretend).folder).toBe(agentClisFolder(env));
  });

  it("removes what a killed one left", () => {
    const folder = agentClisFolder(env);
    const dead = spawnSync("true").pid;
    writeFileSync(`${folder}.lock`, String(dead));
    pretend(`${folder}.new-${dead}`);
    ensureAgentClis(env, pretend);
    expect(readdirSync(dirname(folder))).toEqual([basename(folder)]);
  });

  it("is left to who has begun it", async () => {
    const folder = agentClisFolder(env);
    pretend(`${folder}.theirs`);
    const script = 'echo $$ > "$1.lock"; echo begun; mv "$1.theirs" "$1"; rm "$1.lock"';
    const other = spawn("sh", ["-c", script, "sh", folder], { stdio: ["ignore", "pipe", "inherit"] });
    await once(other.stdout, "data");
    const never = () => expect.unreachable("a second installation");
    expect(ensureAgentClis(env, never).folder).toBe(folder);
  });

  it("lies in the user's cache when nobody says where", () => {
    const last = basename(agentClisFolder(env));
    expect(agentClisFolder({ HOME: "/home/a" })).toBe(join("/home/a/.cache/loom/test-clis", last));
    expect(agentClisFolder({ HOME: "/home/a", XDG_CACHE_HOME: "/c" })).toBe(join("/c/loom/test-clis", last));
  });
});

/** As much of an installation as is looked at. */
function pretend(folder: string): void {
  for (const id of IDS) {
    mkdirSync(join(folder, "node_modules", AGENT_CLIS[id].package), { recursive: true });
    mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
    writeFileSync(join(folder, "node_modules", ".bin", id), "");
  }
}
