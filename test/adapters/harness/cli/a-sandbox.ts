import { join } from "node:path";
import type { Sandbox } from "../../../../src/ports/sandbox.ts";

/** A sandbox that is only asked where things are. */
export function aSandbox(home: string, guard: Sandbox["guard"]): Sandbox {
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
