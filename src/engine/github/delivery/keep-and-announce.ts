import type { Inbox, Intake } from "../../../ports/inbox.ts";
import type { JobQueue } from "../../../ports/job-queue.ts";

/** In two steps, where inbox and queue are apart. */
export function keepAndAnnounce(inbox: Pick<Inbox, "put">, queue: Pick<JobQueue, "enqueue">): Intake {
  return {
    async take(id, delivery) {
      const outcome = await inbox.put(id, delivery);
      if (outcome !== "done") await queue.enqueue({ kind: "delivery", delivery: id });
      return outcome;
    },
  };
}
