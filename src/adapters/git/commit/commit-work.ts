import { rm } from "node:fs/promises";
import { CHANGE_LIMITS } from "../../../core/config/change-limits.ts";
import type { Sha } from "../../../core/ids.ts";
import type { SecretScan } from "../../../core/merge/secret-scan.ts";
import { followLinks } from "../../../core/paths/links.ts";
import { isProtectedPath, packagesFolder } from "../../../core/paths/protected-paths.ts";
import type { FileChange, Identity, RepositoryGit } from "../../../ports/git.ts";
import type { CommitOutcome, CommitSpec, ImportFinding } from "../../../ports/workspace.ts";
import { signedNow, writeCommit } from "../objects/commit-facts.ts";
import { editTree } from "../objects/edit-tree.ts";
import { checkedSha, type ObjectReader } from "../objects/object-reader.ts";
import { LINK } from "../objects/tree-listing.ts";
import { inspectSettings } from "../run/inspect-settings.ts";
import { emptyGitlinks } from "../trees/remove-strangers.ts";
import type { Slot } from "../trees/slot.ts";
import { foldersOf, inspectChanges, readLinks } from "./inspect-changes.ts";
import { scanAddedText, secretFindings } from "./scan-added-text.ts";
import { stageChanges } from "./stage-changes.ts";

export type CommitTools = {
  readonly git: RepositoryGit;
  readonly reader: ObjectReader;
  readonly identity: Identity;
  readonly secrets: SecretScan;
};

/** One commit from the files of a slot: what the agent did with git, if anything, plays no part. */
export async function commitWork(
  { git, reader, identity, secrets }: CommitTools,
  slot: Slot,
  spec: CommitSpec,
): Promise<CommitOutcome> {
  checkedSha(spec.base);
  const filled = slot.indexed ?? (await seedIndex(git, slot, spec.base));
  const base = await reader.listing(spec.base);
  await emptyGitlinks(slot.path, base);
  const protect = [...spec.protect, ...(await protectedTargets(reader, spec))];

  const staged = await stageChanges(git, reader, slot, filled, protect, spec.limits ?? CHANGE_LIMITS);
  if (staged.kind === "refused")
    return spec.onForbidden === "refuse"
      ? { kind: "refused", findings: staged.findings }
      : { kind: "unchanged" };
  const early = staged.findings;
  const { tree: whole } = staged;
  const changes = await reader.changes(spec.base, whole);
  const leaks = await scanAddedText(git, await reader.treeOf(spec.base), whole, secrets);
  const inspected = await inspectChanges(reader, spec, protect, changes);
  const settings = await inspectSettings(reader, spec.base, changes);
  const findings = unique([...early, ...inspected, ...settings, ...secretFindings(changes, leaks, secrets)]);
  if (findings.length > 0 && spec.onForbidden === "refuse") return { kind: "refused", findings };

  const kept = withoutLeftOut(withoutForbidden(changes, findings), spec.leaveOut);
  if (kept.length === 0 && !spec.allowEmpty) return { kind: "unchanged" };
  const tree =
    kept.length === changes.length
      ? whole
      : await editTree(reader.trees, await reader.treeOf(spec.base), kept);
  const message = secrets.redact(spec.message);
  const facts = { tree, parents: [spec.base], author: signedNow(identity), message };
  const commit = writeCommit(git, facts, identity);
  reader.learn(commit, facts, kept);
  return { kind: "committed", commit, files: kept.map((change) => change.path) };
}

/** The index of a slot that a dead process left may be torn; without one, tracked files could count as ignored. */
async function seedIndex(git: RepositoryGit, slot: Slot, base: Sha): Promise<Sha> {
  await rm(slot.index, { force: true });
  await rm(`${slot.index}.lock`, { force: true });
  await git.trusted({ command: "read-tree", values: [base] }, { index: slot.index });
  slot.indexed = base;
  return base;
}

/** A protected name can be a link, `CLAUDE.md` to a document, say. Then the document is what counts. */
async function protectedTargets(reader: ObjectReader, spec: CommitSpec): Promise<string[]> {
  const base = await reader.listing(spec.base);
  const isProtectedLink = (path: string): boolean => isProtectedPath(path, spec.protect);
  const suspects = [...base].filter(([path, { mode }]) => mode === LINK && isProtectedLink(path));
  if (suspects.length === 0) return [];
  const links = await readLinks(reader, base);
  return suspects.flatMap(([path]) => {
    const end = followLinks(path, links);
    return end.kind === "inside" && end.path !== "" ? [end.path] : [];
  });
}

/** What may stay. A folder that gave way to something forbidden comes back whole. */
function withoutForbidden(
  changes: readonly FileChange[],
  findings: readonly ImportFinding[],
): readonly FileChange[] {
  if (findings.length === 0) return changes;
  const forbidden = new Set(findings.map((finding) => finding.path));
  const gaveWay = ({ path, mode }: FileChange): boolean =>
    mode === null &&
    [...forbidden].some((other) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`));
  const isForbidden = (path: string): boolean =>
    forbidden.has(path) || forbidden.has(packagesFolder(path) ?? path);
  return changes.filter((change) => !isForbidden(change.path) && !gaveWay(change));
}

/** A file that took the place of a folder goes with what comes back in it. */
function withoutLeftOut(
  changes: readonly FileChange[],
  leaveOut: CommitSpec["leaveOut"],
): readonly FileChange[] {
  const isLeftOut = ({ path, mode, sha }: FileChange) => leaveOut?.(path, mode === null ? undefined : sha);
  const left = new Set(changes.filter(isLeftOut).map(({ path }) => path));
  if (left.size === 0) return changes;
  const back = new Set([...left].flatMap(foldersOf));
  return changes.filter(
    ({ path }) => ![path, ...foldersOf(path)].some((one) => left.has(one)) && !back.has(path),
  );
}

function unique(findings: readonly ImportFinding[]): ImportFinding[] {
  const seen = new Map(findings.map((finding) => [`${finding.rule}\0${finding.path}`, finding]));
  return [...seen.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
