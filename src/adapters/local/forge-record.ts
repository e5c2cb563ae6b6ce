import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runFolder } from "../../core/config/run-folder.ts";
import { InternalError, UserError } from "../../core/errors.ts";
import { isId, type RunId, type Sha } from "../../core/ids.ts";
import { recordMessage } from "../../core/merge/trailers.ts";
import type { Forge, RecordOutcome } from "../../ports/forge.ts";
import type { Identity, RepositoryGit } from "../../ports/git.ts";
import type { TargetMover } from "./move-target.ts";

type Recorder = {
  readonly git: RepositoryGit;
  readonly mover: TargetMover;
  readonly committer: Identity;
};

/** A target that moves on each try is being worked on by somebody in a hurry; they will be done soon. */
const ROUNDS = 8;

export async function writeRecord(
  { git, mover, committer }: Recorder,
  { run, files, message, ...spec }: Parameters<Forge["record"]>[0],
): Promise<RecordOutcome> {
  const folder = folderOf(run, spec.folder);
  for (const path of Object.keys(files)) {
    if (!path.startsWith(`${folder}/`) || /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)|[\0\n\\]/.test(path)) {
      throw new InternalError(`${JSON.stringify(path)} is no place for a document of the run ${run}`);
    }
  }
  const wanted = await writeBlobs(git, files);
  const outcome = await onTarget(mover, async (tip) => {
    const [inTheWay, present] = await Promise.all([
      notAFolder(git, tip, folder),
      listBelow(git, tip, folder),
    ]);
    if (inTheWay !== null) {
      return {
        kind: "held",
        reason: `\`${inTheWay}\` is not a folder on the target branch, so the run can't be recorded there.`,
        next: `Remove or rename \`${inTheWay}\`, then run \`loom resume\`.`,
      };
    }
    if ([...wanted].every(([path, sha]) => present.get(path) === sha)) return { kind: "done", commit: tip };
    const edits = [...wanted].map(([path, sha]) => `100644 ${sha}\t${path}\0`);
    const text = recordMessage({ text: message, run, status: "completed" });
    return {
      kind: "build",
      commit: await commitOn(git, committer, tip, edits, text),
      reason: `record ${run}`,
    };
  });
  return outcome.kind === "done" ? { kind: "recorded", commit: outcome.commit } : outcome;
}

export async function forgetRun(
  { git, mover, committer }: Recorder,
  run: RunId,
  folder?: string,
): Promise<Sha | null> {
  const outcome = await onTarget(mover, async (tip) => {
    const present = await listBelow(git, tip, folderOf(run, folder));
    if (present.size === 0) return { kind: "done", commit: null };
    const edits = [...present.keys()].map((path) => `0 ${"0".repeat(tip.length)}\t${path}\0`);
    const text = recordMessage({ text: `Remove the record of the run ${run}`, run, status: "removed" });
    return {
      kind: "build",
      commit: await commitOn(git, committer, tip, edits, text),
      reason: `forget ${run}`,
    };
  });
  if (outcome.kind === "held") throw new UserError(outcome.reason, { next: outcome.next });
  return outcome.commit;
}

type Held = Extract<RecordOutcome, { kind: "held" }>;
type Round<T> =
  | { readonly kind: "done"; readonly commit: T }
  | { readonly kind: "build"; readonly commit: Sha; readonly reason: string }
  | Held;

/** Builds a commit on the tip and moves the target to it, anew each time the target was faster. */
async function onTarget<T extends Sha | null>(
  mover: TargetMover,
  build: (tip: Sha) => Promise<Round<T>>,
): Promise<{ kind: "done"; commit: T | Sha } | Held> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const tip = await mover.tip();
    const next = await build(tip);
    if (next.kind !== "build") return next;
    const outcome = await mover.move({ from: tip, to: next.commit }, next.reason);
    if (outcome.kind === "merged") return { kind: "done", commit: next.commit };
    if (outcome.kind === "held") return outcome;
  }
  return {
    kind: "held",
    reason: "The target branch kept moving while the run was being recorded.",
    next: "Run `loom resume` when it has come to rest.",
  };
}

function folderOf(run: RunId, folder: string = runFolder({}, run)): string {
  if (!isId(run)) throw new InternalError(`${JSON.stringify(run)} is not an id`);
  return folder;
}

async function notAFolder(git: RepositoryGit, tip: Sha, folder: string): Promise<string | null> {
  const names = folder.split("/");
  for (const path of names.map((_name, index) => names.slice(0, index + 1).join("/"))) {
    const { stdout } = await git.trusted({
      command: "ls-tree",
      options: ["-z", "--full-tree"],
      values: [tip],
      paths: [path],
    });
    if (stdout !== "" && !stdout.startsWith("040000 ")) return path;
  }
  return null;
}

async function listBelow(git: RepositoryGit, tip: Sha, folder: string): Promise<Map<string, Sha>> {
  const { stdout } = await git.trusted({
    command: "ls-tree",
    options: ["-r", "-z", "--full-tree"],
    values: [tip],
    paths: [`${folder}/`],
  });
  return new Map(
    stdout
      .split("\0")
      .filter((line) => line !== "")
      .map((line): [string, Sha] => {
        const tab = line.indexOf("\t");
        return [line.slice(tab + 1), line.slice(0, tab).split(" ")[2] ?? ""];
      }),
  );
}

async function writeBlobs(
  git: RepositoryGit,
  files: Readonly<Record<string, string>>,
): Promise<Map<string, Sha>> {
  const entries = Object.entries(files);
  if (entries.length === 0) return new Map();
  const folder = await git.scratch();
  try {
    const paths = entries.map((_entry, index) => join(folder, String(index)));
    await Promise.all(entries.map(([, text], index) => writeFile(paths[index] ?? "", text)));
    const { stdout } = await git.trusted({
      command: "hash-object",
      options: ["-w", "--no-filters", "--stdin-paths"],
      input: `${paths.join("\n")}\n`,
    });
    const shas = stdout.split("\n");
    return new Map(entries.map(([path], index) => [path, shas[index] ?? ""]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitOn(
  git: RepositoryGit,
  committer: Identity,
  tip: Sha,
  edits: readonly string[],
  message: string,
): Promise<Sha> {
  const folder = await git.scratch();
  const on = { index: join(folder, "index") };
  try {
    await git.trusted({ command: "read-tree", values: [tip] }, on);
    await git.trusted(
      { command: "update-index", options: ["-z", "--index-info"], input: edits.join("") },
      on,
    );
    const tree = (await git.trusted({ command: "write-tree" }, on)).stdout.trim();
    const { stdout } = await git.trusted({
      command: "commit-tree",
      options: [["-p", tip]],
      values: [tree],
      input: message,
      author: committer,
      committer,
    });
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
