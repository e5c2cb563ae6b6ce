import type { Sha } from "../../../core/ids.ts";
import type { FileReading } from "../../../ports/workspace.ts";
import { assertFetched, blobAt } from "../git-facts.ts";
import type { Repository } from "../repository.ts";

/** As `readFile`, and says why there is no text. */
export async function examineFile(
  repository: Repository,
  at: Sha,
  path: string,
  maxBytes: number,
): Promise<FileReading> {
  await assertFetched(repository, at);
  return repository.workspace.examineFile(at, path, maxBytes);
}

/** From git and not from the API, which follows links and cuts large files. */
export async function readFile(
  repository: Repository,
  at: Sha,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  await assertFetched(repository, at);
  return repository.workspace.readFile(at, path, maxBytes);
}

export async function blobOf(repository: Repository, at: Sha, path: string): Promise<Sha | null> {
  await assertFetched(repository, at);
  return blobAt(repository, at, path);
}
