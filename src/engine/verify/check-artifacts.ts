import { UserError } from "../../core/errors.ts";
import { quote, withoutStop } from "../../core/text/quote.ts";
import { findStub } from "../../core/verify/find-stub.ts";
import { leaf, type Verdict } from "../../core/verify/verdict.ts";
import type { CommitContent } from "./check-content.ts";

/** A pattern may name half a repository; what the stage changed is looked at first. */
const MAX_FILES = 200;

/** Files that must be there and hold real work. */
export async function checkArtifacts(
  content: CommitContent,
  artifacts: readonly string[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const pattern of artifacts) verdicts.push(await checkArtifact(content, pattern));
  return verdicts;
}

async function checkArtifact(content: CommitContent, pattern: string): Promise<Verdict> {
  let found: string[];
  try {
    found = await content.find(pattern);
  } catch (error) {
    if (error instanceof UserError) return leaf("failed", pattern, withoutStop(error.message));
    throw error;
  }
  if (found.length === 0) return leaf("failed", pattern, "names no regular file of the commit");

  const changed = await content.changed();
  const ordered = [
    ...found.filter((path) => changed.has(path)),
    ...found.filter((path) => !changed.has(path)),
  ];
  const looked = ordered.slice(0, MAX_FILES);
  const stubs: { path: string; why: string }[] = [];
  for (const path of looked) {
    const text = await content.read(path);
    const why = text === null ? null : findStub(path, text);
    if (why !== null) stubs.push({ path, why });
  }
  const own = stubs.filter(({ path }) => changed.has(path));
  const blamed = own.length > 0 || stubs.length === looked.length;
  const shown = own.length > 0 ? own : stubs;
  if (shown.length === 0)
    return leaf("passed", pattern, found.length === 1 ? "is there" : `names ${found.length} files`);
  // A stub that was there before and that others of the same pattern outweigh is not this stage's doing.
  const reasons = shown
    .slice(0, 5)
    .map(({ path, why }) => (path === pattern ? why : `${quote(path)} ${why}`));
  return leaf(blamed ? "failed" : "warned", pattern, reasons.join("; "));
}
