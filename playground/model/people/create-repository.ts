import { nextId } from "../next-id.ts";
import { invalid } from "../refusal.ts";
import type { Login, MergeMethod, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { createUser } from "./create-user.ts";
import { personOf } from "./person-of.ts";
import { tell } from "./subjects.ts";

export type NewRepository = {
  readonly owner: Login;
  readonly name: string;
  /** Absolute path of the bare repository; it is made when missing. */
  readonly gitDir: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly defaultBranch?: string;
  readonly mergeMethods?: readonly MergeMethod[];
  readonly deleteBranchOnMerge?: boolean;
  readonly stacksEnabled?: boolean;
  /** First commit on the default branch; left out when the branch exists already. */
  readonly files?: Readonly<Record<string, string>>;
  /** Fork of this one: its default branch is copied over. */
  readonly parent?: Repository;
};

const FIRST_LABELS: readonly (readonly [string, string, string])[] = [
  ["bug", "d73a4a", "Something isn't working"],
  ["documentation", "0075ca", "Improvements or additions to documentation"],
  ["enhancement", "a2eeef", "New feature or request"],
];

export async function createRepository(world: World, options: NewRepository): Promise<Repository> {
  const { owner, name, gitDir } = options;
  const taken = world.github.repositories.some((one) => one.owner === owner && one.name === name);
  if (taken) throw invalid("Repository", "name", "name already exists on this account");
  createUser(world, { login: owner });
  const repository = emptyRepository(world, options);
  await world.git.createBare(gitDir, repository.defaultBranch);
  await firstCommit(world, repository, options);
  for (const [label, color, description] of FIRST_LABELS) {
    repository.labels.set(label, { id: nextId(world), color, description });
  }
  world.github.repositories.push(repository);
  for (const installation of world.github.installations) {
    if (installation.account !== owner || installation.selection !== "all" || installation.removed) continue;
    installation.repositories.push(repository.id);
  }
  tell(world, "repository", "created", { repository, sender: owner }, { repository });
  return repository;
}

function emptyRepository(world: World, options: NewRepository): Repository {
  const now = world.clock.now();
  return {
    id: nextId(world),
    owner: options.owner,
    name: options.name,
    private: options.private ?? false,
    description: options.description ?? null,
    defaultBranch: options.defaultBranch ?? options.parent?.defaultBranch ?? "main",
    parent: options.parent?.id ?? null,
    createdAt: now,
    pushedAt: now,
    gitDir: options.gitDir,
    roles: new Map(),
    labels: new Map(),
    issues: new Map(),
    checkRuns: [],
    checkSuites: [],
    mergeMethods: new Set(options.mergeMethods ?? ["merge", "squash", "rebase"]),
    deleteBranchOnMerge: options.deleteBranchOnMerge ?? false,
    protection: new Map(),
    stacksEnabled: options.stacksEnabled ?? false,
    stacks: [],
    mergeQueues: new Map(),
    asyncMerges: [],
    nextNumber: 1,
  };
}

async function firstCommit(world: World, repository: Repository, options: NewRepository): Promise<void> {
  const { git } = world;
  const ref = `refs/heads/${repository.defaultBranch}`;
  if ((await git.resolve(repository.gitDir, ref)) !== null) return;
  if (options.parent) {
    const tip = await git.tip(options.parent.gitDir, options.parent.defaultBranch);
    if (tip === null) return;
    await git.fetchFrom(repository.gitDir, options.parent.gitDir, tip);
    await git.updateRef(repository.gitDir, ref, tip, null);
    return;
  }
  if (!options.files) return;
  const author = personOf(world, repository.owner);
  const work = { parent: null, files: options.files, message: "Initial commit", author };
  await git.updateRef(repository.gitDir, ref, await git.commitFiles(repository.gitDir, work), null);
}
