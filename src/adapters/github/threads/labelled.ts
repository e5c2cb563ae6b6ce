import * as z from "zod";
import type { Threads } from "../../../ports/github/threads.ts";
import type { Repository } from "../repository.ts";

const SHAPE = z.object({
  id: z.int(),
  event: z.string(),
  actor: z.object({ id: z.int() }).nullish(),
  label: z.object({ name: z.string() }).nullish(),
});

/** The last event about the label, when that set it. GitHub does not tell capital letters in labels apart. */
export async function labelled(
  repository: Repository,
  number: number,
  label: string,
): ReturnType<Threads["labelled"]> {
  const events = await repository.list(
    "GET /repos/{owner}/{repo}/issues/{issue_number}/events",
    { issue_number: number },
    SHAPE,
  );
  const last = events
    .filter(({ event }) => event === "labeled" || event === "unlabeled")
    .filter((one) => one.label?.name.toLowerCase() === label.toLowerCase())
    .reduce<z.infer<typeof SHAPE> | null>((top, one) => (top && top.id > one.id ? top : one), null);
  return last?.event === "labeled" && last.actor ? { by: last.actor.id, event: last.id } : null;
}
