import type { Leases } from "../../ports/leases.ts";

/** In memory: all who could ask live in this process, and end with it. */
export function createEmbeddedLeases(): Leases {
  const holders = new Map<string, symbol>();
  return {
    async acquire(name) {
      if (holders.has(name)) return { kind: "held" };
      const holder = Symbol(name);
      holders.set(name, holder);
      return {
        kind: "acquired",
        async release() {
          // Released twice, it may be somebody else's by now.
          if (holders.get(name) === holder) holders.delete(name);
        },
      };
    },
    isHeld: async (name) => holders.has(name),
    async close() {
      holders.clear();
    },
  };
}
