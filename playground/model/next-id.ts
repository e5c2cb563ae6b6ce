import type { World } from "./world.ts";

/** Ids never repeat, whatever they are for. */
export function nextId(world: World): number {
  world.github.nextId += 1;
  return world.github.nextId;
}
