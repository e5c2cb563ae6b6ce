import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { basename } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chooseSandboxProvider } from "../../../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import {
  type ControlGroup,
  createControlGroup,
  removeOldGroups,
} from "../../../../../src/adapters/sandbox/provider/limits/control-groups.ts";
import { ensureProgram } from "../../../../setup/ensure-program.ts";
import { livingWith } from "../../../../support/living-processes.ts";
import { createSandboxWorld, finish, GB, type SandboxWorld, start, WIDE } from "../sandbox-world.ts";

/** Never let loose without the kernel's limit around it. */
const BOMB = "bomb() { bomb | bomb & }; bomb; sleep 30";
/** The same for a machine on which no group can be made: many, but not without end. */
const CROWD = "for n in $(seq 400); do (sleep 30 &); done; sleep 30";

const LIMITS = { processes: 64, memoryBytes: GB };

let world: SandboxWorld;
beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
beforeEach(() => {
  world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
});
afterEach(() => world.dispose());

describe("a control group", () => {
  it("holds what is started in it, and leaves no trace", async () => {
    const group = createControlGroup(LIMITS);
    // Only where Loom may make one: elsewhere the number of processes is counted.
    if (group === null)
      return expect(process.getuid?.() === 0 && existsSync("/sys/fs/cgroup/pids")).toBe(false);
    const [program = "", ...words] = group.enter;
    const seen = execFileSync(program, [...words, "cat", "/proc/self/cgroup"], { encoding: "utf8" });
    const entered = seen.split("\n").filter((line) => line.includes(basename(group.folders[0] ?? "")));
    expect(entered).toHaveLength(group.folders.length);
    await group.remove();
    expect(group.folders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  it("of a Loom that was killed is removed by the next one, unless it may be new", async () => {
    const mine = createControlGroup(LIMITS);
    if (mine === null) return;
    const own = mine.folders;
    // No process has a number like this one.
    const left = own.map((folder) => folder.replace(/loom-\d+-/, "loom-999999999-"));
    for (const folder of left) mkdirSync(folder);
    const standing = (): string[] => [...own, ...left].filter((folder) => existsSync(folder));
    removeOldGroups(Date.now());
    expect(standing()).toEqual([...own, ...left]);
    removeOldGroups(Date.now() + 3_600_000);
    expect(standing()).toEqual(own);
    await mine.remove();
  });

  it("keeps a fork bomb from the machine until the sandbox has ended it", async () => {
    const made: (ControlGroup | null)[] = [];
    const sandboxes = await chooseSandboxProvider({
      ...world.options,
      group: (limits) => {
        const group = createControlGroup(limits);
        made.push(group);
        return group;
      },
    });
    const sandboxSpec = world.sandboxSpec({ limits: { ...WIDE, processes: 100 } });
    const sandbox = await sandboxes.open(sandboxSpec);
    const { exit } = await finish(start(sandbox, ["bash", "-c", made[0] ? BOMB : CROWD], world.tree));
    expect(sandbox.exceeded()).toBe("It ran more than 100 processes at once.");
    expect(exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    expect(livingWith(`LOOM_MARKER=${sandboxSpec.marker}`)).toEqual([]);
    await sandbox.close();
    await sandboxes.close();
    for (const folder of made.flatMap((group) => group?.folders ?? []))
      expect(existsSync(folder)).toBe(false);
  });
});
