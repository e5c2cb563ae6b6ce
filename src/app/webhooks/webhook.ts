import * as z from "zod";
import {
  type Actor,
  type Delivery,
  MAX_BODY_CHARS,
  type RepositoryRef,
} from "../../core/command/delivery.ts";
import type { RefusalAt } from "../../core/policy/boundaries.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";

/**
 * What the readers of webhooks share. Payloads are read tolerantly: GitHub adds fields at any time, and what Loom does
 * not use may be wrong. What it does use has to be there, or the event is dropped with a reason: sending it again would
 * not fix it.
 */
export type Reading =
  | { readonly kind: "delivery"; readonly delivery: Delivery }
  | {
      readonly kind: "dropped";
      readonly why: string;
      /** Where it is an attack, or looks like one. */
      readonly refusal?: RefusalAt<"command">;
    };

/** What a reader may know of the App. */
export type Own = { readonly appId: number };

export type Webhook = {
  /** As GitHub names it in `X-GitHub-Event`. */
  readonly event: string;
  /** null for an event that has no actions. */
  readonly actions: readonly string[] | null;
  readonly read: (payload: unknown, own: Own) => Reading;
};

export const deliver = (delivery: Delivery): Reading => ({ kind: "delivery", delivery });
export const drop = (why: string): Reading => ({ kind: "dropped", why });

const id = z.int().positive();

/** GitHub leaves the sender out where nobody acted. Nobody counts as a bot, and bots never command. */
const NOBODY: Actor = { login: "ghost", id: 0, bot: true };

export const senderShape = z
  .object({ login: z.string(), id: z.int(), type: z.string().optional() })
  .nullish()
  .transform(
    (sender): Actor =>
      sender
        ? {
            login: sender.login,
            id: sender.id,
            bot: sender.type !== "User" || /\[bot\]$/i.test(sender.login),
          }
        : NOBODY,
  );

export const installationShape = z.object({ id });

/** Every event that happens in a repository. */
export const common = {
  installation: installationShape,
  repository: z.object({
    id,
    name: z.string(),
    owner: z.object({ login: z.string() }),
  }),
  sender: senderShape,
};

type Common = z.infer<z.ZodObject<typeof common>>;

export function whereAndWho({ installation, repository, sender }: Common): {
  repoRef: RepositoryRef;
  sender: Actor;
} {
  const repo = {
    id: repository.id,
    owner: repository.owner.login,
    name: repository.name,
  };
  return { repoRef: { installation: installation.id, repo }, sender };
}

/** Nobody, once their account is deleted. */
export const authorShape = z.object({ id: z.int() }).nullish();

type Author = z.infer<typeof authorShape>;

/**
 * Whoever sends an event need not have written its text: whoever moves an issue here is the sender of all that a stranger
 * wrote in it. The role of one says nothing about the words of the other (T1).
 */
export function isAuthor(author: Author, sender: Actor): boolean {
  return author?.id === sender.id;
}

export function dropForeign({ repository, sender }: Common): Reading {
  const repo = `${repository.owner.login}/${repository.name}`;
  return {
    kind: "dropped",
    why: "its sender did not write it",
    refusal: { boundary: "command", rule: "account", repo, who: sender.login, what: auditTexts.author() },
  };
}

/** The head of a pull request; its repository is gone when a fork was deleted. */
export const headShape = z
  .object({ sha: z.string(), ref: z.string(), repo: z.object({ id }).nullish() })
  .transform(({ sha, ref, repo }) => ({ sha, ref, repo: repo?.id ?? null }));

/** GitHub writes them to the second, in UTC. */
export const timeShape = z.iso.datetime();

/** Set on what a program wrote in a person's name. */
export const viaAppShape = z.looseObject({}).nullish();

export const bodyShape = z.string().nullish().transform(cutBody);

export function readWith<Shape extends z.ZodType>(
  shape: Shape,
  payload: unknown,
  make: (read: z.infer<Shape>) => Reading,
): Reading {
  const parsed = shape.safeParse(payload);
  if (parsed.success) return make(parsed.data);
  const where = parsed.error.issues[0]?.path.join(".") || "everything";
  return drop(`the payload has no readable ${where}`);
}

// Blanks and marks that nobody sees may stand before it. Line breaks are left out, so that no text makes it slow (T25).
const MAYBE_COMMAND = /^[^\w/\r\n\u2028\u2029]*\/loom\b/im;

/** Cheap, and right only when it says no: whether a line is meant as a command is seen by the parser. */
export function mayCommand(body: string): boolean {
  return MAYBE_COMMAND.test(body);
}

function cutBody(body: string | null | undefined): string {
  const text = body ?? "";
  if (text.length <= MAX_BODY_CHARS) return text;
  // Half a character at the end would not survive being written as UTF-8.
  const endsInHalf = /[\uD800-\uDBFF]/.test(text.charAt(MAX_BODY_CHARS - 1));
  return text.slice(0, endsInHalf ? MAX_BODY_CHARS - 1 : MAX_BODY_CHARS);
}
