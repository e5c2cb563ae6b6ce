import type { Delivery } from "../../../core/command/delivery.ts";
import { ForgedRecord } from "../../../core/errors.ts";
import type { Host } from "../host.ts";

/** null when nothing waits under this id, or only what never came through Loom's intake: that is dropped (T32). */
export async function takeDelivery({ inbox }: Pick<Host, "inbox">, id: string): Promise<Delivery | null> {
  try {
    return await inbox.get(id);
  } catch (error) {
    if (!(error instanceof ForgedRecord)) throw error;
    await inbox.drop(id);
    return null;
  }
}
