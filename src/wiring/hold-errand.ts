import { basename, dirname } from "node:path";
import { foldersIn } from "../adapters/os/folders-in.ts";
import type { Errand, ErrandId } from "../core/errand/errand.ts";
import type { ErrandEvent } from "../core/errand/errand-events.ts";
import { isId } from "../core/ids.ts";
import type { ErrandBook } from "../engine/errand/errand-book.ts";
import { ERRANDS } from "../engine/errand/errand-desk.ts";
import type { ErrandEngine } from "../engine/errand/errand-engine.ts";
import type { DriverLease, LeaseHolder } from "../ports/driver-lease.ts";
import type { Workspace } from "../ports/workspace.ts";

export type OnErrandEvent = (event: ErrandEvent, errand: Errand) => void;

/** The right of one process of this machine to go on with an errand. */
export type LocalErrandHold =
  | { readonly kind: "acquired"; readonly engine: ErrandEngine; release(): Promise<void> }
  | ({ readonly kind: "held" } & LeaseHolder);

export type ErrandHoldings = {
  readonly engine: ErrandEngine;
  readonly lease: DriverLease;
  /** Absolute; the trees of this repository stand in it. */
  readonly folder: string;
  readonly openWorkspace: (name: string) => Workspace;
  readonly openBook: (onEvent: OnErrandEvent) => ErrandBook;
};

/**
 * Each errand has trees of its own here, unlike on a server: whoever ends first clears up, and must not clear up what
 * belongs to another process. What a process that was killed left behind goes when the next one begins.
 */
export async function holdErrand(
  { engine, lease, folder, openWorkspace, openBook }: ErrandHoldings,
  id: ErrandId,
  onEvent: OnErrandEvent,
): Promise<LocalErrandHold> {
  const held = await lease.acquire(id);
  if (held.kind === "held") return held;
  const own = openWorkspace(treesOf(id));
  await clearErrandTrees({ lease, folder, openWorkspace }, id);
  return {
    kind: "acquired",
    engine: {
      ...engine,
      errands: openBook(onEvent),
      workspaceFor: (run) => (run.id === ERRANDS ? own : engine.workspaceFor(run)),
    },
    async release() {
      try {
        await own.dispose();
      } finally {
        await held.release();
      }
    },
  };
}

const PREFIX = `${ERRANDS}-`;

/** Of those that nobody is at. */
export async function clearErrandTrees(
  { lease, folder, openWorkspace }: Pick<ErrandHoldings, "lease" | "folder" | "openWorkspace">,
  except: ErrandId | null = null,
): Promise<void> {
  for (const name of foldersIn(dirname(folder), basename(folder))) {
    const id = errandOfTrees(name);
    if (id !== null && id !== except) await clearUp(lease, id, openWorkspace);
  }
}

/** null: the folder is not one of an errand's. */
export function errandOfTrees(name: string): ErrandId | null {
  const id = name.slice(PREFIX.length);
  return name.startsWith(PREFIX) && isId(id) ? id : null;
}

function treesOf(id: ErrandId): string {
  return `${PREFIX}${id}`;
}

async function clearUp(
  lease: DriverLease,
  id: ErrandId,
  openWorkspace: ErrandHoldings["openWorkspace"],
): Promise<void> {
  const taken = await lease.acquire(id);
  if (taken.kind === "held") return;
  try {
    await openWorkspace(treesOf(id)).dispose();
  } finally {
    await taken.release();
  }
}
