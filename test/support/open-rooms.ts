import { chooseRooms } from "../../src/adapters/sandbox/rooms/choose-rooms.ts";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import type { Rooms } from "../../src/ports/room.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";

/** Rooms without walls, for tests that are about something else. */
export function openRooms(
  supervisor: Sandbox,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Rooms> {
  return chooseRooms({
    supervisor,
    folder,
    cwd: folder,
    env: { ...env, LOOM_SANDBOX: "off" },
    patterns: createPatterns(),
  });
}
