import { InternalError, UserError } from "../../core/errors.ts";
import { isId, type RunId, type Sha, type StageId, stageBranch } from "../../core/ids.ts";
import type { Forge, MergeOutcome, MergeSpec, PublishOutcome, PublishSpec } from "../../ports/forge.ts";
import type { Identity, RepositoryGit } from "../../ports/git.ts";
import { findBranch } from "./checkout-find.ts";
import { forgetRun, writeRecord } from "./forge-record.ts";
import { createTargetMover } from "./move-target.ts";
import { swapRefs } from "./swap-refs.ts";

/** There are no pull requests here, so less has to be said. */
type LocalPublish = Pick<PublishSpec, "run" | "stage" | "commit" | "previous">;

/** The person's own repository as the place where work is offered and merged. */
export type LocalForge = Omit<Forge, "publish" | "merge"> & {
  publish(spec: LocalPublish): Promise<PublishOutcome>;
  merge(spec: Pick<MergeSpec, "run" | "stage" | "commit" | "onto">): Promise<MergeOutcome>;
  /** Takes the run's documents out of the target again; resolves with that commit, or null when there are none. */
  forget(run: RunId, folder?: string): Promise<Sha | null>;
};

export type LocalForgeOptions = {
  readonly git: RepositoryGit;
  /** The branch that the run merges into. */
  readonly target: string;
  readonly identity?: Identity | null;
};

const LOOM: Identity = { name: "Loom", email: "loom@localhost" };

export async function createLocalForge({ git, target, identity }: LocalForgeOptions): Promise<LocalForge> {
  const committer = identity ?? git.repository.identity ?? LOOM;
  const mover = await createTargetMover(git, target, committer);
  const recorder = { git, mover, committer };
  await mover.catchUp();

  return {
    targetTip: mover.tip,
    publish: (spec) => publish(git, committer, spec),
    // A branch is moved to a commit that stands on it: there is nothing that could merge by itself.
    readiness: async () => ({ kind: "by-itself" }),
    merge: ({ stage, commit, onto }) => mover.move({ from: onto, to: commit }, `merge ${stage}`),
    async findMerged(run, stage, since) {
      assertIds(run, stage);
      const { stdout } = await git.trusted({
        command: "log",
        options: [
          "-z",
          "--format=%H%x1f%(trailers:key=Loom-Run,valueonly,separator=%x1e)%x1f%(trailers:key=Loom-Stage,valueonly,separator=%x1e)",
        ],
        values: [`${since}..${await mover.tip()}`],
        paths: [],
      });
      for (const line of stdout.split("\0")) {
        const [commit, runs = "", stages = ""] = line.split("\x1f");
        if (commit && runs.split("\x1e").includes(run) && stages.split("\x1e").includes(stage)) return commit;
      }
      return null;
    },
    record: (spec) => writeRecord(recorder, spec),
    forget: (run, folder) => forgetRun(recorder, run, folder),
    cleanUp: (run, keep) => cleanUp(git, run, keep),
    // One machine, one object store.
    fetch: async () => [],
  };
}

function assertIds(...names: readonly string[]): void {
  const wrong = names.find((name) => !isId(name));
  if (wrong !== undefined) throw new InternalError(`${JSON.stringify(wrong)} is not an id`);
}

/**
 * Beside each branch stands a hidden ref with what Loom put there, moved together with it. By it, even a later
 * process knows whether a person has moved the branch since. Not below `refs/loom/`: git would take `loom/<run>/<stage>`
 * for the hidden ref.
 */
function markersOf(run: RunId): string {
  return `refs/loom-published/${run}/`;
}

function refsOf(run: RunId, stage: string): [branch: string, marker: string] {
  return [`refs/heads/${stageBranch(run, stage)}`, `${markersOf(run)}${stage}`];
}

async function publish(
  git: RepositoryGit,
  committer: Identity,
  { run, stage, commit, previous }: LocalPublish,
): Promise<PublishOutcome> {
  assertIds(run, stage);
  const branch = stageBranch(run, stage);
  // Most often the branch is where it is expected, so the swap is tried before anything is asked.
  const trouble = await swapBranch(git, committer, { run, stage, commit, expected: previous });
  if (trouble === null) return { kind: "published", branch, pr: null };
  const { tip } = await findBranch(git, branch);
  if (tip === commit) {
    // Perhaps the marker is all that was left to do.
    await swapBranch(git, committer, { run, stage, commit, expected: tip });
    return { kind: "published", branch, pr: null };
  }
  if (tip !== null && tip !== previous) return { kind: "taken", branch, tip };
  // Not there any more, though Loom had made it: made again, the work is not lost by it.
  const again = await swapBranch(git, committer, { run, stage, commit, expected: tip });
  if (again === null) return { kind: "published", branch, pr: null };
  throw new UserError(`The branch \`${branch}\` can't be made: ${again}`, {
    next: "Rename the branch that is in the way, then run `loom resume`.",
  });
}

/** What git said against it, or null. */
async function swapBranch(
  git: RepositoryGit,
  committer: Identity,
  { run, stage, commit, expected }: { run: RunId; stage: string; commit: Sha; expected: Sha | null },
): Promise<string | null> {
  const [branch, marker] = refsOf(run, stage);
  const moves = [
    { ref: branch, to: commit, from: expected },
    { ref: marker, to: commit },
  ];
  return swapRefs(git, moves, { message: `loom: publish ${stage}`, by: committer });
}

async function cleanUp(git: RepositoryGit, run: RunId, keep: readonly StageId[]): Promise<void> {
  assertIds(run);
  const branches = `refs/heads/loom/${run}/`;
  const markers = markersOf(run);
  const { stdout } = await git.refs({
    command: "for-each-ref",
    options: ["--format=%(refname)%00%(objectname)%00%(worktreepath)"],
    values: [branches, markers],
  });
  const refs = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\0"));
  const tips = new Map(refs.map(([name = "", tip = ""]) => [name, tip]));
  const doomed = refs.flatMap(([name = "", tip = "", checkedOutIn = ""]) => {
    const isMarker = name.startsWith(markers);
    const stage = name.slice(isMarker ? markers.length : branches.length);
    const isLooms = isMarker || (tips.get(markers + stage) === tip && checkedOutIn === "");
    return isLooms && !keep.includes(stage) ? [[name, tip]] : [];
  });
  if (doomed.length === 0) return;
  await git.refs({
    command: "update-ref",
    options: ["-z", "--stdin"],
    input: doomed.map(([name, tip]) => `delete ${name}\0${tip}\0`).join(""),
  });
}
