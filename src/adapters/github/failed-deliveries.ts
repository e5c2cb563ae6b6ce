import * as z from "zod";
import type { Ask } from "./api/ask.ts";
import { readAnswer } from "./api/read-answer.ts";

/** A webhook that GitHub could not hand over. */
export type Delivery = {
  /** Of the last try, for asking again. */
  readonly id: string;
  /** The same in every try: `X-GitHub-Delivery`. */
  readonly guid: string;
  readonly event: string;
  readonly at: Date;
};

const ROUTE = "GET /app/hook/deliveries";
const PAGES = 50;

// Ids of deliveries are larger than what a double holds exactly, so that they may arrive as bigint.
const ITEM = z.object({
  id: z.union([z.number(), z.bigint()]).transform(String),
  guid: z.string(),
  delivered_at: z.string(),
  status_code: z.number(),
  event: z.string(),
});

/** GitHub does not repeat a delivery that failed. One that a later try brought over is not in the list. */
export async function failedDeliveries(ask: Ask, since: Date): Promise<readonly Delivery[]> {
  const arrived = new Set<string>();
  const failed = new Map<string, Delivery>();
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const reply = await ask(ROUTE, { per_page: 100, ...(cursor === null ? {} : { cursor }) });
    const items: z.infer<typeof ITEM>[] = readAnswer(z.array(ITEM), reply, ROUTE);
    // Newest first, so that the first seen of a guid is its last try.
    for (const { id, guid, delivered_at, status_code, event } of items) {
      const at = new Date(delivered_at);
      if (status_code >= 200 && status_code < 400) arrived.add(guid);
      else if (at >= since && !failed.has(guid)) failed.set(guid, { id, guid, event, at });
    }
    const last = items.at(-1);
    cursor = nextCursor(reply.headers.link ?? "");
    if (cursor === null || last === undefined || new Date(last.delivered_at) < since) break;
  }
  return [...failed.values()]
    .filter(({ guid }) => !arrived.has(guid))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

function nextCursor(link: string): string | null {
  const next = link.split(",").find((part) => /rel="next"/.test(part));
  const url = next && /<([^<>]+)>/.exec(next)?.[1];
  return url ? new URL(url, "http://localhost").searchParams.get("cursor") : null;
}
