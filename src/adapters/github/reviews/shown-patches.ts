import * as z from "zod";
import type { Repository } from "../repository.ts";

const LIST = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files";
const SHAPE = z.object({ filename: z.string(), patch: z.string().nullish() });

export async function shownPatches(
  repository: Repository,
  number: number,
): Promise<{ path: string; patch: string | null }[]> {
  const files = await repository.list(LIST, { pull_number: number }, SHAPE);
  return files.map(({ filename, patch }) => ({ path: filename, patch: patch ?? null }));
}
