import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSupervisor } from "../../src/adapters/sandbox/processes/process-supervisor.ts";
import { openAgents } from "../../src/wiring/agents.ts";
import { tempFolder } from "../support/git-repo.ts";

async function open(folder: string) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LOOM_SANDBOX: "off" };
  return openAgents({ supervisor: createSupervisor(), env, cwd: folder, folder, runsAgents: true });
}

describe("homes", () => {
  it("of a Loom that was killed are removed by the next one, and those of one that lives are not", async () => {
    const folder = tempFolder();
    const first = await open(folder);
    const alive = await first.openHome("alive");
    const dead = await first.openHome("dead");
    mkdirSync(join(dead.path, ".npm"));
    const note = join(dirname(dead.path), "owner");
    const owner = JSON.parse(readFileSync(note, "utf8"));
    writeFileSync(note, JSON.stringify({ ...owner, started: owner.started - 1 }));

    const second = await open(folder);
    expect([existsSync(alive.path), existsSync(dead.path)]).toEqual([true, false]);
    await alive.remove();
    await second.sandboxes.close();
    await first.sandboxes.close();
  });

  it("have folders beside them for files that nobody else can read", async () => {
    const agents = await open(tempFolder());
    const home = await agents.openHome("one");
    const [first, second] = [await home.lay(new Map([["a/b.json", "{}"]])), await home.lay(new Map())];
    expect(readFileSync(join(first, "a/b.json"), "utf8")).toBe("{}");
    expect(first.startsWith(`${home.path}/`)).toBe(false);
    expect(first).not.toBe(second);
    expect(statSync(first).mode & 0o077).toBe(0);
    await home.remove();
    expect(existsSync(first)).toBe(false);
    await agents.sandboxes.close();
  });
});
