import { InternalError } from "../../core/errors.ts";
import type { Millis, Sha } from "../../core/ids.ts";
import { createSecretScan, type SecretScan } from "../../core/merge/secret-scan.ts";
import type { Links } from "../../core/paths/links.ts";
import type { Identity, RepositoryGit } from "../../ports/git.ts";
import type { Workspace, WorkTree } from "../../ports/workspace.ts";
import { commitFiles } from "./commit/commit-files.ts";
import { commitWork } from "./commit/commit-work.ts";
import { readLinks } from "./commit/inspect-changes.ts";
import { LOOM_IDENTITY } from "./commit/loom-identity.ts";
import { joinCommits } from "./merge/join-commits.ts";
import { transplant } from "./merge/transplant.ts";
import { createObjectReader } from "./objects/object-reader.ts";
import { isRegularFile } from "./objects/tree-listing.ts";
import { restoreConfig } from "./trees/restore-config.ts";
import { restoreTracked } from "./trees/restore-tracked.ts";
import { fillTree, openSlot, type Slot } from "./trees/slot.ts";
import { createSlots } from "./trees/slots.ts";
import { markTree, setBackTree } from "./trees/tree-mark.ts";

export type GitWorkspaceOptions = {
  readonly git: RepositoryGit;
  /** Where the work trees stand; not below a `.git` folder, which tools such as Jest ignore. Owned by this workspace. */
  readonly treesRoot: string;
  /** Who Loom's commits are from. */
  readonly identity?: Identity | null;
  /** What must not be committed; absent: keys that can be told by their looks. */
  readonly secrets?: SecretScan;
  readonly now?: () => Millis;
};

export function createGitWorkspace(options: GitWorkspaceOptions): Workspace {
  const { git, treesRoot, identity, secrets = createSecretScan({}) } = options;
  const reader = createObjectReader(git);
  const slots = createSlots(git, treesRoot, options.now);
  const tools = { git, reader, identity: identity ?? git.repository.identity ?? LOOM_IDENTITY, secrets };

  function lentSlot(tree: WorkTree): Slot {
    const slot = slots.find(tree.path);
    if (!slot?.lent) throw new InternalError(`the work tree ${tree.path} is not lent`);
    return slot;
  }

  // One process for each link, and an attempt asks for the same base time and again.
  let linksRead: { readonly commit: Sha; readonly links: Links } | null = null;
  const fileIds = async (commit: Sha): Promise<Map<string, Sha>> => {
    const files = [...(await reader.listing(commit))].filter(([, { mode }]) => isRegularFile(mode));
    return new Map(files.map(([path, { sha }]) => [path, sha]));
  };

  return {
    async open(commit) {
      for (;;) {
        const slot = await slots.take(commit);
        const isNew = slot.fresh;
        slot.fresh = false;
        try {
          await openSlot(git, reader, slot, commit);
          return { path: slot.path };
        } catch (error) {
          // Whatever is wrong with an old tree, a new one may do; when that fails too, it was not the tree.
          slots.retire(slot);
          if (isNew) throw error;
        }
      }
    },
    async close(tree) {
      const slot = slots.find(tree.path);
      if (slot) slots.putBack(slot);
    },
    async reclaim(path) {
      const slot = slots.find(path);
      if (!slot || slot.lent) return null;
      slot.lent = true;
      slot.indexed = null;
      return { path: slot.path };
    },
    restoreTracked: (tree, except) => restoreTracked(git, reader, lentSlot(tree), except),
    mark: (tree, laid) => markTree(lentSlot(tree), laid),
    setBack: (tree, mark) => setBackTree(git, reader, lentSlot(tree), mark),
    reopen: (tree, commit, kept) => openSlot(git, reader, lentSlot(tree), commit, kept),
    fill: (tree, content, kept) => fillTree(git, reader, lentSlot(tree), content, kept),
    restoreConfig: (tree, base) => restoreConfig(git, reader, lentSlot(tree), base),
    commit: (tree, spec) => commitWork(tools, lentSlot(tree), spec),
    transplant: (commit, onto) => transplant(tools, commit, onto),
    join: (commits) => joinCommits(tools, commits),
    commitFiles: (spec) => commitFiles(tools, spec),
    mergeBase: reader.mergeBase,
    has: reader.has,
    async changedFiles(from, to) {
      return (await reader.changes(from, to)).map((change) => change.path);
    },
    diff: reader.diff,
    diffStart: reader.diffStart,
    listFiles: async (commit) => [...(await fileIds(commit)).keys()],
    fileIds,
    async links(commit) {
      if (linksRead?.commit !== commit)
        linksRead = { commit, links: await readLinks(reader, await reader.listing(commit)) };
      return linksRead.links;
    },
    examineFile: reader.examineFile,
    readFile: reader.readFile,
    treeOf: reader.treeOf,
    isAncestor: reader.isAncestor,
    removeUnused: slots.removeUnused,
    // The trusted git directory stays: another run of this repository may be using it at this moment.
    async dispose() {
      await slots.removeAll();
      await Promise.all([git.objects.close(), git.diffs.close()]);
    },
  };
}
