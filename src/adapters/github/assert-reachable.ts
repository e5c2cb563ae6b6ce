import { AccessLost } from "../../ports/github/access-lost.ts";
import type { Ask } from "./api/ask.ts";

/**
 * GitHub says 404 for what is gone and for what the App may not see any more. Issues and pull requests are hardly ever
 * deleted, so that a missing one is a reason to ask for the repository itself (F21).
 */
export async function assertReachable(ask: Ask): Promise<void> {
  const { status } = await ask("GET /repos/{owner}/{repo}", {}, { answers: [404, 451] });
  if (status >= 400) throw new AccessLost("repository-gone");
}
