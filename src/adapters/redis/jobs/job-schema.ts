import * as z from "zod";
import { isId, isRepoId } from "../../../core/ids.ts";
import type { Job } from "../../../ports/job-queue.ts";

/** A job as it lies in Redis, where others may write, too: ids and nothing else (T22). */
const id = z.string().refine(isId, "not an id");
const repo = z.string().refine(isRepoId, "not a repository");
const branch = z.string().regex(/^[^\s:\p{C}]{1,255}$/u, "not a branch");
const attempt = z.int().positive();

export const jobSchema: z.ZodType<Job> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("advance"), repo: repo.exactOptional(), run: id }),
  z.strictObject({ kind: z.literal("stage"), repo: repo.exactOptional(), run: id, stage: id, attempt }),
  z.strictObject({ kind: z.literal("merge"), repo: repo.exactOptional(), run: id, stage: id }),
  z.strictObject({ kind: z.literal("train"), repo, target: branch }),
  z.strictObject({ kind: z.literal("observe"), repo, run: id }),
  z.strictObject({ kind: z.literal("show"), repo, run: id }),
  z.strictObject({ kind: z.literal("notify"), repo, run: id }),
  z.strictObject({ kind: z.literal("task"), repo: repo.exactOptional(), task: id }),
  z.strictObject({ kind: z.literal("delivery"), delivery: z.string().min(1).max(200) }),
  z.strictObject({ kind: z.literal("sweep") }),
]);
