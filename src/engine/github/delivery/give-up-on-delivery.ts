import { parseCommands } from "../../../core/command/parse-commands.ts";
import { messageOf } from "../../../core/errors.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import { reactTo, replyKey } from "../command/handle-comment.ts";
import { commentIn } from "../command/incoming-comment.ts";
import type { Host } from "../host.ts";

/** An outage of GitHub's, or of Loom's own machine, is over by then. */
const PATIENCE_MS = 10 * 60_000;
const MAX_WAITING = 500;

/**
 * A delivery that could not be acted on however often it was tried. While it is young it stays in the inbox, and the next
 * sweep tries again: neither a command nor an approval may be lost because GitHub was away for a minute. Later, somebody
 * who waits for an answer hears that there is none, and the delivery is archived, or it would come back for ever.
 */
export async function giveUpOnDelivery(host: Host, id: string): Promise<void> {
  const since = (await host.inbox.waiting(MAX_WAITING)).find((one) => one.id === id)?.since;
  // Behind so many others it has not waited for long, or it was taken care of meanwhile.
  if (since === undefined || host.now() - Date.parse(since) < PATIENCE_MS) return;
  try {
    await tellWhoAsked(host, id);
  } catch (error) {
    // The issue is locked or gone, or what was kept can't be read: then there is nobody to tell.
    host.warn(`delivery ${id} is archived without an answer: ${messageOf(error)}`, error);
  }
  await host.inbox.done(id);
}

async function tellWhoAsked(host: Host, id: string): Promise<void> {
  const delivery = await host.inbox.get(id);
  const incoming = delivery && commentIn(delivery);
  if (!incoming || delivery.kind === "installation") return;
  // Most of what is said in a thread is not for Loom, and waits for nothing.
  if (parseCommands(incoming.body).items.length === 0) return;
  const engine = await host.meet(delivery.repoRef);
  await reactTo(engine, incoming, "confused");
  await engine.threads.comment(incoming.number, replyKey(incoming), replies.gaveUp(), incoming.line?.remark);
}
