import { readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../src/ports/sandbox.ts";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { createSandboxWorld, type Ended, finish, type SandboxWorld, start } from "./sandbox-world.ts";

const SECRET = "hunter2-in-the-tree";
const RULES = { hidden: ["conf/prod/secret.txt"], readOnly: ["ro/keep/policy.txt"] };

let world: SandboxWorld;
beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
beforeEach(() => {
  world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
  world.makeRepository({
    "a.txt": "one\n",
    "conf/prod/secret.txt": `${SECRET}\n`,
    "conf/prod/open.txt": "open\n",
    "ro/keep/policy.txt": "orig\n",
  });
});
afterEach(() => world.dispose());

function sh(sandbox: Sandbox, script: string): Promise<Ended> {
  return finish(start(sandbox, ["sh", "-c", script], world.tree));
}

describe("a folder above a file that rules hide or protect", () => {
  it("can't be moved, removed or exchanged, and programs are told that it is in use", async () => {
    const sandbox = await world.open(RULES);
    const { out, err } = await sh(
      sandbox,
      `mv conf conf2; mv conf/prod conf/prod2; mv ro ro2; mv ro/keep keep; rm -rf conf ro
       mkdir other; mv -T --exchange conf other; ls conf2 conf/prod2 ro2; cat conf/prod/secret.txt`,
    );
    expect(out).toBe("");
    expect(err).toContain("mv: cannot move 'conf' to 'conf2': Device or resource busy");
    expect(readFileSync(join(world.tree, "conf/prod/secret.txt"), "utf8")).toBe(`${SECRET}\n`);
  });

  it("shows the next program and the next sandbox no more than the first", async () => {
    const first = await world.open(RULES);
    await sh(first, "mv conf conf2; mv ro ro2");
    const second = await sh(
      first,
      "cat conf*/prod/secret.txt; echo hacked > ro2/keep/policy.txt; mv conf2 conf; mv ro2 ro; mv conf conf3",
    );
    await first.close();
    const third = await sh(await world.open(RULES), "cat conf*/prod/secret.txt");
    expect(second.out + third.out).not.toContain(SECRET);
    expect(readFileSync(join(world.tree, "ro/keep/policy.txt"), "utf8")).toBe("orig\n");
  });

  it("stays put inside of what rules open again", async () => {
    world.write(join(world.tree, "doc/notes/deep/er/key.txt"), SECRET);
    const sandbox = await world.open({
      treeAccess: "read",
      hidden: ["doc/notes/deep/er/key.txt"],
      writable: ["doc/notes/**"],
    });
    await sh(sandbox, "cd doc/notes && mv deep deep2");
    const { out, err } = await sh(
      sandbox,
      "cat doc/notes/*/er/key.txt; echo x > doc/notes/new && echo x > doc/new",
    );
    expect(out).toBe("");
    expect(err).toContain("doc/new: Read-only file system");
  });

  it("counts, where there are too many to hold each of them", async () => {
    for (let n = 0; n < 800; n += 1) world.write(join(world.tree, `many/${n}/key.txt`), "");
    await expect(world.open({ hidden: ["many/*/key.txt"] })).rejects.toMatchObject({
      message:
        "The sandbox rules match files in too many folders: with them, more than 1500 mounts are needed.",
      next: "Name the folder they are in, such as `folder/**`.",
    });
  });

  it("is worked in as ever", async () => {
    const sandbox = await world.open(RULES);
    const { out } = await sh(
      sandbox,
      `echo changed > conf/prod/open.txt && mkdir -p conf/new && mv conf/prod/open.txt conf/new/moved.txt &&
       mv conf/new new && rm -r new && echo x > ro/keep/x && cat ro/keep/policy.txt ro/keep/x`,
    );
    expect(out).toBe("orig\nx\n");
  });
});

describe("a hidden file that was moved from outside", () => {
  it("keeps the next program from starting", async () => {
    const sandbox = await world.open(RULES);
    expect((await sh(sandbox, "true")).exit).toEqual({ kind: "exited", code: 0 });
    renameSync(join(world.tree, "conf"), join(world.tree, "moved"));
    symlinkSync("moved", join(world.tree, "conf"));
    expect((await sh(sandbox, "cat moved/prod/secret.txt")).exit).toEqual({
      kind: "not-started",
      reason: "`conf/prod/secret.txt`, which the sandbox rules name, was moved to `moved/prod/secret.txt`",
    });
    renameSync(join(world.tree, "moved/prod/secret.txt"), join(world.root, "gone"));
    expect((await sh(sandbox, "true")).exit).toEqual({ kind: "exited", code: 0 });
  });
});
