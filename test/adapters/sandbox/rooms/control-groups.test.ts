import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chooseRooms } from "../../../../src/adapters/sandbox/rooms/choose-rooms.ts";
import {
  type ControlGroup,
  createControlGroup,
  removeOldGroups,
} from "../../../../src/adapters/sandbox/rooms/control-groups.ts";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { livingWith } from "../../../support/living-processes.ts";
import { createRoomWorld, finish, type RoomWorld, start, WIDE } from "./room-world.ts";

/** Never let loose without the kernel's limit around it. */
const BOMB = "bomb() { bomb | bomb & }; bomb; sleep 30";
/** The same for a machine on which no group can be made: many, but not without end. */
const CROWD = "for n in $(seq 400); do (sleep 30 &); done; sleep 30";

let world: RoomWorld;
beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
beforeEach(() => {
  world = createRoomWorld({ LOOM_SANDBOX: "bubblewrap" });
});
afterEach(() => world.dispose());

describe("a control group", () => {
  it("holds what is started in it, and leaves no trace", () => {
    const group = createControlGroup({ processes: 64 });
    // Only where Loom may make one: elsewhere the number of processes is counted.
    if (group === null)
      return expect(process.getuid?.() === 0 && existsSync("/sys/fs/cgroup/pids")).toBe(false);
    const [program = "", ...words] = group.enter;
    const seen = execFileSync(program, [...words, "cat", "/proc/self/cgroup"], { encoding: "utf8" });
    const folder = words.at(-1) ?? "";
    expect(seen).toContain(folder.split("/").at(-1));
    group.remove();
    expect(existsSync(folder)).toBe(false);
  });

  it("of a Loom that was killed is removed by the next one, unless it may be new", () => {
    const mine = createControlGroup({ processes: 64 });
    if (mine === null) return;
    const own = mine.enter.at(-1) ?? "";
    // No process has a number like this one.
    const left = own.replace(/loom-\d+-/, "loom-999999999-");
    mkdirSync(left);
    removeOldGroups(Date.now());
    expect([own, left].map((path) => existsSync(path))).toEqual([true, true]);
    removeOldGroups(Date.now() + 3_600_000);
    expect([own, left].map((path) => existsSync(path))).toEqual([true, false]);
    mine.remove();
  });

  it("keeps a fork bomb from the machine until the room has ended it", async () => {
    const made: (ControlGroup | null)[] = [];
    const rooms = await chooseRooms({
      ...world.options,
      group: (limits) => {
        const group = createControlGroup(limits);
        made.push(group);
        return group;
      },
    });
    const walls = world.walls({ limits: { ...WIDE, processes: 100 } });
    const room = await rooms.open(walls);
    const { exit } = await finish(start(room, ["bash", "-c", made[0] ? BOMB : CROWD], world.tree));
    expect(room.exceeded()).toBe("It ran more than 100 processes at once.");
    expect(exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    expect(livingWith(`LOOM_MARKER=${walls.marker}`)).toEqual([]);
    await room.close();
    await rooms.close();
    for (const group of made) if (group) expect(existsSync(group.enter.at(-1) ?? "")).toBe(false);
  });
});
