import type { Sha } from "../../../core/ids.ts";
import { findingTexts } from "../../../core/merge/finding-texts.ts";
import { holdsProgramSettings, newProgramSetting } from "../../../core/merge/program-settings.ts";
import { followLinks } from "../../../core/paths/links.ts";
import type { FileChange } from "../../../ports/git.ts";
import type { ImportFinding } from "../../../ports/workspace.ts";
import { readLinks } from "../commit/inspect-changes.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { applyChanges, isRegularFile, LINK, type TreeListing } from "../objects/tree-listing.ts";

/** Settings of package managers in a change that name programs, by the content that would be published (T29). */
export async function inspectSettings(
  reader: ObjectReader,
  base: Sha,
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  const findings: ImportFinding[] = [];
  const report = (path: string, message: string): void =>
    void findings.push({ path, rule: "protected-path", message });
  for (const { path, mode, sha, oldMode, oldSha } of changes) {
    if (mode === null || sha === oldSha || !holdsProgramSettings(path)) continue;
    if (mode === LINK) report(path, findingTexts.linkedSettings(path));
    if (!isRegularFile(mode)) continue;
    const before = oldMode !== null && isRegularFile(oldMode) ? await reader.blob(oldSha) : null;
    const found = newProgramSetting(path, before, await reader.blob(sha));
    if (found) report(path, findingTexts.programSetting(path, found.setting));
  }
  return [...findings, ...(await inspectLinked(reader, base, changes))];
}

/** `.npmrc` may be a link to another file. Then that file is what package managers read. */
async function inspectLinked(
  reader: ObjectReader,
  base: Sha,
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  const listing = await reader.listing(base);
  const linked = [...listing].filter(([path, { mode }]) => mode === LINK && holdsProgramSettings(path));
  if (linked.length === 0 || changes.length === 0) return [];
  const older = await resolverOf(reader, listing);
  const newer = await resolverOf(reader, applyChanges(listing, changes));
  const findings: ImportFinding[] = [];
  for (const [path] of linked) {
    const after = await newer(path);
    const found = after && newProgramSetting(path, (await older(path))?.text ?? null, after.text);
    if (!found) continue;
    // What it leads to was changed, or else a link on the way there.
    const atFault = changes.filter((change) => change.path === after.path);
    for (const change of atFault.length > 0 ? atFault : changes.filter(({ mode }) => mode === LINK)) {
      const message = findingTexts.programSetting(change.path, found.setting);
      findings.push({ path: change.path, rule: "protected-path", message });
    }
  }
  return findings;
}

async function resolverOf(reader: ObjectReader, listing: TreeListing) {
  const links = await readLinks(reader, listing);
  return async (path: string): Promise<{ readonly path: string; readonly text: string } | null> => {
    const end = followLinks(path, links);
    const entry = end.kind === "inside" ? listing.get(end.path) : undefined;
    if (end.kind !== "inside" || entry === undefined || !isRegularFile(entry.mode)) return null;
    return { path: end.path, text: await reader.blob(entry.sha) };
  };
}
