import { AccessLost } from "../../../ports/github/access-lost.ts";
import type { RepoEngine } from "../host.ts";

/** Whether GitHub lets Loom in at this moment. Throws when GitHub can't say. */
export async function hasAccess(engine: Pick<RepoEngine, "contents">): Promise<boolean> {
  try {
    await engine.contents.defaultBranch();
    return true;
  } catch (error) {
    if (error instanceof AccessLost) return false;
    throw error;
  }
}
