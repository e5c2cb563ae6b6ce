import { UserError } from "../../../core/errors.ts";
import { isId } from "../../../core/ids.ts";
import type { Job } from "../../../ports/job-queue.ts";

/** One queue per kind and label. No kind holds a dash, so no two pairs give one name. */
export function queueName(kind: Job["kind"], label: string | null): string {
  if (label === null) return `loom-${kind}`;
  if (!isId(label)) {
    throw new UserError(`${JSON.stringify(label)} is not a label of a worker.`, {
      next: "Labels are lower-case letters, digits and dashes, at most 63 of them.",
      exitCode: 2,
    });
  }
  return `loom-${kind}-${label}`;
}

/** All keys of one set of queues share a hash tag, so that BullMQ's scripts run on a Cluster. */
export function queuePrefix(name: string): string {
  return `{${name}}`;
}
