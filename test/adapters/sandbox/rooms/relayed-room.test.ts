import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createLimitWatcher,
  type LimitWatcher,
} from "../../../../src/adapters/sandbox/rooms/limit-watcher.ts";
import { openRelayedRoom } from "../../../../src/adapters/sandbox/rooms/relayed-room.ts";
import { makeRoomFolder } from "../../../../src/adapters/sandbox/rooms/room-folder.ts";
import type { Room } from "../../../../src/ports/room.ts";
import { createRoomWorld, finish, type RoomWorld, start, untilLine } from "./room-world.ts";

let world: RoomWorld;
let watcher: LimitWatcher;
let room: Room;

beforeEach(async () => {
  world = createRoomWorld();
  watcher = createLimitWatcher();
  const env = { PATH: process.env.PATH ?? "" };
  room = await openRelayedRoom({
    sandbox: world.sandbox,
    watcher,
    walls: world.walls(),
    files: makeRoomFolder(world.folder, null, () => {}),
    env,
    node: process.execPath,
    // Walls whose end does not end what is within.
    enclose: (program) => ({
      argv: ["sh", "-c", '"$@" & wait $!', "walls", ...program],
      env,
      after: async () => {},
    }),
  });
});
afterEach(async () => {
  await room.close();
  await watcher.close();
  await world.dispose();
});

describe("how a program ended", () => {
  it.each([
    ["exit 3", { kind: "exited", code: 3 }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }],
  ])("is what the relay says: %s", async (script, exit) => {
    expect((await finish(start(room, ["sh", "-c", script], world.tree))).exit).toEqual(exit);
  });

  it("is how its walls ended, when they were killed before it, and not how the rest was swept away", async () => {
    const running = start(
      room,
      ["sh", "-c", "trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done"],
      world.tree,
    );
    await untilLine(running, "up");
    process.kill(running.pid ?? 0, "SIGKILL");
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
  });
});
