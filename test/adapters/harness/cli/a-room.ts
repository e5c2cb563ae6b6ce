import { join } from "node:path";
import type { Room } from "../../../../src/ports/room.ts";

/** A room that is only asked where things are. */
export function aRoom(home: string, guard: Room["guard"]): Room {
  return {
    home,
    tmp: join(home, "tmp"),
    modelUrl: "http://127.0.0.1:3128/.loom/model",
    guard,
    shells: null,
    env: {},
    spawn: () => {
      throw new Error("nothing is started here");
    },
    denied: () => [],
    exceeded: () => null,
    close: async () => {},
  };
}
