import { setFlagsFromString } from "node:v8";

/**
 * Keeps the heap small, from the start or not at all: what it has grown to it keeps. Beside people's own work memory counts more
 * than collecting more often does, and each start of a program is cheaper, because the system copies the map of Loom's memory
 * for it. For commands that end at once it would only cost. The limit of new space would do more, but can only be given to Node
 * itself, and not every system's `env` hands options on in a first line.
 */
export function keepSmall(): void {
  for (const flag of ["--optimize-for-size", "--no-sparkplug"]) setFlagsFromString(flag);
}
