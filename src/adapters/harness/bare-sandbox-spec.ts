import type { Limits, SandboxSpec } from "../../ports/sandbox.ts";

/** For programs that ought to do nothing, and that in a moment. */
const SMALL: Limits = {
  processes: 128,
  memoryBytes: 4 * 1024 ** 3,
  fileBytes: 64 * 1024 ** 2,
  diskBytes: 256 * 1024 ** 2,
};

/** A sandbox around an empty folder, with no way out of it. */
export function bareSandboxSpec(marker: string, folder: string): SandboxSpec {
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
