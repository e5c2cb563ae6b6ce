import * as z from "zod";
import { DEGRADED, DEPTHS, PLANNING_MODES } from "../../command/planning-choices.ts";
import { isId } from "../../ids.ts";
import { type HostList, namedHostProblem, privateHostProblem } from "../../network/host-problem.ts";
import { resolveInTree } from "../../paths/tree-path.ts";
import { agentName } from "../../plan/agent-profile.ts";
import { LABEL_RULE, runnerLabel } from "../../plan/runner-label.ts";
import { withoutStop } from "../../text/quote.ts";
import { KNOWN_HARNESSES } from "../harness-settings.ts";
import { ROUTE_ROLES, TIERS } from "../routing.ts";
import { CONTRACTS } from "../settings/settings.ts";

/**
 * The shape of `.github/loom.yml` as people write it. Strict: a setting that is misspelled would otherwise be a setting
 * that is not there. Every message goes on after the name of the field: "`merge.mode` must be …".
 */

const WEEK = 7 * 24 * 3600;
const MAX_LABEL = 50;
const MAX_ITEMS = 200;

const flag = z.boolean({ error: "must be true or false" });
const text = z.string({ error: "must be a text" }).refine((value) => value.trim() !== "", {
  error: "must not be empty",
});
const mapping = { error: "must be a mapping" };
const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `must be ${words.map((word) => `\`${word}\``).join(" or ")}` });
const count = (least: number, most: number) =>
  z
    .int({ error: "must be a whole number" })
    .min(least, { error: `must be at least ${least}` })
    .max(most, { error: `must be at most ${most}` });
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item, { error: "must be a list" })
    .max(MAX_ITEMS, { error: `must not have more than ${MAX_ITEMS} items` });

/** GitHub takes labels of up to 50 characters. */
const label = text
  .refine((value) => value.length <= MAX_LABEL, { error: `must not be longer than ${MAX_LABEL} characters` })
  .refine((value) => !/[\r\n]/.test(value), { error: "must be one line" })
  .transform((value) => value.trim());

const command = text.refine((value) => value.length <= 10_000, {
  error: "must not be longer than 10000 characters",
});

/** `infra/` and `infra/**` mean the folder; any other pattern would promise more than is kept. */
const treePath = text.transform((written, context) => {
  const resolved = resolveInTree(".", written.replace(/\/\*\*$/, ""));
  const path = resolved.kind === "inside" ? resolved.path : "";
  if (resolved.kind === "refused")
    context.addIssue({ code: "custom", message: `has a path that ${resolved.reason}` });
  else if (path === ".")
    context.addIssue({ code: "custom", message: "has a path that names the whole repository" });
  else if (/[*?[\]{}\\]/.test(path))
    context.addIssue({ code: "custom", message: "has a pattern; it takes files and folders" });
  return path;
});

const hosts = (list: HostList) =>
  listOf(
    text.transform((written, context) => {
      const host = written.trim().toLowerCase();
      const closed = privateHostProblem(host, list);
      const wrong = namedHostProblem(host) ?? (closed && `${closed.message} ${closed.fix}`);
      if (wrong !== null)
        context.addIssue({ code: "custom", message: `has a host that can't be used: ${withoutStop(wrong)}` });
      return host;
    }),
  );

const knownHarness = oneOf(KNOWN_HARNESSES);

/** `review`, `work/low`, `*`: who does which work. */
const routes = z.strictObject(
  Object.fromEntries(
    [...ROUTE_ROLES, "*"].flatMap((role) =>
      [role, ...TIERS.map((tier) => `${role}/${tier}`)].map((place) => [
        place,
        z
          .strictObject(
            {
              harness: knownHarness.optional(),
              model: text
                .refine((value) => /^\S{1,200}$/.test(value), { error: "must be one word" })
                .optional(),
              effort: oneOf(TIERS).optional(),
            },
            mapping,
          )
          .optional(),
      ]),
    ),
  ),
  mapping,
);

const seconds = z
  .number({ error: "must be a number of seconds" })
  .positive({ error: "must be above 0" })
  .max(WEEK, { error: "must be a week (604800 seconds) at most" });
const hours = z
  .number({ error: "must be a number of hours" })
  .positive({ error: "must be above 0" })
  .max(8760, { error: "must be a year (8760 hours) at most" });
const dollars = z.number({ error: "must be a number" }).positive({ error: "must be above 0" });

const agent = text
  .transform(agentName)
  .refine(isId, { error: "must be a name of small letters, digits and dashes" });

const MEGABYTES = 1_048_576;

export const writtenConfigSchema = z.strictObject(
  {
    version: z.literal([1, "1"], {
      error: ({ input }) => (input === undefined ? "is missing" : "must be 1"),
    }),
    merge: z
      .strictObject(
        {
          mode: oneOf(["review", "auto"]).optional(),
          method: oneOf(["squash", "merge", "rebase"]).optional(),
          stack: oneOf(["auto", "chained", "native"]).optional(),
          delete_branches: flag.optional(),
        },
        mapping,
      )
      .optional(),
    approval: z
      .strictObject(
        {
          label: label.optional(),
          roles: oneOf(["write", "maintain", "admin"]).optional(),
          express: flag.optional(),
        },
        mapping,
      )
      .optional(),
    labels: z
      .strictObject(
        {
          plan_review: label.optional(),
          approved: label.optional(),
          running: label.optional(),
          needs_human: label.optional(),
          blocked: label.optional(),
          done: label.optional(),
        },
        mapping,
      )
      .optional(),
    limits: z
      .strictObject(
        {
          max_parallel: count(1, 1000).optional(),
          retries: count(0, 100).optional(),
          timeout_secs: seconds.optional(),
          budget_usd: dollars.optional(),
          max_stages: count(1, 10_000).optional(),
        },
        mapping,
      )
      .optional(),
    harness: text.refine(isId, { error: "must be a name of small letters, digits and dashes" }).optional(),
    runs_on: text.refine((value) => runnerLabel(value) !== null, { error: LABEL_RULE }).optional(),
    models: routes.optional(),
    planner: z
      .strictObject(
        {
          degraded: oneOf(DEGRADED).optional(),
          depth: oneOf(DEPTHS).optional(),
          mode: oneOf(PLANNING_MODES).optional(),
          remind_after_hours: hours.optional(),
          default_after_hours: hours.optional(),
          budget_usd: dollars.optional(),
        },
        mapping,
      )
      .optional(),
    agents: z.strictObject({ disabled: listOf(agent).optional() }, mapping).optional(),
    commands: z
      .strictObject({ budget_usd: dollars.optional(), timeout_secs: seconds.optional() }, mapping)
      .optional(),
    fallback: listOf(knownHarness).optional(),
    effort: oneOf(TIERS).optional(),
    contract: oneOf(CONTRACTS).optional(),
    sandbox: z
      .strictObject(
        {
          network: z
            .strictObject(
              {
                allowed_domains: hosts("allowed_domains").optional(),
                setup: hosts("setup").optional(),
                checks: hosts("checks").optional(),
              },
              mapping,
            )
            .optional(),
          limits: z
            .strictObject(
              {
                processes: count(1, 1_000_000).optional(),
                memory_mb: count(1, MEGABYTES).optional(),
                file_mb: count(1, MEGABYTES).optional(),
                disk_mb: count(1, MEGABYTES).optional(),
              },
              mapping,
            )
            .optional(),
        },
        mapping,
      )
      .optional(),
    protected_paths: listOf(treePath).optional(),
    gate: listOf(command).optional(),
    auto_run: flag.optional(),
    notify: z.strictObject({ panel: flag.optional() }, mapping).optional(),
  },
  { error: "must be a mapping that begins with `version: 1`" },
);

export type WrittenConfig = z.infer<typeof writtenConfigSchema>;
