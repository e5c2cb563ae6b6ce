import * as z from "zod";

/**
 * What a webhook comes to inside Loom: ids, and what a person wrote. Made at the intake from GitHub's payload, kept in the
 * inbox, parsed again by whoever acts on it. Everything but a person's own words is re-read from GitHub before it counts.
 */

export const MAX_BODY_CHARS = 65_536;

const repoRef = z.strictObject({
  installation: z.int().positive(),
  repo: z.strictObject({
    id: z.int().positive(),
    owner: z.string(),
    name: z.string(),
  }),
});
export type RepositoryRef = z.infer<typeof repoRef>;

/** `bot`: anything but a person. Bots, Loom included, never command (T2). */
const actor = z.strictObject({ login: z.string(), id: z.int(), bot: z.boolean() });
export type Actor = z.infer<typeof actor>;

/** A login may be somebody else's tomorrow, so that a person is both. */
export type Person = Pick<Actor, "login" | "id">;

const common = { repoRef, sender: actor };
const number = z.int().positive();
const sha = z.string();
/** When it was written, by GitHub's clock: a captured message says nothing new later (T33). */
const at = z.iso.datetime();

/** Where somebody said something: in the thread, on a line of a pull request's change, or in a review as a whole. */
export const SAID_ON = ["thread", "line", "review"] as const;
export type SaidOn = (typeof SAID_ON)[number];

/** The conversation on a line that something was said in: the remark that began it, and such as `src/a.ts:12`. */
export const lineSchema = z.strictObject({ remark: z.int().positive(), place: z.string() });
export type Line = z.infer<typeof lineSchema>;

/** What it was said to, as it stood then: whoever opened it can edit it a moment later (T3). */
const opening = z.strictObject({ title: z.string(), body: z.string().max(MAX_BODY_CHARS) });

export const deliverySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("comment"),
    ...common,
    number,
    isPullRequest: z.boolean(),
    comment: z.int().positive(),
    at,
    body: z.string().max(MAX_BODY_CHARS),
    /** Absent: in the thread. */
    on: z.enum(SAID_ON).optional(),
    line: lineSchema.optional(),
    opening: opening.optional(),
  }),
  /** A new issue; its body may ask for a run. */
  z.strictObject({
    kind: z.literal("issue-opened"),
    ...common,
    number,
    at,
    title: z.string(),
    body: z.string().max(MAX_BODY_CHARS),
  }),
  z.strictObject({ kind: z.literal("issue-closed"), ...common, number }),
  z.strictObject({
    kind: z.literal("label"),
    ...common,
    number,
    /** When the pull request last changed: with the label, as far as this message knows. */
    at,
    label: z.string(),
    added: z.boolean(),
    head: z.strictObject({ sha, ref: z.string(), repo: z.int().nullable() }),
  }),
  z.strictObject({
    kind: z.literal("pull-request"),
    ...common,
    number,
    action: z.enum(["opened", "synchronize", "closed", "edited", "reopened"]),
    head: z.strictObject({ sha, ref: z.string(), repo: z.int().nullable() }),
    base: z.string(),
    merged: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal("review"),
    ...common,
    number,
    state: z.string(),
    /** Its own text, where that may hold a command. */
    said: z
      .strictObject({ comment: z.int().positive(), at, body: z.string().max(MAX_BODY_CHARS), opening })
      .optional(),
  }),
  z.strictObject({
    kind: z.literal("check-run"),
    ...common,
    action: z.enum(["rerequested", "requested_action", "completed"]),
    /** Of the App that owns the check run: a button of another App's is none of Loom's. */
    app: z.int().nullable(),
    externalId: z.string(),
    head: sha,
    button: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal("check-suite"),
    ...common,
    action: z.enum(["rerequested", "completed"]),
    app: z.int().nullable(),
    head: sha,
  }),
  z.strictObject({
    kind: z.literal("push"),
    ...common,
    ref: z.string(),
    before: sha,
    after: sha,
  }),
  z.strictObject({
    kind: z.literal("merge-group"),
    ...common,
    action: z.string(),
    headRef: z.string(),
    head: sha,
  }),
  z.strictObject({
    kind: z.literal("installation"),
    installation: z.int().positive(),
    sender: actor,
    action: z.enum([
      "created",
      "deleted",
      "suspended",
      "unsuspended",
      "repositories-removed",
      "repositories-added",
    ]),
    /** The repositories that the event names; empty means all of the installation's. */
    repos: z.array(z.int().positive()),
  }),
]);

export type Delivery = z.infer<typeof deliverySchema>;
export type DeliveryOf<K extends Delivery["kind"]> = Extract<Delivery, { kind: K }>;

/** null when it is no place, however it came to be stored. */
export function readRepositoryRef(json: string): RepositoryRef | null {
  try {
    return repoRef.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
