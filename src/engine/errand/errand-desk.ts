import type { Errand } from "../../core/errand/errand.ts";
import type { PromptTexts } from "../../core/signal/signal-texts.ts";
import type { Feed } from "../../ports/feed.ts";
import type { Workspace, WorkTree } from "../../ports/workspace.ts";
import type { Home } from "../engine.ts";
import type { ErrandClaim } from "./errand-claim.ts";
import type { ErrandEngine } from "./errand-engine.ts";

/** What one worker goes on with an errand with. */
export type ErrandDesk = {
  readonly engine: ErrandEngine;
  readonly claim: ErrandClaim;
  readonly workspace: Workspace;
  readonly tree: WorkTree;
  readonly home: Home;
  readonly prompts: PromptTexts;
  readonly feed: Feed;
  readonly abort: AbortSignal;
  /** The conversation of the last session, where the harness can go on with it. Lost with the process, and no loss. */
  conversation: { readonly harness: string; readonly resume: string } | null;
};

/** One workspace for all errands of a repository: its trees are lent and reused. No run has an id like it. */
export const ERRANDS = ".errands";

export type Seat = Pick<ErrandDesk, "engine" | "claim" | "feed" | "abort"> & { readonly errand: Errand };

export async function atDesk<T>(
  { errand, ...seat }: Seat,
  work: (desk: ErrandDesk) => Promise<T>,
): Promise<T> {
  const { engine, claim } = seat;
  const workspace = engine.workspaceFor({ id: ERRANDS });
  const tree = await workspace.open(errand.commit);
  const home = await engine.openHome(claim.token);
  try {
    // Somebody's branch must not bring settings for the agent that looks at it (T8).
    if (errand.scope) await workspace.restoreConfig(tree, errand.scope.from);
    const prompts = engine.promptsFor({ id: errand.id, planPath: errand.plan?.path ?? "" });
    return await work({ ...seat, workspace, tree, home, prompts, conversation: null });
  } finally {
    await home.remove();
    await workspace.close(tree);
  }
}
