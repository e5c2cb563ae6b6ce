import type { Limits, Walls } from "../../ports/room.ts";

/** For programs that ought to do nothing, and that in a moment. */
const SMALL: Limits = {
  processes: 128,
  memoryBytes: 4 * 1024 ** 3,
  fileBytes: 64 * 1024 ** 2,
  diskBytes: 256 * 1024 ** 2,
};

/** A room around an empty folder, with no way out of it. */
export function bareWalls(marker: string, folder: string): Walls {
  return {
    marker,
    tree: folder,
    treeAccess: "read",
    hidden: [],
    readOnly: [],
    writable: [],
    home: null,
    shows: [],
    network: { allow: [] },
    model: null,
    judge: null,
    onTraffic: null,
    limits: SMALL,
  };
}
