import type { Repository } from "../repository.ts";
import { getPull } from "./pull.ts";
import { textChanges } from "./pull-text.ts";

const ROUTE = "PATCH /repos/{owner}/{repo}/pulls/{pull_number}";

/** Only what differs, and no text that a person wrote. A pull request that is merged has no state to change. */
export async function editPull(
  repository: Repository,
  number: number,
  change: { title?: string; body?: string; state?: "open" | "closed" },
): Promise<void> {
  const pull = await getPull(repository, number);
  if (pull === null) return;
  const isOpen = pull.open ? "open" : "closed";
  const changes = {
    ...textChanges(pull, change),
    ...(change.state !== undefined && change.state !== isOpen && !pull.merged ? { state: change.state } : {}),
  };
  if (Object.keys(changes).length === 0) return;
  await repository.ask(ROUTE, { pull_number: number, ...changes }, { repeat: true });
}
