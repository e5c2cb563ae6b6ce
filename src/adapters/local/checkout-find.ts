import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSha, type Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import { readTrimmed } from "../os/read-trimmed.ts";

/** One of the person's own checkouts. */
export type Checkout = { readonly workTree: string; readonly gitDir: string };

export type BranchState = {
  /** null when there is no such branch. */
  readonly tip: Sha | null;
  /** Where the branch is checked out; null when it is nowhere. */
  readonly checkout: Checkout | null;
};

/**
 * Where a branch stands. A loose ref is a file that git replaces in one step, so reading it is as good as asking git,
 * and a hundred times cheaper; whatever does not look like one is left to git.
 */
export async function tipOfBranch(git: RepositoryGit, branch: string): Promise<Sha | null> {
  const { commonDir, refFormat } = git.repository;
  const loose = refFormat === "files" ? readTrimmed(join(commonDir, "refs", "heads", branch)) : null;
  if (loose !== null && isSha(loose)) return loose;
  return (await askForBranch(git, branch)).tip;
}

/** Tip and checkout of a branch: from git's own files where they are plain to read, else in one question to git. */
export async function findBranch(git: RepositoryGit, branch: string): Promise<BranchState> {
  return readBranch(git, branch) ?? askForBranch(git, branch);
}

/** null: somebody has to ask git, for a packed ref, say, or a head that is a ref to another ref. */
function readBranch(git: RepositoryGit, branch: string): BranchState | null {
  const { commonDir, refFormat } = git.repository;
  if (refFormat !== "files") return null;
  const tip = readTrimmed(join(commonDir, "refs", "heads", branch));
  if (tip === null || !isSha(tip)) return null;
  const main = { head: join(commonDir, "HEAD"), path: commonDir.replace(/\/\.git$/, "") };
  const places = [main];
  for (const metadata of linkedWorkTrees(commonDir)) {
    const pointer = readTrimmed(join(metadata, "gitdir"));
    if (pointer === null) return null;
    places.push({ head: join(metadata, "HEAD"), path: dirname(pointer) });
  }
  let found: string | null = null;
  for (const { head, path } of places) {
    if (lstatSync(head, { throwIfNoEntry: false })?.isSymbolicLink()) return null;
    const text = readTrimmed(head) ?? "";
    const name = /^ref: *refs\/heads\/(.+)$/.exec(text)?.[1];
    if (name === undefined && !isSha(text)) return null;
    // Two checkouts on one branch: git says which.
    if (name === branch && found !== null) return null;
    if (name === branch) found = path;
    else if (name !== undefined && readTrimmed(join(commonDir, "refs", "heads", name))?.startsWith("ref:"))
      return null;
  }
  return { tip, checkout: found === null ? null : checkoutAt(git, found) };
}

async function askForBranch(git: RepositoryGit, branch: string): Promise<BranchState> {
  const ref = `refs/heads/${branch}`;
  const { stdout } = await git.refs({
    command: "for-each-ref",
    options: ["--format=%(refname)%00%(objectname)%00%(worktreepath)"],
    values: [ref],
  });
  const [name, tip, path = ""] = stdout.replace(/\n$/, "").split("\0");
  if (name !== ref || tip === undefined) return { tip: null, checkout: null };
  return { tip, checkout: path === "" ? null : checkoutAt(git, path) };
}

/**
 * Every checkout of the repository, with the branch it is on. More than one can be on the same branch when a person
 * insisted.
 */
export async function listCheckouts(
  git: RepositoryGit,
): Promise<(Checkout & { readonly branch: string | null })[]> {
  const { stdout } = await git.refs({ command: "worktree list", options: ["--porcelain", "-z"] });
  return stdout.split("\0\0").flatMap((record) => {
    const fields = new Map(
      record.split("\0").map((line): [string, string] => {
        const space = line.indexOf(" ");
        return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
      }),
    );
    const checkout = checkoutAt(git, fields.get("worktree") ?? "");
    const branch = fields.get("branch")?.replace(/^refs\/heads\//, "") ?? null;
    return checkout ? [{ ...checkout, branch }] : [];
  });
}

/**
 * From git's own records, not from the `.git` pointer in the checkout, which is easier to tamper with. A bare repository
 * and a linked work tree whose folder is gone are no checkouts.
 */
function checkoutAt({ repository }: RepositoryGit, path: string): Checkout | null {
  if (path === "" || !existsSync(path)) return null;
  const { commonDir, gitDir, root } = repository;
  const workTree = realpathSync(path);
  if (workTree === commonDir) {
    // Also what git says of a checkout whose git directory stands elsewhere.
    return root !== null && gitDir === commonDir ? { workTree: root, gitDir } : null;
  }
  const linked = linkedWorkTrees(commonDir).find((metadata) => pointsTo(metadata, workTree));
  return { workTree, gitDir: linked ?? commonDir };
}

/** What git keeps about each. */
export function linkedWorkTrees(commonDir: string): string[] {
  const folder = join(commonDir, "worktrees");
  try {
    return readdirSync(folder).map((id) => join(folder, id));
  } catch (error) {
    // Git takes the folder away with the last of them.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function pointsTo(metadata: string, workTree: string): boolean {
  try {
    return realpathSync(dirname(readFileSync(join(metadata, "gitdir"), "utf8").trimEnd())) === workTree;
  } catch {
    return false;
  }
}
