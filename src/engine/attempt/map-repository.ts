import type { CodebaseMap } from "../../core/codebase/codebase-map.ts";
import { filesWorthReading } from "../../core/codebase/files-worth-reading.ts";
import { knowledgeFiles } from "../../core/codebase/knowledge-files.ts";
import { mapCodebase } from "../../core/codebase/map-codebase.ts";
import type { Sha } from "../../core/ids.ts";
import { shortText } from "../../core/text/cut-text.ts";
import type { Workspace } from "../../ports/workspace.ts";

const MAX_MANIFEST_BYTES = 256 * 1024;
const MAX_KNOWLEDGE_BYTES = 1024 * 1024;
const MAX_CHARS_EACH = 6_000;
const MAX_CHARS = 40_000;

type Reading = Pick<Workspace, "listFiles" | "readFile">;

export type Knowledge = { readonly path: string; readonly text: string };

/** A map of what stands in this commit, and nothing else. */
export async function mapRepository(workspace: Reading, commit: Sha): Promise<CodebaseMap> {
  const paths = await workspace.listFiles(commit);
  const contents = new Map<string, string>();
  for (const path of filesWorthReading(paths)) {
    const text = await workspace.readFile(commit, path, MAX_MANIFEST_BYTES);
    if (text !== null) contents.set(path, text);
  }
  return mapCodebase(paths, contents);
}

/**
 * What the repository itself says that one should know, most valuable first, as it stands in this commit: what was never
 * merged reaches nobody (T27). It is for prompts, as data.
 */
export async function readKnowledge(workspace: Reading, commit: Sha): Promise<readonly Knowledge[]> {
  const knowledge: Knowledge[] = [];
  let left = MAX_CHARS;
  for (const path of knowledgeFiles(await workspace.listFiles(commit))) {
    if (left <= 0) break;
    const whole = await workspace.readFile(commit, path, MAX_KNOWLEDGE_BYTES);
    const text = whole === null ? "" : shortText(whole, Math.min(MAX_CHARS_EACH, left));
    if (text === "") continue;
    knowledge.push({ path, text });
    left -= text.length;
  }
  return knowledge;
}
