import { createHash, randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { createDriverLease } from "../adapters/embedded/driver-lease.ts";
import { createEmbeddedJobQueue } from "../adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../adapters/embedded/leases.ts";
import { createEmbeddedRunStore } from "../adapters/embedded/run-store.ts";
import { createGit } from "../adapters/git/git.ts";
import { createRepositoryGit } from "../adapters/git/repository-git.ts";
import { createGitWorkspace } from "../adapters/git/workspace.ts";
import { findBranch } from "../adapters/local/checkout-find.ts";
import { assertCheckoutClean } from "../adapters/local/checkout-state.ts";
import { createLocalForge, type LocalForge } from "../adapters/local/forge.ts";
import { openRepository } from "../adapters/local/open-repository.ts";
import { resolveTarget, type Target } from "../adapters/local/resolve-target.ts";
import { createRunFiles } from "../adapters/local/run-files.ts";
import { createOpenSandbox } from "../adapters/sandbox/open-sandbox.ts";
import { createPatterns } from "../adapters/text/patterns.ts";
import { UserError } from "../core/errors.ts";
import { type RunId, type Sha, toId } from "../core/ids.ts";
import { createRedactor } from "../core/report/redact.ts";
import type { Engine } from "../engine/engine.ts";
import { createLedgerBook } from "../engine/ledger-book.ts";
import type { DriverLease } from "../ports/driver-lease.ts";
import type { Feed } from "../ports/feed.ts";
import type { Repository, RepositoryGit } from "../ports/git.ts";
import type { Workspace } from "../ports/workspace.ts";
import { openAgents } from "./agents.ts";
import type { Env } from "./env.ts";
import { loadSignalTexts, promptFolders } from "./signal-texts.ts";
import { eventWithoutSecrets, feedWithoutSecrets, filesWithoutSecrets } from "./without-secrets.ts";

/** Loom on one machine: the person's own repository, ledgers in its git directory, work trees in the cache folder. */
export type Local = {
  readonly engine: Engine;
  readonly lease: DriverLease;
  readonly git: RepositoryGit;
  readonly repository: Repository;
  readonly harnesses: readonly string[];
  /** Absolute; it need not exist yet. */
  readonly treesFolder: string;
  readonly workspace: (run: RunId) => Workspace;
  readonly forge: (target: string) => Promise<LocalForge>;
  /** Where a branch stands; null when there is none of that name. */
  tipOf(branch: string): Promise<Sha | null>;
  /** The branch to merge into: the current one, or `into`, made when it does not exist. */
  resolveTarget(into: string | null): Promise<Target>;
  /** Throws a UserError when following the target would meet changes of the person's. */
  assertCheckoutClean(target: string): Promise<void>;
  /** From the repository's root; absolute when the file lies elsewhere. */
  pathInRepository(path: string): string;
  /** Gives back everything this process holds, the work trees it opened included. */
  close(): Promise<void>;
};

export type LocalOptions = {
  readonly cwd: string;
  readonly env: Env;
  readonly feed: Feed;
  /** false: somebody only looks, and a sandbox that can't be had is no reason to refuse that. */
  readonly runsAgents: boolean;
};

export async function openLocal(options: LocalOptions): Promise<Local> {
  const { cwd, env, runsAgents } = options;
  const redact = createRedactor(env);
  const feed = feedWithoutSecrets(options.feed, redact);
  const program = createGit();
  const repository = await openRepository(program, cwd);
  const git = createRepositoryGit(program, repository);
  const root = join(repository.commonDir, "loom", "runs");
  const store = createEmbeddedRunStore({ root });
  const sandbox = createOpenSandbox();
  const trees = resolve(cwd, treesFolder(env));
  const workspace = memoize((run: RunId) =>
    createGitWorkspace({ git, treesRoot: join(trees, treesName(repository), run) }),
  );
  const forge = memoize((target: string) => createLocalForge({ git, target }));
  const folder = join(cacheFolder(env), "rooms", treesName(repository));
  const { harnesses, ...agents } = await openAgents({ sandbox, env, cwd, folder, runsAgents });
  const engine: Engine = {
    store,
    book: createLedgerBook(store, feed, eventWithoutSecrets(redact)),
    queue: createEmbeddedJobQueue(),
    leases: createEmbeddedLeases(),
    sandbox,
    ...agents,
    patterns: createPatterns(),
    files: filesWithoutSecrets(createRunFiles({ root }), redact),
    feed,
    workspaceFor: (run) => workspace(run.id),
    forgeFor: (run) => forge(run.target),
    // Whoever starts a run on their own machine has read the plan.
    stillApproved: async () => true,
    describeStage: (_run, { plan }) => ({ title: plan.name, body: plan.description }),
    harness: (id) => harnesses.get(id) ?? unknownHarness(id, [...harnesses.keys()]),
    promptsFor: ({ planPath }) => {
      const perRun =
        repository.root === null ? [] : [{ repository: repository.root, label: labelOf(planPath) }];
      return loadSignalTexts({ folders: promptFolders(env, env.HOME || homedir(), ...perRun) });
    },
    projectRoot: repository.root ?? repository.commonDir,
    now: Date.now,
    newId: randomUUID,
  };
  return {
    engine,
    lease: createDriverLease({ root }),
    git,
    repository,
    harnesses: [...harnesses.keys()],
    treesFolder: trees,
    workspace,
    forge,
    tipOf: async (branch) => (await findBranch(git, branch)).tip,
    resolveTarget: (into) => resolveTarget(git, into),
    assertCheckoutClean: (target) => assertCheckoutClean(git, target),
    pathInRepository(path) {
      const inside = repository.root === null ? null : relative(repository.root, path);
      return inside === null || inside.startsWith("..") || isAbsolute(inside)
        ? path
        : inside.split(sep).join("/");
    },
    async close() {
      await engine.queue.close();
      try {
        await sandbox.close();
        await agents.rooms.close();
      } finally {
        for (const opened of workspace.all()) await opened.dispose();
        await store.close();
      }
    },
  };
}

/** Where work trees stand: not below `.git`, where tools such as Jest look at nothing. */
export function treesFolder(env: Env): string {
  return env.LOOM_TREES || join(cacheFolder(env), "trees");
}

function cacheFolder(env: Env): string {
  return resolve(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "loom");
}

/** The name by which a plan is known: that of its file. */
function labelOf(planPath: string): string {
  return toId(basename(planPath).replace(/\.[^.]*$/, "")) ?? "";
}

/** One folder per repository, the same for all its checkouts. */
function treesName({ commonDir }: Repository): string {
  return createHash("sha256").update(commonDir).digest("hex").slice(0, 16);
}

export function unknownHarness(id: string, known: readonly string[]): never {
  throw new UserError(`There is no agent called ${id}.`, {
    next: `Known here: ${known.join(", ")}. \`--harness NAME\` chooses one for every stage.`,
    exitCode: 2,
  });
}

export function memoize<K, V>(make: (key: K) => V): ((key: K) => V) & { all(): V[] } {
  const made = new Map<K, V>();
  const get = (key: K): V => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
  return Object.assign(get, { all: () => [...made.values()] });
}
