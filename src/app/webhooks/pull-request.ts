import * as z from "zod";
import {
  common,
  deliver,
  headShape,
  type Reading,
  readWith,
  timeShape,
  type Webhook,
  whereAndWho,
} from "./webhook.ts";

const pullRequestShape = {
  ...common,
  pull_request: z.object({
    number: z.int().positive(),
    head: headShape,
    updated_at: timeShape.nullish(),
    base: z.object({ ref: z.string() }),
    merged: z.boolean().nullish(),
  }),
};

const labelShape = z.object({
  ...pullRequestShape,
  action: z.enum(["labeled", "unlabeled"]),
  label: z.object({ name: z.string() }),
});

const changeShape = z.object({
  ...pullRequestShape,
  action: z.enum(["opened", "synchronize", "closed", "edited", "reopened"]),
});

/** Bots wake Loom here: what they did is read from GitHub again before it counts, and whose label counts is seen then. */
export const pullRequest: Webhook = {
  event: "pull_request",
  actions: [...labelShape.shape.action.options, ...changeShape.shape.action.options],
  read: (payload) => (isLabelled(payload) ? readLabel(payload) : readChange(payload)),
};

function isLabelled(payload: unknown): boolean {
  return z.object({ action: labelShape.shape.action }).safeParse(payload).success;
}

/** A message that does not say when it is from is as old as can be. */
const NEVER = "1970-01-01T00:00:00Z";

function readLabel(payload: unknown): Reading {
  return readWith(labelShape, payload, (event) =>
    deliver({
      kind: "label",
      ...whereAndWho(event),
      number: event.pull_request.number,
      at: event.pull_request.updated_at ?? NEVER,
      label: event.label.name,
      added: event.action === "labeled",
      head: event.pull_request.head,
    }),
  );
}

function readChange(payload: unknown): Reading {
  return readWith(changeShape, payload, (event) =>
    deliver({
      kind: "pull-request",
      ...whereAndWho(event),
      number: event.pull_request.number,
      action: event.action,
      head: event.pull_request.head,
      base: event.pull_request.base.ref,
      merged: event.pull_request.merged ?? false,
    }),
  );
}
