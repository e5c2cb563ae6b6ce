import { badName } from "../../../core/merge/bad-names.ts";
import { hasConflictMarkers } from "../../../core/merge/conflict-markers.ts";
import { embeddedRepositories, mayEmbedRepository } from "../../../core/merge/embedded-repositories.ts";
import { findTwins } from "../../../core/merge/find-twins.ts";
import { findingTexts } from "../../../core/merge/finding-texts.ts";
import { escapingLinks, followLinks, type Links } from "../../../core/paths/links.ts";
import { isProtectedPath, packagesFolder } from "../../../core/paths/protected-paths.ts";
import type { FileChange } from "../../../ports/git.ts";
import type { CommitSpec, ImportFinding } from "../../../ports/workspace.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { applyChanges, GITLINK, isRegularFile, LINK, type TreeListing } from "../objects/tree-listing.ts";

/** What the name alone says, known before anything is written to the object store. */
export function inspectName(path: string, protect: readonly string[]): ImportFinding | null {
  const packages = packagesFolder(path);
  if (packages !== null) {
    return { path: packages, rule: "protected-path", message: findingTexts.packages(packages) };
  }
  if (isProtectedPath(path, protect)) {
    return { path, rule: "protected-path", message: findingTexts.protectedPath(path) };
  }
  const why = badName(path);
  return why === null ? null : { path, rule: "bad-name", message: findingTexts.badName(path, why) };
}

/** Everything that is wrong with a change to the base, judged from the objects that would be published. */
export async function inspectChanges(
  reader: ObjectReader,
  spec: CommitSpec,
  protect: readonly string[],
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  const findings: ImportFinding[] = [];
  for (const { path, mode } of changes) {
    // Removing a file with a bad name is an improvement; removing a protected one is not.
    const named = inspectName(path, protect);
    if (named && (mode !== null || named.rule === "protected-path")) findings.push(named);
    if (mode === GITLINK) findings.push({ path, rule: "submodule", message: findingTexts.submodule(path) });
  }
  findings.push(...(await inspectTwins(reader, spec, changes)));
  findings.push(...(await inspectLinks(reader, spec, protect, changes)));
  findings.push(...(await inspectFolders(reader, spec, changes)));
  findings.push(...(await inspectMarkers(reader, spec.resolving ?? [], changes)));
  return findings;
}

/** Two names that some systems take for one: a checkout there writes one file over the other, or through a link. */
async function inspectTwins(
  reader: ObjectReader,
  spec: CommitSpec,
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  const added = changes.filter(({ mode, oldMode }) => mode !== null && oldMode === null);
  if (added.length === 0) return [];
  const base = await reader.listing(spec.base);
  const twins = new Map(findTwins(base.keys(), applyChanges(base, changes).keys()));
  return added.flatMap(({ path }) => {
    const twin = [path, ...foldersOf(path)].find((one) => twins.has(one));
    const other = twin === undefined ? undefined : twins.get(twin);
    if (twin === undefined || other === undefined) return [];
    return [{ path, rule: "bad-name" as const, message: findingTexts.twin(twin, other) }];
  });
}

/**
 * A new link can also turn an old one around, when it takes the place of a folder on the old one's way; so all links of
 * the result are followed and compared with those of the base.
 */
async function inspectLinks(
  reader: ObjectReader,
  spec: CommitSpec,
  protect: readonly string[],
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  if (!changes.some((change) => change.mode === LINK)) return [];
  const base = await reader.listing(spec.base);
  const before = await readLinks(reader, base);
  const after = await readLinks(reader, applyChanges(base, changes));
  const escapedBefore = escapingLinks(before);
  const findings: ImportFinding[] = [];
  for (const path of escapingLinks(after)) {
    if (escapedBefore.has(path) && before.get(path) === after.get(path)) continue;
    findings.push({ path, rule: "escaping-link", message: findingTexts.escapingLink(path) });
  }
  for (const { path, mode } of changes) {
    const end = mode === LINK ? followLinks(path, after) : null;
    if (end?.kind === "inside" && isProtectedPath(end.path, protect)) {
      findings.push({ path, rule: "protected-path", message: findingTexts.linkToProtected(path, end.path) });
    }
  }
  return findings;
}

async function inspectFolders(
  reader: ObjectReader,
  spec: CommitSpec,
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  if (!changes.some(({ path, mode }) => mode !== null && mayEmbedRepository(path))) return [];
  const result = applyChanges(await reader.listing(spec.base), changes);
  const folders = embeddedRepositories(result.keys());
  return changes.flatMap(({ path, mode }) => {
    const folder = folders.find((one) => one === "" || path.startsWith(`${one}/`));
    if (mode === null || folder === undefined) return [];
    const message = findingTexts.embeddedRepository(path, folder === "" ? "." : folder);
    return [{ path, rule: "embedded-repository" as const, message }];
  });
}

async function inspectMarkers(
  reader: ObjectReader,
  resolving: readonly string[],
  changes: readonly FileChange[],
): Promise<ImportFinding[]> {
  const wanted = new Set(resolving);
  const findings: ImportFinding[] = [];
  for (const { path, mode, sha } of changes) {
    if (!wanted.has(path) || mode === null || !isRegularFile(mode)) continue;
    if (!hasConflictMarkers(await reader.blob(sha))) continue;
    findings.push({ path, rule: "conflict-markers", message: findingTexts.conflictMarkers(path) });
  }
  return findings;
}

export async function readLinks(
  reader: ObjectReader,
  listing: TreeListing,
  accept: (path: string) => boolean = () => true,
): Promise<Links> {
  const links = new Map<string, string>();
  for (const [path, { mode, sha }] of listing) {
    if (mode === LINK && accept(path)) links.set(path, await reader.blob(sha));
  }
  return links;
}

export function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}
