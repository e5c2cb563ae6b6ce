import { randomBytes } from "node:crypto";
import * as z from "zod";
import { deliverySchema } from "../../core/command/delivery.ts";
import { UserError } from "../../core/errors.ts";
import type { Inbox } from "../../ports/inbox.ts";
import { createDeliveryLog, type LinePlace } from "./delivery-log.ts";

/**
 * Deliveries in a log: a line when one comes, a line when it is done. Of several lines with one id the first counts, so
 * one of many callers hears `new`, also across processes; what a caller hears is read from the log and not from what it
 * meant to write. Done ones are remembered for a week, by the times in the lines.
 *
 * An answer means that the line is on the disk. That is most of what an answer to GitHub costs, and it stays: GitHub never
 * sends a delivery again by itself, so one that was acknowledged and lost would be gone. A file for each delivery was
 * rejected: a new file needs its folder flushed as well, and no two deliveries can share a flush.
 */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What is needed of a line to know whose it is; a newer Loom may write more. */
const headSchema = z.object({
  m: z.string(),
  id: z.string(),
  at: z.iso.datetime(),
  done: z.literal(true).optional(),
  dropped: z.literal(true).optional(),
});

type Entry = {
  readonly kind: "waiting" | "done";
  readonly mark: string;
  readonly at: string;
  readonly place: LinePlace;
};

type InboxOptions = { readonly root: string; readonly now?: () => number };
type InboxOf<D> = InboxOptions & { readonly schema: z.ZodType<D> };
type Content<D> = { readonly delivery: D } | { readonly done: true } | { readonly dropped: true };

export function createEmbeddedInbox(options: InboxOptions): Inbox {
  return createEmbeddedInboxOf({ ...options, schema: deliverySchema });
}

/** The same for whatever a delivery is kept as. */
export function createEmbeddedInboxOf<D>({ root, now = Date.now, schema }: InboxOf<D>): Inbox<D> {
  const recordSchema = z.object({ delivery: schema });
  const log = createDeliveryLog(root, now);
  /** In the order in which they came. */
  const entries = new Map<string, Entry>();
  /** Tells this writer's lines from those of others. */
  const writer = randomBytes(8).toString("hex");
  let written = 0;
  /** Marks of own lines that the disk may not hold, though they can be read. */
  const lost = new Set<string>();
  let prunedOn = Number.NaN;

  function catchUp(): void {
    const { reset, lines } = log.news();
    if (reset) entries.clear();
    for (const { text, place } of lines) {
      const head = headSchema.safeParse(parseJson(text));
      if (head.success) take(head.data, place);
    }
  }

  function take(line: z.infer<typeof headSchema>, place: LinePlace): void {
    const { id, m: mark, at, done, dropped } = line;
    if (lost.has(mark)) return;
    const entry = entries.get(id);
    if (dropped) {
      if (entry?.kind === "waiting") entries.delete(id);
    } else if (done) entries.set(id, { kind: "done", mark, at, place });
    else if (entry === undefined || isForgotten(entry, Date.parse(at))) {
      // Not in the place of the one that is forgotten: the order is that of arrival.
      entries.delete(id);
      entries.set(id, { kind: "waiting", mark, at, place });
    }
  }

  function find(id: string): Entry | null {
    catchUp();
    const entry = entries.get(id);
    return entry === undefined || isForgotten(entry, now()) ? null : entry;
  }

  async function write(id: string, content: Content<D>): Promise<string> {
    written += 1;
    const mark = `${writer}-${written}`;
    const at = new Date(now()).toISOString();
    const head = { m: mark, id, at };
    const before = entries.get(id);
    const { flushed, alone } = log.append(JSON.stringify({ ...head, ...content }));
    if (alone) take({ ...head, ...content }, alone);
    else catchUp();
    try {
      await flushed;
    } catch (error) {
      // Nobody knows what the disk holds now, so whoever tries again has to write it anew.
      lost.add(mark);
      const ours = "dropped" in content ? undefined : mark;
      if (entries.get(id)?.mark === ours) putBack(id, before);
      throw error;
    }
    return mark;
  }

  function putBack(id: string, before: Entry | undefined): void {
    if (before === undefined || lost.has(before.mark)) entries.delete(id);
    else entries.set(id, before);
  }

  /** Once a day. A failure to tidy up is no reason to turn a delivery away. */
  function prune(): void {
    const today = Math.floor(now() / DAY_MS);
    if (prunedOn === today) return;
    prunedOn = today;
    const needed = new Set<string>();
    for (const { kind, place } of entries.values()) if (kind === "waiting") needed.add(place.file);
    try {
      const gone = new Set(
        log.removeOld((day, file) => !needed.has(file) && now() - Date.parse(day) > DAY_MS + REMEMBERED_MS),
      );
      for (const [id, { place }] of entries) if (gone.has(place.file)) entries.delete(id);
    } catch {
      // Tried again tomorrow.
    }
  }

  return {
    async put(id, delivery) {
      const known = find(id);
      if (known?.kind === "done") return "done";
      if (known !== null) {
        // Whoever wrote it may still wait for the disk.
        await log.flush(known.place.file);
        return "waiting";
      }
      const mark = await write(id, { delivery });
      prune();
      const entry = entries.get(id);
      if (entry?.kind !== "waiting") return "done";
      return entry.mark === mark ? "new" : "waiting";
    },

    async get(id) {
      const entry = find(id);
      if (entry?.kind !== "waiting") return null;
      const record = recordSchema.safeParse(parseJson(log.read(entry.place)));
      if (record.success) return record.data.delivery;
      throw new UserError(
        `Delivery ${id} is damaged, or was written by a newer Loom: ${entry.place.file}: ${z.prettifyError(record.error)}`,
        { next: "Do on GitHub again what it was about, such as the comment or the label." },
      );
    },

    async done(id) {
      if (find(id)?.kind !== "done") await write(id, { done: true });
    },

    async drop(id) {
      if (find(id)?.kind === "waiting") await write(id, { dropped: true });
    },

    async waiting(limit) {
      catchUp();
      const found: { id: string; since: string }[] = [];
      for (const [id, entry] of entries) {
        if (found.length >= limit) break;
        if (entry.kind === "waiting") found.push({ id, since: entry.at });
      }
      return found;
    },
  };
}

function isForgotten(entry: Entry, at: number): boolean {
  return entry.kind === "done" && at - Date.parse(entry.at) > REMEMBERED_MS;
}

/** null for the half line of a crash: nobody heard that it was taken. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
