import * as z from "zod";
import { table } from "../table.ts";
import { count, filled, flag, listOf } from "./schema-parts.ts";

/** The shape of `sandbox:` in a plan and in a stage, in the words of Loom and in those of other dialects. */

const MAX_ITEMS = 200;
const MEGABYTES = 1_048_576;
const mapping = { error: "must be a mapping" };

const list = listOf(filled).refine((items) => items.length <= MAX_ITEMS, {
  error: `must not have more than ${MAX_ITEMS} items`,
});

const filesystemFields = {
  deny_read: list.optional(),
  denyRead: list.optional(),
  deny_write: list.optional(),
  denyWrite: list.optional(),
  allow_write: list.optional(),
  allowWrite: list.optional(),
};
const networkFields = {
  allowed_domains: list.optional(),
  allowedDomains: list.optional(),
  setup: list.optional(),
  checks: list.optional(),
};
const limitFields = {
  processes: count(1, 1_000_000).optional(),
  memory_mb: count(1, MEGABYTES).optional(),
  file_mb: count(1, MEGABYTES).optional(),
  disk_mb: count(1, MEGABYTES).optional(),
};
const sandboxFields = {
  enabled: flag.optional(),
  filesystem: z.object(filesystemFields, mapping).optional(),
  network: z.object(networkFields, mapping).optional(),
  excluded_commands: list.optional(),
  excludedCommands: list.optional(),
  limits: z.object(limitFields, mapping).optional(),
};

/** `sandbox: false` is how some say `enabled: false`. */
export const sandboxSchema = z.preprocess(
  (value) => (typeof value === "boolean" ? { enabled: value } : value),
  z.object(sandboxFields, mapping),
);
export type WrittenSandbox = z.infer<typeof sandboxSchema>;

export const SANDBOX_KEYS: ReadonlySet<string> = new Set(Object.keys(sandboxFields));
/** The keys one level further down. */
export const SANDBOX_NESTED_KEYS: Readonly<Record<string, ReadonlySet<string>>> = table({
  filesystem: new Set(Object.keys(filesystemFields)),
  network: new Set(Object.keys(networkFields)),
  limits: new Set(Object.keys(limitFields)),
});

/** What other dialects say about sandboxes that Loom's is not or always is. */
export const UNUSED_IN_SANDBOX: ReadonlySet<string> = new Set([
  "allow_local_binding",
  "allowLocalBinding",
  "allow_unsandboxed_commands",
  "allowUnsandboxedCommands",
  "auto_allow",
  "autoAllow",
  "auto_allow_bash_if_sandboxed",
  "autoAllowBashIfSandboxed",
  "command_confinement",
  "mode",
]);
